/** Marks a branch that no value can reach; the type checker proves it. */
export function assertNever(value: never): never {
  const text = JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? String(part) : part,
  );
  throw new Error(`unexpected value: ${text}`);
}
