/** Marks a branch that no value can reach; the type checker proves it. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
