import { constants } from "node:os";
import type { Endings } from "#test/support/ending.ts";

/** A measurement that is interrupted leaves no process, database or folder behind. */
export function closeOnSignal(endings: Endings): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      const end = () => process.exit(128 + constants.signals[signal]);
      void endings.close().then(end, end);
    });
  }
}
