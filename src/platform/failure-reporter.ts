import { FailureLog, type FailureLogger, isLoggedAtSource } from "./failure-log.ts";

/** A failure that has not repeated for this long has ended. */
const ENDED_AFTER_MS = 30_000;
/** Kinds of failures; further ones share one entry. */
const MAX_KINDS = 100;

type Kind = { readonly failures: FailureLog; readonly ended: NodeJS.Timeout };

/**
 * Logs failures of work whose successes are not reported: the first of each kind, and after 30 seconds
 * without another that it ended, with the count. An outage that its source logs is not logged here.
 *
 * @returns a function that reports a failure. `what` is an infinitive and names a kind of work: "read accounts"
 */
export function failureReporter(
  log: FailureLogger,
  next = "it will be retried",
): (what: string, cause: unknown) => void {
  const kinds = new Map<string, Kind>();

  function begin(what: string): Kind {
    const failures = new FailureLog({ log, what, next });
    const end = () => {
      kinds.delete(what);
      failures.succeeded();
    };
    const kind = { failures, ended: setTimeout(end, ENDED_AFTER_MS).unref() };
    kinds.set(what, kind);
    return kind;
  }

  return (what, cause) => {
    if (isLoggedAtSource(cause)) return;
    const name = kinds.has(what) || kinds.size < MAX_KINDS ? what : "do other background work";
    const kind = kinds.get(name) ?? begin(name);
    kind.ended.refresh();
    kind.failures.failed(cause);
  };
}
