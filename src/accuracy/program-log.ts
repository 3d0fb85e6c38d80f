import type { Address } from "#src/units/address.ts";
import { parseAddress } from "#src/units/address.ts";

/** What a program wrote as data into a transaction's log. */
export type LoggedData = {
  readonly programId: Address;
  /** "event": a "Program data:" line. "ray-log": Raydium's older way. */
  readonly kind: "event" | "ray-log";
  readonly bytes: Uint8Array;
};

export type ProgramLog = {
  readonly data: readonly LoggedData[];
  /** Every program that ran, as far as the log tells. */
  readonly programs: ReadonlySet<Address>;
  /** The node cut it short: what is missing is unknown. */
  readonly isTruncated: boolean;
};

const INVOKED = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[(\d{1,2})\]$/;
const RETURNED = /^Program [1-9A-HJ-NP-Za-km-z]{32,44} (?:success|failed)/;
const EVENT = "Program data: ";
const RAY_LOG = "Program log: ray_log: ";

/**
 * Takes a transaction's log apart. A data line belongs to the program that ran when it was written,
 * the innermost call that has not returned: others may log the very same bytes.
 */
export function parseProgramLog(lines: readonly string[]): ProgramLog {
  const running: Address[] = [];
  const data: LoggedData[] = [];
  const programs = new Set<Address>();
  let isTruncated = false;
  const keep = (kind: LoggedData["kind"], text: string): void => {
    const programId = running.at(-1);
    if (programId === undefined) return;
    data.push({ programId, kind, bytes: new Uint8Array(Buffer.from(text, "base64")) });
  };
  for (const line of lines) {
    if (line.startsWith(EVENT)) keep("event", line.slice(EVENT.length));
    else if (line.startsWith(RAY_LOG)) keep("ray-log", line.slice(RAY_LOG.length));
    else if (line === "Log truncated") isTruncated = true;
    else if (RETURNED.test(line)) running.pop();
    else {
      const [, name = "", depth = "0"] = INVOKED.exec(line) ?? [];
      const programId = parseAddress(name);
      if (programId === null) continue;
      // Calls that never said how they ended are over where one at their depth begins.
      running.length = Math.min(running.length, Math.max(0, Number(depth) - 1));
      running.push(programId);
      programs.add(programId);
    }
  }
  return { data, programs, isTruncated };
}
