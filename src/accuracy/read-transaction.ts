import type { ObservedTransaction } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { SWAP_READERS } from "./events/all.ts";
import { type ProgramLog, parseProgramLog } from "./program-log.ts";
import { programRun } from "./program-run.ts";
import { readRun, type SwapReader, type SwapSeen } from "./swap-reader.ts";

/** The swaps of one transaction, and whatever else the programs that we model were called with. */
export type TransactionReading = {
  readonly kind: "whole";
  readonly swaps: readonly SwapSeen<unknown>[];
  /** Accounts named to the programs that we model; null where only the log is known. */
  readonly named: ReadonlySet<Address> | null;
  readonly isTruncated: boolean;
  /** Programs that left an event which can't be read. */
  readonly unreadable: ReadonlySet<Address>;
};

const READERS = new Map(SWAP_READERS.map((reader) => [reader.venue.programId, reader]));

/**
 * Reads a transaction's swaps. "partial": the log is not enough, the transaction itself has to be
 * read; "foreign": no program of ours ran.
 */
export function readTransaction(
  transaction: ObservedTransaction,
  log: ProgramLog,
): TransactionReading | { readonly kind: "partial" | "foreign" } {
  const { instructions } = transaction;
  const programs = new Set([
    ...log.programs,
    ...(instructions ?? []).map(({ programId }) => programId),
  ]);
  const readers = [...programs].flatMap((programId) => READERS.get(programId) ?? []);
  if (instructions === null) {
    if (log.isTruncated || log.programs.size === 0) return { kind: "partial" };
    if (readers.length === 0) return { kind: "foreign" };
    if (readers.some(({ needsInstructions }) => needsInstructions)) return { kind: "partial" };
  }
  const { swaps, unreadable } = readSwaps(readers, transaction, log);
  // Something other than a swap: which pools it changed stands in its instructions alone.
  if (instructions === null && (swaps.length === 0 || unreadable.size > 0))
    return { kind: "partial" };
  return {
    kind: "whole",
    swaps,
    named: instructions === null ? null : namedAccounts(instructions),
    isTruncated: log.isTruncated,
    unreadable,
  };
}

/** The pools of which the log alone names a swap: all that is known where the node gives no more. */
export function poolsInLog(transaction: ObservedTransaction): readonly Address[] {
  const log = parseProgramLog(transaction.logs);
  const readers = [...log.programs].flatMap((programId) => READERS.get(programId) ?? []);
  const { swaps } = readSwaps(readers, { ...transaction, instructions: null }, log);
  return swaps.map(({ pool }) => pool);
}

function readSwaps(
  readers: readonly SwapReader<unknown, unknown>[],
  transaction: ObservedTransaction,
  log: ProgramLog,
): Pick<TransactionReading, "swaps" | "unreadable"> {
  const swaps: SwapSeen<unknown>[] = [];
  const unreadable = new Set<Address>();
  for (const reader of readers) {
    const { programId } = reader.venue;
    const read = readRun(reader, programRun(programId, transaction, log));
    if (read === null) unreadable.add(programId);
    else swaps.push(...read);
  }
  return { swaps, unreadable };
}

function namedAccounts(instructions: NonNullable<ObservedTransaction["instructions"]>) {
  const named = new Set<Address>();
  for (const { programId, accounts } of instructions) {
    if (!READERS.has(programId)) continue;
    for (const account of accounts) named.add(account);
  }
  return named;
}
