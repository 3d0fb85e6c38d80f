/** Waits for what a service in another process does on its own beat; fails after a while. */
export async function eventually<T>(
  what: string,
  look: () => T | null | Promise<T | null>,
  withinMs = 2_000,
): Promise<T> {
  const untilMs = Date.now() + withinMs;
  while (Date.now() < untilMs) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`did not happen: ${what}`);
}
