import type { ObservedInstruction, ObservedTransaction } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import type { ProgramLog } from "./program-log.ts";

/** One call of a program, with the events that it left as calls to itself. */
export type ProgramCall = {
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
  readonly events: readonly Uint8Array[];
};

/** What one program did in one transaction. */
export type ProgramRun = {
  readonly logged: readonly Uint8Array[];
  readonly rayLogs: readonly Uint8Array[];
  /** Null where only the log is known. */
  readonly calls: readonly ProgramCall[] | null;
};

/** What a program calls itself with to leave an event among the inner instructions. */
const SELF_CALL = discriminator("e445a52e51cb9a1d");

/** The part of a transaction that is one program's. */
export function programRun(
  programId: Address,
  { instructions }: Pick<ObservedTransaction, "instructions">,
  log: ProgramLog,
): ProgramRun {
  const own = log.data.filter((line) => line.programId === programId);
  const bytesOf = (kind: "event" | "ray-log") =>
    own.filter((line) => line.kind === kind).map(({ bytes }) => bytes);
  return {
    logged: bytesOf("event"),
    rayLogs: bytesOf("ray-log"),
    calls: instructions === null ? null : callsOf(programId, instructions),
  };
}

/** Events as calls to itself where they are known, else as logged: the same bytes. */
export function eventsOf({ calls, logged }: ProgramRun): readonly Uint8Array[] {
  const called = calls?.flatMap(({ events }) => events) ?? [];
  return called.length > 0 ? called : logged;
}

export function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
}

function callsOf(programId: Address, instructions: readonly ObservedInstruction[]): ProgramCall[] {
  const calls: (ProgramCall & { readonly events: Uint8Array[] })[] = [];
  for (const { programId: called, accounts, data } of instructions) {
    if (called !== programId) continue;
    if (startsWith(data, SELF_CALL)) calls.at(-1)?.events.push(data.subarray(SELF_CALL.length));
    else calls.push({ accounts, data, events: [] });
  }
  return calls;
}
