import type { PoolRef } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { SkipReason, SwapReader, SwapSeen } from "#src/venues/swap-reader.ts";
import type { AccountVersions } from "./account-versions.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import type { TransactionReading } from "./read-transaction.ts";
import {
  type Replayed,
  type ReplayGround,
  type ReportedSwap,
  replayOnEvent,
  replayOnState,
  stateBefore,
} from "./replay-swap.ts";

/** A pool whose swaps are watched. */
export type WatchedPool = {
  readonly ref: PoolRef;
  readonly reader: SwapReader<unknown, unknown>;
  /** Its accounts are followed without a gap from this slot on; null: not yet known. */
  readonly sinceSlot: bigint | null;
  /** It was followed before a gap: its swaps before `sinceSlot` are counted as skipped, not ignored. */
  readonly isResumed: boolean;
  /** The last slot in which a transaction touched it; null: none yet. */
  touchedSlot: bigint | null;
};

/** A transaction of a slot, in the order of arrival. */
export type SlotEntry = {
  readonly signature: string;
  readonly reading: TransactionReading | null;
  /** The pools of the swaps in its log, if the transaction could not be read. */
  readonly inLog: readonly Address[];
};

export type SlotInput = {
  readonly pool: WatchedPool;
  readonly slot: bigint;
  readonly entries: readonly SlotEntry[];
  readonly versions: AccountVersions;
};

export type Judgement = Pick<JudgedSwap, "signature" | "signer" | "outcome"> & {
  /** What the swap was replayed on; null: not replayed, or on a state that no accounts held. */
  readonly ground: ReplayGround | null;
};

/** What a transaction did to one pool: a swap, or something else (null). */
type PoolEvent = {
  readonly signature: string;
  readonly signer: Address | null;
  readonly swap: SwapSeen<unknown> | null;
  /** Null: the transaction could not be read. */
  readonly reading: TransactionReading | null;
};

/** Judges the swaps of one pool in a slot, in their order. Records the slot in `touchedSlot`. */
export function judgeSlot(input: SlotInput): readonly Judgement[] {
  const { pool, slot } = input;
  const events = poolEventsOf(input);
  if (events.length === 0) return [];
  try {
    if (pool.sinceSlot !== null && slot >= pool.sinceSlot) return judgeEvents(input, events);
    return pool.isResumed ? skipEvents(events, "state-not-held") : [];
  } finally {
    // The transactions of an earlier slot may arrive later.
    if (pool.touchedSlot === null || slot > pool.touchedSlot) pool.touchedSlot = slot;
  }
}

/** The swaps of one pool in a slot, all of them skipped. */
export function skipSlot(
  input: Pick<SlotInput, "pool" | "entries">,
  reason: SkipReason,
): readonly Judgement[] {
  return skipEvents(poolEventsOf(input), reason);
}

function skipEvents(events: readonly PoolEvent[], reason: SkipReason): readonly Judgement[] {
  return events.flatMap(({ signature, signer, swap }) => {
    if (swap === null) return [];
    const own = swap.kind === "skipped" ? swap.reason : reason;
    return [{ signature, signer, outcome: { kind: "skipped", reason: own }, ground: null }];
  });
}

function judgeEvents(input: SlotInput, events: readonly PoolEvent[]): readonly Judgement[] {
  return input.pool.reader.setBefore === undefined
    ? judgeChain(input, events)
    : events.flatMap(({ swap, ...event }) =>
        swap === null ? [] : [judgeAlone(input, { ...event, swap })],
      );
}

function poolEventsOf({
  pool,
  entries,
}: Pick<SlotInput, "pool" | "entries">): readonly PoolEvent[] {
  const { address, venue } = pool.ref;
  const skip = (reason: SkipReason) => ({ kind: "skipped", pool: address, reason }) as const;
  return entries.flatMap(({ signature, reading, inLog }): readonly PoolEvent[] => {
    if (reading === null) {
      const swaps = inLog.filter((named) => named === address);
      return swaps.map(() => ({
        ...{ signature, signer: null, reading },
        swap: skip("transaction-unread"),
      }));
    }
    const signer = reading.feePayer;
    const swaps = reading.swaps.filter((swap) => swap.pool === address);
    const event = { signature, signer, reading };
    if (swaps.length > 0) return swaps.map((swap) => ({ ...event, swap }));
    if (reading.named?.has(address) !== true) return [];
    if (reading.unreadable.has(venue.programId))
      return [{ ...event, swap: skip("event-unreadable") }];
    // A truncated log may have contained its swap.
    return [{ ...event, swap: reading.isTruncated ? skip("transaction-unread") : null }];
  });
}

/** A swap whose event contains the reserves before it. */
function judgeAlone(
  { pool, slot, versions, entries }: SlotInput,
  { signature, signer, swap }: PoolEvent & { readonly swap: SwapSeen<unknown> },
): Judgement {
  if (swap.kind === "skipped") return { signature, signer, outcome: swap, ground: null };
  const blockTime = blockTimeOf(entries);
  const replayed = replayOnEvent({ ...pool, swap, slot, versions, blockTime });
  return {
    signature,
    signer: swap.trader ?? signer,
    outcome: outcomeOf(swap, replayed),
    ground: groundOf(replayed),
  };
}

/** Consecutive swaps: each is replayed on the state after the previous one. */
function judgeChain(input: SlotInput, events: readonly PoolEvent[]): readonly Judgement[] {
  const { pool, slot, versions, entries } = input;
  let state = isHeld(input) ? stateBefore({ ...pool, slot, versions }) : null;
  // An unread transaction may have changed any pool.
  let doubt: SkipReason | null = entries.some(({ reading }) => reading === null)
    ? "another-change"
    : null;
  const blockTime = blockTimeOf(entries);
  const judged: Judgement[] = [];
  for (const [place, { signature, signer, swap }] of events.entries()) {
    const last = events[place - 1];
    // What else its transaction changed is not part of the state after its swap.
    if (last !== undefined && last.signature !== signature && isChangedOtherwise(input, last))
      doubt ??= "another-change";
    if (swap === null || swap.kind === "skipped") {
      if (swap !== null) judged.push({ signature, signer, outcome: swap, ground: null });
      doubt ??= "another-change";
      continue;
    }
    if (doubt !== null) {
      judged.push({ signature, signer, outcome: { kind: "skipped", reason: doubt }, ground: null });
      continue;
    }
    const replayed = proven(replayOnState({ ...pool, swap, slot, versions, blockTime }, state), {
      input,
      events,
      place,
      swap,
    });
    // After another swap of its slot, its state was never held by accounts.
    const ground = judged.length === 0 ? groundOf(replayed) : null;
    const trader = swap.trader ?? signer;
    judged.push({ signature, signer: trader, outcome: outcomeOf(swap, replayed), ground });
    if (replayed.kind === "skipped") doubt = replayed.reason;
    else if (replayed.modelled !== swap.amountOut) doubt = "after-a-mismatch";
    else state = replayed.after;
  }
  return judged;
}

type ChainedSwap = {
  readonly input: SlotInput;
  readonly events: readonly PoolEvent[];
  /** Of the swap among the events. */
  readonly place: number;
  readonly swap: ReportedSwap;
};

/**
 * The replay, unless it is a mismatch that may come from the state: a transaction or an update may be late or
 * lost, and then the swap was executed on another state. The balances before its transaction show that.
 */
function proven(replayed: Replayed, { input, events, place, swap }: ChainedSwap): Replayed {
  if (replayed.kind === "skipped" || replayed.modelled === swap.amountOut) return replayed;
  const event = events[place];
  if (event === undefined) return replayed;
  if (isChangedOtherwise(input, event)) return { kind: "skipped", reason: "another-change" };
  const earlier = events.slice(0, place).findLast(({ signature }) => signature !== event.signature);
  return hasAmountsOf(input, event.reading, earlier?.reading ?? null)
    ? replayed
    : { kind: "skipped", reason: "state-not-held" };
}

function isChangedOtherwise({ pool }: SlotInput, { reading }: PoolEvent): boolean {
  return reading?.changedOtherwise.has(pool.ref.address) === true;
}

/**
 * Whether the pool's token accounts held before the transaction what they held after the last one of its slot,
 * or else at the start of the slot. Amounts that are not stated are not compared.
 */
function hasAmountsOf(
  { pool: { ref }, slot, versions }: SlotInput,
  reading: TransactionReading | null,
  earlier: TransactionReading | null,
): boolean {
  const known = versions.before(slot);
  return ref.venue.accountsNeeded(ref.address, known, ref.mint).every((address) => {
    const before = reading?.tokenAmounts?.get(address)?.before ?? null;
    const held = earlier?.tokenAmounts?.get(address)?.after ?? tokenBalance(known.get(address));
    return before === null || held === null || before === held;
  });
}

/** All transactions of a slot have its block time; some of them, read whole, state it. */
function blockTimeOf(entries: readonly SlotEntry[]): bigint | null {
  return entries.find(({ reading }) => reading?.blockTime != null)?.reading?.blockTime ?? null;
}

/** Whether the accounts held include the changes of the last transaction. */
function isHeld({ pool, slot, versions }: SlotInput): boolean {
  const heldSlot = versions.heldBefore(pool.ref.address, slot);
  return heldSlot !== null && (pool.touchedSlot === null || heldSlot >= pool.touchedSlot);
}

function groundOf(replayed: Replayed): ReplayGround | null {
  return replayed.kind === "replayed" ? replayed.ground : null;
}

function outcomeOf(
  { amountIn, amountOut }: Extract<SwapSeen<unknown>, { readonly kind: "reported" }>,
  replayed: Replayed,
): JudgedSwap["outcome"] {
  if (replayed.kind === "skipped") return replayed;
  const { inputMint, outputMint, modelled } = replayed;
  return { kind: "replayed", inputMint, outputMint, amountIn, executed: amountOut, modelled };
}
