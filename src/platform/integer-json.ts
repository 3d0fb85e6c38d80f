/**
 * JSON in which an integer of any width is `{"bigint": "123"}`: for what our own processes write
 * for each other and for themselves.
 */
export function integerJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? { bigint: String(part) } : part,
  );
}

/** The value of such a text; undefined if it is not JSON. */
export function parseIntegerJson(text: string): unknown {
  try {
    return JSON.parse(text, reviveBigint);
  } catch {
    return undefined;
  }
}

function reviveBigint(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("bigint" in value)) return value;
  return typeof value.bigint === "string" && /^-?\d+$/.test(value.bigint)
    ? BigInt(value.bigint)
    : value;
}
