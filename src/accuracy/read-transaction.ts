import type { ObservedTransaction, TokenAmounts } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { SWAP_READERS } from "#src/venues/all.ts";
import { programRun } from "#src/venues/program-run.ts";
import { readRun, type SwapReader, type SwapSeen } from "#src/venues/swap-reader.ts";
import { type ProgramLog, parseProgramLog } from "./program-log.ts";

/** The swaps of one transaction, and the accounts passed to the modelled programs. */
export type TransactionReading = {
  readonly kind: "whole";
  readonly swaps: readonly SwapSeen<unknown>[];
  /** Accounts passed to the modelled programs; null if only the log is known. */
  readonly named: ReadonlySet<Address> | null;
  readonly isTruncated: boolean;
  /** Who paid the transaction's fee; null if only the log is known. */
  readonly feePayer: Address | null;
  /** Seconds; null if only the log is known. */
  readonly blockTime: bigint | null;
  /** Programs that emitted an unreadable event. */
  readonly unreadable: ReadonlySet<Address>;
  /** Pools that more instructions name than swap in them: something else may have changed these too. */
  readonly changedOtherwise: ReadonlySet<Address>;
  /** Of the token accounts that it names; null if only the log is known. */
  readonly tokenAmounts: ReadonlyMap<Address, TokenAmounts> | null;
};

const READERS = new Map(SWAP_READERS.map((reader) => [reader.venue.programId, reader]));

/**
 * Reads a transaction's swaps. "partial": the log is not enough, the transaction itself has to be
 * read; "foreign": no modelled program ran.
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
  const { swaps, unreadable, changedOtherwise } = readSwaps(readers, transaction, log);
  // Not a swap: only the instructions show which pools it changed.
  if (instructions === null && (swaps.length === 0 || unreadable.size > 0))
    return { kind: "partial" };
  return {
    kind: "whole",
    swaps,
    named: instructions === null ? null : namedAccounts(instructions),
    isTruncated: log.isTruncated,
    feePayer: transaction.feePayer ?? null,
    blockTime: transaction.blockTime ?? null,
    unreadable,
    changedOtherwise,
    tokenAmounts: transaction.tokenAmounts ?? null,
  };
}

/** The pools of the swaps in the log, for a transaction that the node does not return. */
export function poolsInLog(transaction: ObservedTransaction): readonly Address[] {
  const log = parseProgramLog(transaction.logs);
  const readers = [...log.programs].flatMap((programId) => READERS.get(programId) ?? []);
  const { swaps } = readSwaps(readers, { instructions: null }, log);
  return swaps.map(({ pool }) => pool);
}

function readSwaps(
  readers: readonly SwapReader<unknown, unknown>[],
  { instructions }: Pick<ObservedTransaction, "instructions">,
  log: ProgramLog,
): Pick<TransactionReading, "swaps" | "unreadable" | "changedOtherwise"> {
  const swaps: SwapSeen<unknown>[] = [];
  const unreadable = new Set<Address>();
  const changedOtherwise = new Set<Address>();
  for (const reader of readers) {
    const { programId } = reader.venue;
    const run = programRun(programId, { instructions, logged: log.data });
    const read = readRun(reader, run);
    if (read === null) {
      unreadable.add(programId);
      continue;
    }
    swaps.push(...read);
    for (const { pool } of read) {
      const naming = run.calls?.filter(({ accounts }) => accounts.includes(pool)) ?? [];
      const own = read.filter((swap) => swap.pool === pool);
      if (naming.length > own.length) changedOtherwise.add(pool);
    }
  }
  return { swaps, unreadable, changedOtherwise };
}

function namedAccounts(instructions: NonNullable<ObservedTransaction["instructions"]>) {
  const named = new Set<Address>();
  for (const { programId, accounts } of instructions) {
    if (!READERS.has(programId)) continue;
    for (const account of accounts) named.add(account);
  }
  return named;
}
