/**
 * The system under test sets no such deadline: long enough for any machine, short enough that a defect fails
 * by its name before the test runner's own limit.
 */
export const PATIENCE_MS = 20_000;

/** Waits for a periodic action of a service in another process; fails after a timeout. */
export async function eventually<T>(
  what: string,
  look: () => T | null | Promise<T | null>,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const untilMs = Date.now() + withinMs;
  while (Date.now() < untilMs) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`did not happen: ${what}`);
}
