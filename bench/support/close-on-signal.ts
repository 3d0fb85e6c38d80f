import { constants } from "node:os";
import type { Endings } from "#test/support/ending.ts";

/**
 * A measurement that is interrupted leaves no process, database or folder behind. Called before anything is opened;
 * applies until the endings are closed, so that a later part of the measurement is closed by its own call alone.
 */
export function closeOnSignal(endings: Endings): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const interrupt = () => {
      const end = () => process.exit(128 + constants.signals[signal]);
      void endings.close().then(end, end);
    };
    process.once(signal, interrupt);
    endings.after(() => void process.off(signal, interrupt));
  }
}
