import type { PoolRef } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { SWAP_READERS } from "#src/venues/all.ts";
import type { ReplayedSwap } from "./judged-swap.ts";
import { writeRecordedExecution } from "./recorded-execution.ts";
import type { ReplayGround } from "./replay-swap.ts";

/** A mismatch with all its accounts, as a line that `exitability verify` reads. */
export function mismatchLine(
  { venue, pool, outcome }: ReplayedSwap,
  ref: PoolRef,
  { known, clock }: ReplayGround,
): string {
  const accounts = new Map<Address, Account | null>();
  for (const address of ref.venue.accountsNeeded(ref.address, known, ref.mint)) {
    const account = known.get(address);
    if (account !== undefined) accounts.set(address, account);
  }
  const { inputMint, outputMint, amountIn, executed } = outcome;
  const isReportedOutput = SWAP_READERS.some(
    (reader) => reader.venue.id === venue && reader.reportedOutput,
  );
  return writeRecordedExecution(
    { venue, pool, inputMint, outputMint, amountIn, amountOut: executed, isReportedOutput, clock },
    accounts,
  );
}
