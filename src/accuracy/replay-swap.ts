import { decodeClock } from "#src/track/chain-clock.ts";
import type { PoolRef } from "#src/track/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import type { Clock, ExactIn } from "#src/venues/venue.ts";
import type { AccountVersions } from "./account-versions.ts";
import { PatchedAccounts } from "./patched-accounts.ts";
import type { InputToken, SkipReason, SwapReader, SwapSeen } from "./swap-reader.ts";

type AnyReader = SwapReader<unknown, unknown>;
export type SwapTold = Extract<SwapSeen<unknown>, { readonly kind: "told" }>;

/** What our model makes of a swap that was executed. */
export type Replayed =
  | { readonly kind: "skipped"; readonly reason: SkipReason }
  | {
      readonly kind: "replayed";
      readonly inputMint: Address;
      readonly outputMint: Address;
      /** Null: the model refuses what the program did. */
      readonly modelled: bigint | null;
      readonly ground: ReplayGround;
      /** The pool after it, where the model fills it. */
      readonly after: unknown;
    };

/** The accounts and the clock that a swap was replayed on. */
export type ReplayGround = { readonly known: AccountSet; readonly clock: Clock };

export type Replay = {
  readonly reader: AnyReader;
  readonly ref: PoolRef;
  readonly swap: SwapTold;
  readonly slot: bigint;
  readonly versions: AccountVersions;
};

/** The pool as it stood when the slot began; null where that is not held whole. */
export function stateBefore({ reader, ref, slot, versions }: Omit<Replay, "swap">): unknown {
  return decoded(reader, ref, versions.before(slot));
}

/** Replays a swap that tells the reserves before it, on whatever else the pool held before its slot. */
export function replayOnEvent(replay: Replay): Replayed {
  const { versions, slot } = replay;
  const first = replayAt(replay, atEvent(replay, versions.before(slot)));
  if (first.kind === "skipped" || first.modelled === replay.swap.amountOut) return first;
  // Where fees changed within the slot nobody knows which of both this swap paid.
  const second = replayAt(replay, atEvent(replay, versions.before(slot + 1n)));
  const isAmbiguous = second.kind === "replayed" && second.modelled === replay.swap.amountOut;
  return isAmbiguous ? { kind: "skipped", reason: "another-change" } : first;
}

/** Replays a swap on a state that is known to be the one before it. */
export function replayOnState(replay: Replay, state: unknown): Replayed {
  const { reader, swap, versions, slot } = replay;
  if (state !== null && reader.agrees?.(state, swap.before) === false) {
    return { kind: "skipped", reason: "state-not-held" };
  }
  return replayOn(replay, state, versions.before(slot));
}

function atEvent({ reader, ref, swap }: Replay, known: AccountSet): AccountSet {
  const accounts = new PatchedAccounts(known);
  reader.setBefore?.(accounts, ref.address, swap.before);
  return accounts;
}

function replayAt(replay: Replay, known: AccountSet): Replayed {
  return replayOn(replay, decoded(replay.reader, replay.ref, known), known);
}

function decoded({ venue }: AnyReader, ref: PoolRef, known: AccountSet): unknown {
  const result = venue.decode(ref.address, known, ref.mint);
  return result.kind === "pool" ? result.state : null;
}

function replayOn(replay: Replay, state: unknown, known: AccountSet): Replayed {
  const { reader, ref, swap } = replay;
  const pair = reader.venue.outline(ref.address, known, ref.mint);
  if (state === null || pair === null) return { kind: "skipped", reason: "state-not-held" };
  const clock = clockOf(replay);
  if (clock === null) return { kind: "skipped", reason: "clock-unknown" };
  const ground = { known, clock };
  const inputMint = inputMintOf(swap.input, { pair, account: known.get(ref.address)?.data });
  if (inputMint === null) return { kind: "skipped", reason: "state-not-held" };
  const outputMint = inputMint === pair.mintA ? pair.mintB : pair.mintA;
  const order: ExactIn = { inputMint, amountIn: swap.amountIn, clock };
  const quote = reader.venue.quoteExactIn(state, order);
  if (quote.kind === "unfillable") {
    const isBeyond =
      quote.reason === "insufficient-liquidity" &&
      reader.venue.cautions(state).includes("partly-loaded");
    if (isBeyond) return { kind: "skipped", reason: "beyond-loaded" };
    const modelled = quote.partlyPaid ?? null;
    return { kind: "replayed", inputMint, outputMint, modelled, ground, after: null };
  }
  const modelled = reader.told === undefined ? quote.amountOut : reader.told(state, order);
  return { kind: "replayed", inputMint, outputMint, modelled, ground, after: quote.after };
}

/** The chain's clock at the slot: as its account had it, else as the event tells the time. */
function clockOf({ versions, slot, swap }: Replay): Clock | null {
  const clock = decodeClock(versions.before(slot + 1n).get(CLOCK_SYSVAR));
  if (clock === null || clock.slot === slot) return clock;
  const { unixTimestamp } = swap;
  return unixTimestamp === null ? null : { slot, unixTimestamp, epoch: clock.epoch };
}

function inputMintOf(
  input: InputToken,
  {
    pair,
    account,
  }: {
    readonly pair: { readonly mintA: Address; readonly mintB: Address };
    readonly account: Uint8Array | undefined;
  },
): Address | null {
  if ("mint" in input) return [pair.mintA, pair.mintB].find((mint) => mint === input.mint) ?? null;
  if ("side" in input) return input.side === "a" ? pair.mintA : pair.mintB;
  if (account === undefined || account.length < Math.max(input.atA, input.atB) + 32) return null;
  const reader = new ByteReader(account);
  if (reader.address(input.atA) === input.named) return pair.mintA;
  return reader.address(input.atB) === input.named ? pair.mintB : null;
}
