import { readFileSync } from "node:fs";

/** Golden vectors: JSON in which text such as "123n" stands for the integer 123 of any width. */
export function readVectors<Vector>(url: URL): readonly Vector[] {
  return JSON.parse(readFileSync(url, "utf8"), (_key, value) =>
    typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
}
