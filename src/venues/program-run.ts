import type { Address } from "#src/units/address.ts";
import { ByteReader, discriminator } from "./byte-reader.ts";

/** An instruction of an executed transaction, in execution order, inner ones included. */
export type Instruction = {
  readonly programId: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
};

/** Data that a program wrote to the transaction's log. */
export type LoggedData = {
  readonly programId: Address;
  /**
   * "event": a "Program data:" line. "ray-log": the older form of Raydium AMM v4. "instruction": the
   * name that an Anchor program logs when it starts an instruction, as text.
   */
  readonly kind: "event" | "ray-log" | "instruction";
  readonly bytes: Uint8Array;
};

/** One call of a program, with the events it emitted as calls to itself. */
export type ProgramCall = {
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
  readonly events: readonly Uint8Array[];
};

/** The calls and events of one program in one transaction. */
export type ProgramRun = {
  readonly logged: readonly Uint8Array[];
  readonly rayLogs: readonly Uint8Array[];
  /** Names of the instructions in the log; absent where no log was read. */
  readonly instructionNames?: readonly string[];
  /** Null where only the log is known. */
  readonly calls: readonly ProgramCall[] | null;
};

/** First bytes of the self-call by which an Anchor program emits an event as an inner instruction. */
const SELF_CALL = discriminator("e445a52e51cb9a1d");

/** Selects one program's part of a transaction. */
export function programRun(
  programId: Address,
  transaction: {
    /** Null where only the log is known. */
    readonly instructions: readonly Instruction[] | null;
    readonly logged: readonly LoggedData[];
  },
): ProgramRun {
  const own = transaction.logged.filter((line) => line.programId === programId);
  const bytesOf = (kind: LoggedData["kind"]) =>
    own.filter((line) => line.kind === kind).map(({ bytes }) => bytes);
  const { instructions } = transaction;
  return {
    logged: bytesOf("event"),
    rayLogs: bytesOf("ray-log"),
    instructionNames: bytesOf("instruction").map((bytes) => new TextDecoder().decode(bytes)),
    calls: instructions === null ? null : callsOf(programId, instructions),
  };
}

/** Events emitted as self-calls where the instructions are known, else as logged: the same bytes. */
export function eventsOf({ calls, logged }: ProgramRun): readonly Uint8Array[] {
  const called = calls?.flatMap(({ events }) => events) ?? [];
  return called.length > 0 ? called : logged;
}

/** Those of the events that begin with this discriminator. */
export function eventsNamed(
  name: Uint8Array,
  events: readonly Uint8Array[],
): readonly ByteReader[] {
  return events.filter((bytes) => startsWith(bytes, name)).map((bytes) => new ByteReader(bytes));
}

export function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
}

function callsOf(programId: Address, instructions: readonly Instruction[]): ProgramCall[] {
  const calls: (ProgramCall & { readonly events: Uint8Array[] })[] = [];
  for (const { programId: called, accounts, data } of instructions) {
    if (called !== programId) continue;
    if (startsWith(data, SELF_CALL)) calls.at(-1)?.events.push(data.subarray(SELF_CALL.length));
    else calls.push({ accounts, data, events: [] });
  }
  return calls;
}
