import { type Address, parseAddress } from "#src/units/address.ts";
import type { LoggedData } from "#src/venues/program-run.ts";

export type ProgramLog = {
  readonly data: readonly LoggedData[];
  /** Every program that ran, as far as the log contains it. */
  readonly programs: ReadonlySet<Address>;
  /** The node truncated the log: the rest is unknown. */
  readonly isTruncated: boolean;
};

const INVOKED = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[(\d{1,2})\]$/;
const RETURNED = /^Program [1-9A-HJ-NP-Za-km-z]{32,44} (?:success|failed)/;
const EVENT = "Program data: ";
const RAY_LOG = "Program log: ray_log: ";
const INSTRUCTION = "Program log: Instruction: ";

/**
 * Parses a transaction's log. A data line belongs to the program that ran when it was written, the
 * innermost call that has not returned: other programs may log the same bytes.
 */
export function parseProgramLog(lines: readonly string[]): ProgramLog {
  const running: Address[] = [];
  const data: LoggedData[] = [];
  const programs = new Set<Address>();
  let isTruncated = false;
  const keep = (kind: LoggedData["kind"], text: string): void => {
    const programId = running.at(-1);
    if (programId === undefined) return;
    const encoding = kind === "instruction" ? "utf8" : "base64";
    data.push({ programId, kind, bytes: new Uint8Array(Buffer.from(text, encoding)) });
  };
  for (const line of lines) {
    if (line.startsWith(EVENT)) keep("event", line.slice(EVENT.length));
    else if (line.startsWith(RAY_LOG)) keep("ray-log", line.slice(RAY_LOG.length));
    else if (line.startsWith(INSTRUCTION)) keep("instruction", line.slice(INSTRUCTION.length));
    else if (line === "Log truncated") isTruncated = true;
    else if (RETURNED.test(line)) running.pop();
    else {
      const [, name = "", depth = "0"] = INVOKED.exec(line) ?? [];
      const programId = parseAddress(name);
      if (programId === null) continue;
      // Calls without a logged end have ended when another begins at their depth.
      running.length = Math.min(running.length, Math.max(0, Number(depth) - 1));
      running.push(programId);
      programs.add(programId);
    }
  }
  return { data, programs, isTruncated };
}
