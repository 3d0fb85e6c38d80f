/**
 * JSON in which an integer of any width is `{"bigint": "123"}`: for what our own processes write
 * for each other and for themselves.
 *
 * @param value plain data: own fields only, and no object with a `toJSON` that has integers
 */
export function integerJson(value: unknown): string {
  return JSON.stringify(withoutBigints(value));
}

/** The value with each bigint as an object; itself if it has none. A replacer of `JSON.stringify` takes twice as long. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === "bigint") return { bigint: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let list: unknown[] = value;
    for (let place = 0; place < value.length; place++) {
      const part = withoutBigints(value[place]);
      if (Object.is(part, value[place])) continue;
      if (list === value) list = value.slice();
      list[place] = part;
    }
    return list;
  }
  const parts = value as Record<string, unknown>;
  let object = parts;
  for (const key in parts) {
    const part = withoutBigints(parts[key]);
    if (Object.is(part, parts[key])) continue;
    if (object === parts) object = { ...parts };
    object[key] = part;
  }
  return object;
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
