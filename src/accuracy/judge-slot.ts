import type { PoolRef } from "#src/track/open-pool.ts";
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
  /** From here on its accounts are known to be followed without a gap. */
  readonly sinceSlot: bigint;
  /** The last slot in which a transaction touched it; null: none yet. */
  touchedSlot: bigint | null;
};

/** A transaction of a slot, in the order in which they came. Null: it could not be read. */
export type SlotEntry = { readonly signature: string; reading: TransactionReading | null };

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
  const judged = slot < pool.sinceSlot ? [] : judgeSteps(input, steps);
  pool.touchedSlot = slot;
  return judged;
}

function judgeSteps(input: SlotInput, steps: readonly Step[]): readonly Judgement[] {
  return input.pool.reader.setBefore === undefined
    ? judgeChain(input, steps)
    : steps.flatMap(({ signature, swap }) =>
        swap === null ? [] : [judgeAlone(input, { signature, swap })],
      );
}

function stepsOf({ pool, entries }: SlotInput): readonly Step[] {
  const { address } = pool.ref;
  return entries.flatMap(({ signature, reading }): readonly Step[] => {
    if (reading === null) return [];
    const swaps = reading.swaps.filter((swap) => swap.pool === address);
    if (swaps.length > 0) return swaps.map((swap) => ({ signature, swap }));
    if (reading.named?.has(address) !== true) return [];
    // A log that was cut short may have held its swap.
    const unread = { kind: "skipped", pool: address, reason: "transaction-unread" } as const;
    return [{ signature, swap: reading.isTruncated ? unread : null }];
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
