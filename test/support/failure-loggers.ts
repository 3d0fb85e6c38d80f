import type { FailureLogger } from "#src/platform/failure-log.ts";

/** Passes warnings and errors to `warn`; other lines are dropped. */
export function warningsTo(warn: (context: unknown) => void): FailureLogger {
  return { info: () => undefined, warn, error: warn };
}

export const SILENT_LOG: FailureLogger = warningsTo(() => undefined);
