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
    const value: unknown = JSON.parse(text);
    return text.includes('"bigint"') ? withIntegers(value) : value;
  } catch {
    return undefined;
  }
}

/** The value with its integers, changed in place. A reviver of `JSON.parse` takes several times as long. */
function withIntegers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const parts = value as Record<string, unknown>;
  const { bigint } = parts;
  if (typeof bigint === "string" && /^-?\d+$/.test(bigint)) return BigInt(bigint);
  for (const key in parts) {
    const part = parts[key];
    const read = withIntegers(part);
    if (read !== part) parts[key] = read;
  }
  return value;
}
