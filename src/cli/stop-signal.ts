/**
 * Resolves at the first signal to stop. Later signals are ignored: a terminal signals the whole process
 * group, and bin/exitability.mjs forwards signals too.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve());
  });
}
