import type { ObservedTransaction } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { SWAP_READERS } from "./events/all.ts";
import type { ProgramLog } from "./program-log.ts";
import { programRun } from "./program-run.ts";
import { readRun, type SwapSeen } from "./swap-reader.ts";

/** The swaps of one transaction, and whatever else the programs that we model were called with. */
export type TransactionReading = {
  readonly kind: "whole";
  readonly swaps: readonly SwapSeen<unknown>[];
  /** Accounts named to the programs that we model; null where only the log is known. */
  readonly named: ReadonlySet<Address> | null;
  readonly isTruncated: boolean;
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
  const swaps = readers.flatMap((reader) =>
    readRun(reader, programRun(reader.venue.programId, transaction, log)),
  );
  // Something other than a swap: which pools it changed stands in its instructions alone.
  if (instructions === null && swaps.length === 0) return { kind: "partial" };
  return {
    kind: "whole",
    swaps,
    named: instructions === null ? null : namedAccounts(instructions),
    isTruncated: log.isTruncated,
  };
}

function namedAccounts(instructions: NonNullable<ObservedTransaction["instructions"]>) {
  const named = new Set<Address>();
  for (const { programId, accounts } of instructions) {
    if (!READERS.has(programId)) continue;
    for (const account of accounts) named.add(account);
  }
  return named;
}
