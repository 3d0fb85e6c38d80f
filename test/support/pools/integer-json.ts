import { readFileSync } from "node:fs";

/** A JSON file in which text such as "123n" stands for the integer 123 of any width. */
export function readIntegerJson<Content>(file: URL): Content {
  return JSON.parse(readFileSync(file, "utf8"), (_key, value) =>
    typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
}
