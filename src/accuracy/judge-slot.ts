import type { PoolRef } from "#src/track/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountVersions } from "./account-versions.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import type { TransactionReading } from "./read-transaction.ts";
import {
  type Replayed,
  type ReplayGround,
  replayOnEvent,
  replayOnState,
  stateBefore,
} from "./replay-swap.ts";
import type { SkipReason, SwapReader, SwapSeen } from "./swap-reader.ts";

/** A pool whose swaps are watched. */
export type WatchedPool = {
  readonly ref: PoolRef;
  readonly reader: SwapReader<unknown, unknown>;
  /** From here on its accounts are known to be followed without a gap; null: not yet known. */
  readonly sinceSlot: bigint | null;
  /** It was followed before a gap: its swaps until `sinceSlot` are skipped, rather than not yet its own. */
  readonly isResumed: boolean;
  /** The last slot in which a transaction touched it; null: none yet. */
  touchedSlot: bigint | null;
};

/** A transaction of a slot, in the order in which they came. */
export type SlotEntry = {
  readonly signature: string;
  readonly reading: TransactionReading | null;
  /** The pools of swaps that its log names, where it could not be read. */
  readonly inLog: readonly Address[];
};

export type SlotInput = {
  readonly pool: WatchedPool;
  readonly slot: bigint;
  readonly entries: readonly SlotEntry[];
  readonly versions: AccountVersions;
};

export type Judgement = Pick<JudgedSwap, "signature" | "outcome"> & {
  /** What it was replayed on; null: it was not, or on a state that no accounts held. */
  readonly ground: ReplayGround | null;
};

/** What happened to one pool: a swap, or something else. */
type Step = { readonly signature: string; readonly swap: SwapSeen<unknown> | null };

/** Judges the swaps that a slot brought to one pool, in their order. Marks the slot as touching it. */
export function judgeSlot(input: SlotInput): readonly Judgement[] {
  const { pool, slot } = input;
  const steps = stepsOf(input);
  if (steps.length === 0) return [];
  try {
    if (pool.sinceSlot !== null && slot >= pool.sinceSlot) return judgeSteps(input, steps);
    return pool.isResumed ? skipSteps(steps, "state-not-held") : [];
  } finally {
    pool.touchedSlot = slot;
  }
}

/** The swaps that a slot brought to one pool, none of them replayed. */
export function skipSlot(
  input: Pick<SlotInput, "pool" | "entries">,
  reason: SkipReason,
): readonly Judgement[] {
  return skipSteps(stepsOf(input), reason);
}

function skipSteps(steps: readonly Step[], reason: SkipReason): readonly Judgement[] {
  return steps.flatMap(({ signature, swap }) => {
    if (swap === null) return [];
    const own = swap.kind === "skipped" ? swap.reason : reason;
    return [{ signature, outcome: { kind: "skipped", reason: own }, ground: null }];
  });
}

function judgeSteps(input: SlotInput, steps: readonly Step[]): readonly Judgement[] {
  return input.pool.reader.setBefore === undefined
    ? judgeChain(input, steps)
    : steps.flatMap(({ signature, swap }) =>
        swap === null ? [] : [judgeAlone(input, { signature, swap })],
      );
}

function stepsOf({ pool, entries }: Pick<SlotInput, "pool" | "entries">): readonly Step[] {
  const { address, venue } = pool.ref;
  const skip = (reason: SkipReason) => ({ kind: "skipped", pool: address, reason }) as const;
  return entries.flatMap(({ signature, reading, inLog }): readonly Step[] => {
    if (reading === null) {
      const swaps = inLog.filter((named) => named === address);
      return swaps.map(() => ({ signature, swap: skip("transaction-unread") }));
    }
    const swaps = reading.swaps.filter((swap) => swap.pool === address);
    if (swaps.length > 0) return swaps.map((swap) => ({ signature, swap }));
    if (reading.named?.has(address) !== true) return [];
    if (reading.unreadable.has(venue.programId))
      return [{ signature, swap: skip("event-unreadable") }];
    // A log that was cut short may have held its swap.
    return [{ signature, swap: reading.isTruncated ? skip("transaction-unread") : null }];
  });
}

/** A swap whose event tells the reserves before it. */
function judgeAlone(
  { pool, slot, versions }: SlotInput,
  { signature, swap }: { readonly signature: string; readonly swap: SwapSeen<unknown> },
): Judgement {
  if (swap.kind === "skipped") return { signature, outcome: swap, ground: null };
  const replayed = replayOnEvent({ ...pool, swap, slot, versions });
  return { signature, outcome: outcomeOf(swap, replayed), ground: groundOf(replayed) };
}

/** Swaps that rest on each other: each leaves the state on which the next is replayed. */
function judgeChain(input: SlotInput, steps: readonly Step[]): readonly Judgement[] {
  const { pool, slot, versions, entries } = input;
  let state = isHeld(input) ? stateBefore({ ...pool, slot, versions }) : null;
  // A transaction that nobody could read may have touched any pool.
  let doubt: SkipReason | null = entries.some(({ reading }) => reading === null)
    ? "another-change"
    : null;
  const judged: Judgement[] = [];
  for (const { signature, swap } of steps) {
    if (swap === null || swap.kind === "skipped") {
      if (swap !== null) judged.push({ signature, outcome: swap, ground: null });
      doubt ??= "another-change";
      continue;
    }
    if (doubt !== null) {
      judged.push({ signature, outcome: { kind: "skipped", reason: doubt }, ground: null });
      continue;
    }
    const replayed = replayOnState({ ...pool, swap, slot, versions }, state);
    // Behind another swap of its slot it rests on a state that no accounts held.
    const ground = judged.length === 0 ? groundOf(replayed) : null;
    judged.push({ signature, outcome: outcomeOf(swap, replayed), ground });
    if (replayed.kind === "skipped") doubt = replayed.reason;
    else if (replayed.modelled !== swap.amountOut) doubt = "after-a-mismatch";
    else state = replayed.after;
  }
  return judged;
}

/** Whether what the last transaction left has reached us, so that nothing lies between. */
function isHeld({ pool, slot, versions }: SlotInput): boolean {
  const heldSlot = versions.heldBefore(pool.ref.address, slot);
  return heldSlot !== null && (pool.touchedSlot === null || heldSlot >= pool.touchedSlot);
}

function groundOf(replayed: Replayed): ReplayGround | null {
  return replayed.kind === "replayed" ? replayed.ground : null;
}

function outcomeOf(
  { amountIn, amountOut }: Extract<SwapSeen<unknown>, { readonly kind: "told" }>,
  replayed: Replayed,
): JudgedSwap["outcome"] {
  if (replayed.kind === "skipped") return replayed;
  const { inputMint, outputMint, modelled } = replayed;
  return { kind: "replayed", inputMint, outputMint, amountIn, executed: amountOut, modelled };
}
