import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { INCINERATOR } from "#src/venues/share-owner.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";
import { escrowAccount, escrowAddress } from "./jupiter-lock.ts";
import type { ShareTaker } from "./market-program.ts";

/** The part of a pool's shares that its creator has locked, and the time of the lock. */
export type LockPlan = { readonly bps: number; readonly days: number };

const DAY_SECONDS = 86_400n;
const MONTHS = 6n;
const MONTH_SECONDS = 30n * DAY_SECONDS;

/** The owners of a pool's shares besides its creator. */
export function shareTakers(
  baseMint: Address,
  { burnedBps, lock }: { readonly burnedBps?: number; readonly lock?: LockPlan },
): readonly ShareTaker[] {
  return [
    ...(burnedBps === undefined ? [] : [{ owner: INCINERATOR, bps: burnedBps }]),
    ...(lock === undefined ? [] : [{ owner: escrowAddress(baseMint), bps: lock.bps }]),
  ];
}

export type LockedPool = {
  readonly venue: Venue<unknown>;
  readonly address: Address;
  readonly baseMint: Address;
  readonly creator: Address;
  readonly clock: Clock;
};

/**
 * The escrow of the pool's locked shares: half of them open after the planned days, the rest in six months.
 * Null where the pool's shares are not tokens.
 */
export function lockAccount(
  known: AccountSet,
  { venue, address, baseMint, creator, clock }: LockedPool,
  { days }: LockPlan,
): readonly [Address, Account] | null {
  const shares = venue.shares(address, known);
  if (shares?.kind !== "fungible") return null;
  const escrow = escrowAddress(baseMint);
  const held = tokenBalance(known.get(associatedTokenAddress(escrow, shares.mint))) ?? 0n;
  const perPeriod = held / (2n * MONTHS);
  const account = escrowAccount({
    mint: shares.mint,
    recipient: creator,
    creator,
    base: baseMint,
    startAt: clock.unixTimestamp,
    cliffAt: clock.unixTimestamp + BigInt(days) * DAY_SECONDS,
    cliffAmount: held - MONTHS * perPeriod,
    period: MONTH_SECONDS,
    perPeriod,
    periods: MONTHS,
    claimed: 0n,
    cancelMode: 0,
    slot: clock.slot,
  });
  return [escrow, account];
}
