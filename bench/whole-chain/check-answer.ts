import { exitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { marketFromAccounts } from "#src/core/market-from-accounts.ts";
import { assess } from "#src/measure/assess.ts";
import { parseSize } from "#src/measure/questions/requested-size.ts";
import { blockTimeMs, clockOf } from "#src/track/pools/chain-clock.ts";
import type { Address } from "#src/units/address.ts";
import type { ChainPast } from "./chain-past.ts";

/** The figures of an answer that follow from accounts, slot and clock alone. */
export type AnswerFigures = {
  readonly depth_sol: number | null;
  readonly precio_mid: number | null;
  readonly score: number | null;
  readonly exit_max_sol: number | null;
  readonly slippage: { readonly all: Readonly<Record<string, number | null>> };
};

export type CheckOrder = {
  readonly mint: Address;
  readonly pools: readonly Address[];
  /** The slot that the answer claims, and its time. */
  readonly slot: number;
  readonly updatedAtMs: number;
  readonly figures: AnswerFigures;
};

/** `slotTimeMs`: the block time of the claimed slot. */
export type CheckResult =
  /** The figures are those of a slot so many slots after the claimed one. */
  | { readonly kind: "equal"; readonly slotTimeMs: number; readonly slotsAfter: number }
  /** They are those of an earlier slot: the answer is older than it claims. */
  | { readonly kind: "older"; readonly slotTimeMs: number; readonly slotsBefore: number }
  /** They are those of no recent slot. */
  | { readonly kind: "different"; readonly slotTimeMs: number; readonly expected: AnswerFigures }
  /** The claimed slot is no longer kept here. */
  | { readonly kind: "unknown" };

const SIZE = parseSize("1");
const NO_CLOCK = { slot: 0n, unixTimestamp: 0n, epoch: 0n };

/** Measures the token again from the chain's own accounts at the claimed slot, and at those around it. */
export function checkAnswer(past: ChainPast, order: CheckOrder): CheckResult {
  const claimed = BigInt(order.slot);
  const { oldest } = past;
  if (oldest === null || claimed < oldest) return { kind: "unknown" };
  const answered = textOf(order.figures);
  // No slot is claimed before it was played.
  if (past.slotsFrom(claimed).length === 0) return { kind: "unknown" };
  // A slot that was left out has the accounts of the one before it.
  const candidates = [claimed, ...past.slotsFrom(claimed + 1n)];
  const slotTimeMs = blockTimeMs(clockOf(past.at(claimed)) ?? NO_CLOCK);
  for (const [slotsAfter, slot] of candidates.entries()) {
    if (textOf(figuresAt(past, order, slot)) === answered)
      return { kind: "equal", slotTimeMs, slotsAfter };
  }
  const earlier = past.slotsFrom(0n).filter((slot) => slot < claimed);
  for (const [place, slot] of earlier.toReversed().entries()) {
    if (textOf(figuresAt(past, order, slot)) === answered)
      return { kind: "older", slotTimeMs, slotsBefore: place + 1 };
  }
  return { kind: "different", slotTimeMs, expected: figuresAt(past, order, claimed) };
}

function figuresAt(past: ChainPast, { mint, pools }: CheckOrder, slot: bigint): AnswerFigures {
  const accounts = past.at(slot);
  const assessment = assess(
    marketFromAccounts({
      ...{ mint, pools, accounts, isSearchComplete: true },
      ...{ nowMs: Date.now(), historySeconds: 1_000 },
    }),
  );
  if (SIZE === null) throw new RangeError("1 SOL is a size");
  return exitabilityBody({
    ...{ assessment, trend: "stable", isDeteriorating: false },
    ...{ profile: "retail", size: SIZE, language: "en" },
  });
}

function textOf({ depth_sol, precio_mid, score, exit_max_sol, slippage }: AnswerFigures): string {
  return JSON.stringify([depth_sol, precio_mid, score, exit_max_sol, slippage.all]);
}
