import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { accountsOf, groupsOf } from "./followed-tokens.ts";
import type {
  CompleteStream,
  FollowedAccount,
  FollowedPool,
  FollowedToken,
  LiveState,
} from "./live-state.ts";
import { timeOfSlotMs } from "./slot-times.ts";

/** A minute: an account confirmed this recently that rarely changes counts as unchanged. */
const SETTLED_SLOTS = 150n;

/** An absent account has no slot of its own until it is read for the first time. */
const UNKNOWN_SLOT = 0n;

/**
 * The newest slot at which all accounts of the token are known to hold. With a whole stream, an
 * account without updates is unchanged up to the slot that was delivered. An account that was reported as
 * gone is certain up to the slot before that.
 */
export function stateSlot(state: LiveState, token: FollowedToken): bigint | null {
  const slot = slotWithoutDoubts(state, token);
  if (slot === null || state.doubted.size === 0) return slot;
  let certain = slot;
  const note = (doubtSlot: bigint | null): void => {
    if (doubtSlot !== null) certain = minBigint(certain, doubtSlot - 1n);
  };
  note(state.accounts.get(token.mint)?.doubtSlot ?? null);
  for (const { pools } of groupsOf(state, token))
    for (const { needs } of pools.values())
      for (const { account } of needs.values()) note(account.doubtSlot);
  return certain;
}

function slotWithoutDoubts(state: LiveState, token: FollowedToken): bigint | null {
  const delivered = deliveredSlot(state);
  if (delivered === null || !isKeptByStream(state, token)) return slotOfAccounts(state, token);
  let slot = delivered;
  for (const group of groupsOf(state, token)) {
    for (const { pendingSlot } of group.pools.values())
      if (pendingSlot !== null) slot = minBigint(slot, pendingSlot - 1n);
  }
  return slot;
}

/**
 * The newest slot of which every change has arrived, if none is lost; null: the chain's clock is not known. The
 * clock may come over another stream than a token's accounts, and be ahead of it or behind.
 */
export function deliveredSlot({ stream, times }: LiveState): bigint | null {
  if (times.newest === null) return null;
  const reachedSlot = stream?.reachedSlot ?? null;
  // Where no source reports the end of slots, the clock of the next slot shows it.
  return reachedSlot === null ? times.newest.slot - 1n : minBigint(reachedSlot, times.newest.slot);
}

/** Whether a whole stream has delivered the clock of a slot, and not yet all of its changes: pools wait for these. */
export function isSlotArriving({ stream, times }: LiveState): boolean {
  if (stream?.isWhole !== true || stream.reachedSlot === null) return false;
  return times.newest !== null && stream.reachedSlot < times.newest.slot;
}

/** The time of the token's `stateSlot` by the local clock; null: it is not known. */
export function stateTimeMs(state: LiveState, token: FollowedToken): number | null {
  const slot = stateSlot(state, token);
  return slot === null ? null : timeOfSlotMs(state.times, slot);
}

/**
 * Whether the stream alone keeps all accounts of the token current: it is whole, it has all of them, and
 * each was confirmed after its last gap.
 */
export function isKeptByStream(state: LiveState, token: FollowedToken): boolean {
  const { stream } = state;
  if (stream?.isWhole !== true || token.confirmedAfterGap !== stream.gaps) return false;
  return !isPartlyElsewhere(state, token, stream.elsewhere);
}

/**
 * Whether the account was confirmed after its last gap, which had made it unconfirmed, and at a slot after it: a
 * read that began before its end may lack a lost update.
 */
export function isConfirmedAfterGap(
  { gapUntilSlot }: CompleteStream,
  { confirmedAtSeconds, lostUntilSlot, heldSlot }: FollowedAccount,
): boolean {
  return confirmedAtSeconds > 0 && heldSlot >= gapUntilSlot && heldSlot >= lostUntilSlot;
}

function isPartlyElsewhere(
  state: LiveState,
  token: FollowedToken,
  elsewhere: ReadonlySet<Address>,
): boolean {
  if (elsewhere.size === 0) return false;
  return accountsOf(state, token)
    .values()
    .some(({ address }) => elsewhere.has(address));
}

function slotOfAccounts(state: LiveState, token: FollowedToken): bigint | null {
  let slot: bigint | null = null;
  for (const group of groupsOf(state, token)) {
    for (const pool of group.pools.values()) {
      const poolSlot = pool.isLoaded ? slotOfPool(pool) : null;
      if (poolSlot !== null && (slot === null || poolSlot < slot)) slot = poolSlot;
    }
  }
  // The mint rarely changes and is confirmed by rereads only: it counts only if it is much older.
  const mintSlot = state.accounts.get(token.mint)?.heldSlot ?? null;
  if (slot === null || mintSlot === null) return slot ?? mintSlot;
  return mintSlot + SETTLED_SLOTS < slot ? mintSlot : slot;
}

/**
 * The slot at which the pool holds: the oldest slot of its accounts. If all changing accounts were seen
 * at a newer slot, it is that one: the others were confirmed shortly before.
 */
function slotOfPool(pool: FollowedPool): bigint | null {
  let oldest: bigint | null = null;
  for (const { account } of pool.needs.values()) {
    const { content, heldSlot } = account;
    if (content === undefined || heldSlot === UNKNOWN_SLOT) continue;
    if (oldest === null || heldSlot < oldest) oldest = heldSlot;
  }
  if (oldest === null) return null;
  if (pool.pendingSlot !== null) return minBigint(oldest, pool.pendingSlot - 1n);
  if (pool.changedSlot - oldest > SETTLED_SLOTS) return oldest;
  return pool.changedSlot > oldest ? pool.changedSlot : oldest;
}
