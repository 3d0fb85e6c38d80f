import type { PoolRef } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import { mulDivCeil, mulDivFloor } from "#src/units/integer.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { PatchedAccounts } from "#src/venues/patched-accounts.ts";
import type {
  ExactOut,
  InputToken,
  SkipReason,
  SwapReader,
  SwapSeen,
} from "#src/venues/swap-reader.ts";
import type { ChainPlace, Clock, ExactIn, Quote } from "#src/venues/venue.ts";
import type { AccountVersions } from "./account-versions.ts";
import { swapClocks } from "./swap-clocks.ts";

type AnyReader = SwapReader<unknown, unknown>;
export type ReportedSwap = Extract<SwapSeen<unknown>, { readonly kind: "reported" }>;

/** The result of replaying an executed swap with our model. */
export type Replayed =
  | { readonly kind: "skipped"; readonly reason: SkipReason }
  | {
      readonly kind: "replayed";
      readonly inputMint: Address;
      readonly outputMint: Address;
      /** Null: the model refuses a swap that the program executed. */
      readonly modelled: bigint | null;
      /** Null for an exact-out order and for a hop with a place, which `verify` does not replay. */
      readonly ground: ReplayGround | null;
      /** The pool state after the swap; null if the model refuses it. */
      readonly after: unknown;
    };

/** The accounts and the clock that a swap was replayed on. */
export type ReplayGround = { readonly known: AccountSet; readonly clock: Clock };

export type SwapReplay = {
  readonly reader: AnyReader;
  readonly ref: PoolRef;
  readonly swap: ReportedSwap;
  readonly slot: bigint;
  readonly versions: AccountVersions;
  /** The block time that a transaction of the slot stated; null: none did. */
  readonly blockTime: bigint | null;
};

/** The pool state at the start of the slot; null if not all of it is held. */
export function stateBefore({
  reader,
  ref,
  slot,
  versions,
}: Omit<SwapReplay, "swap" | "blockTime">): unknown {
  return decoded(reader, ref, versions.before(slot));
}

/** Replays a swap whose event contains the reserves before it; the rest of the state is from before its slot. */
export function replayOnEvent(replay: SwapReplay): Replayed {
  const { versions, slot } = replay;
  const first = replayAt(replay, atEvent(replay, versions.before(slot)));
  if (first.kind === "skipped" || first.modelled === replay.swap.amountOut) return first;
  // If fees changed within the slot, perhaps more than once, it is unknown which fee this swap paid.
  const second = replayAt(replay, atEvent(replay, versions.before(slot + 1n)));
  const isChanged = second.kind === "replayed" && second.modelled !== first.modelled;
  return isChanged ? { kind: "skipped", reason: "another-change" } : first;
}

/** Replays a swap on the state that is known to precede it. */
export function replayOnState(replay: SwapReplay, state: unknown): Replayed {
  const { reader, swap, versions, slot } = replay;
  if (state !== null && reader.agrees?.(state, swap.before) === false) {
    return { kind: "skipped", reason: "state-not-held" };
  }
  return replayOn(replay, state, versions.before(slot));
}

function atEvent({ reader, ref, swap }: SwapReplay, known: AccountSet): AccountSet {
  const accounts = new PatchedAccounts(known);
  reader.setBefore?.(accounts, ref.address, swap.before);
  return accounts;
}

function replayAt(replay: SwapReplay, known: AccountSet): Replayed {
  return replayOn(replay, decoded(replay.reader, replay.ref, known), known);
}

function decoded({ venue }: AnyReader, ref: PoolRef, known: AccountSet): unknown {
  const result = venue.decode(ref.address, known, ref.mint);
  return result.kind === "pool" ? result.state : null;
}

/**
 * On each clock that the chain may have had. One of them that is exact is the one; where none is and they
 * differ, the clock is unknown.
 */
function replayOn(replay: SwapReplay, state: unknown, known: AccountSet): Replayed {
  const { swap, versions, slot } = replay;
  const stated = swap.unixTimestamp ?? replay.blockTime;
  const replays = swapClocks(versions, slot, stated).map((clock) =>
    replayAtClock(replay, { state, known, clock }),
  );
  const [first, ...others] = replays;
  if (first === undefined) return { kind: "skipped", reason: "clock-unknown" };
  const exact = replays.find((one) => one.kind === "replayed" && one.modelled === swap.amountOut);
  if (exact !== undefined || others.length === 0) return exact ?? first;
  const amount = (one: Replayed) => (one.kind === "replayed" ? one.modelled : one.reason);
  const isSame = others.every((one) => amount(one) === amount(first));
  return isSame ? first : { kind: "skipped", reason: "clock-unknown" };
}

function replayAtClock(
  replay: SwapReplay,
  { state, known, clock }: ReplayGround & { readonly state: unknown },
): Replayed {
  const { reader, ref, swap } = replay;
  const pair = reader.venue.outline(ref.address, known, ref.mint);
  if (state === null || pair === null) return { kind: "skipped", reason: "state-not-held" };
  const ground = swap.place === undefined ? { known, clock } : null;
  const inputMint = inputMintOf(swap.input, { pair, account: known.get(ref.address)?.data });
  if (inputMint === null) return { kind: "skipped", reason: "state-not-held" };
  const outputMint = inputMint === pair.mintA ? pair.mintB : pair.mintA;
  if (swap.isExactOut === true) {
    const modelled = exactOutModelled(replay, state, { inputMint, clock });
    if (modelled === "other-terms") return { kind: "skipped", reason: modelled };
    return { kind: "replayed", inputMint, outputMint, modelled, ground: null, after: null };
  }
  const order: ExactIn = { inputMint, amountIn: swap.amountIn, clock };
  const quote = quoteOnTerms(reader, state, { order, place: swap.place ?? null });
  if (quote === null) return { kind: "skipped", reason: "other-terms" };
  if (quote.kind === "unfillable") {
    const isBeyond =
      quote.reason === "insufficient-liquidity" &&
      reader.venue.cautions(state).includes("partly-loaded");
    if (isBeyond) return { kind: "skipped", reason: "beyond-loaded" };
    const modelled = quote.partlyPaid ?? null;
    return { kind: "replayed", inputMint, outputMint, modelled, ground, after: null };
  }
  const modelled =
    reader.reportedOutput === undefined ? quote.amountOut : reader.reportedOutput(state, order);
  return { kind: "replayed", inputMint, outputMint, modelled, ground, after: quote.after };
}

/**
 * An order that named its output, in terms of that output: what the amount that was charged buys at the
 * modelled cost. Rounded so that it equals what was executed only if the cost is modelled exactly.
 */
function exactOutModelled(
  { reader, swap: { amountIn, amountOut } }: SwapReplay,
  state: unknown,
  order: Omit<ExactOut, "amountOut">,
): bigint | null | "other-terms" {
  const cost = reader.costExactOut?.(state, { ...order, amountOut }) ?? "other-terms";
  if (cost === "refused") return null;
  if (cost === "other-terms") return cost;
  return cost >= amountIn
    ? mulDivFloor(amountOut, amountIn, cost)
    : mulDivCeil(amountOut, amountIn, cost);
}

/** By the instruction that executed it; null where the venue does not model that instruction here. */
function quoteOnTerms(
  { venue, quoteHop }: AnyReader,
  state: unknown,
  { order, place }: { readonly order: ExactIn; readonly place: ChainPlace | null },
): Quote<unknown> | null {
  if (place === null) return venue.quoteExactIn(state, order);
  return quoteHop?.(state, order, place) ?? null;
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
