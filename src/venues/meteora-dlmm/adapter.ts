import type { Address } from "#src/units/address.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { tokenBalance } from "../token/token-account.ts";
import type { TransferFeeSchedule } from "../token/transfer-fee.ts";
import type {
  Clock,
  PoolCaution,
  PoolOutline,
  PoolSearch,
  ProgramFilter,
  Venue,
} from "../venue.ts";
import { accountsNeeded, launchPairAddress, presetPairAddress, readPair } from "./accounts.ts";
import { decodePool } from "./decode.ts";
import { firstPayingBin, priceOf, reachableOut } from "./depth.ts";
import { openFastDlmm } from "./fast.ts";
import { accumulatorAt, feeRate, referencesAt } from "./fees.ts";
import { DLMM_PROGRAM, LB_PAIR } from "./layout.ts";
import { quoteExactIn, sideOf, statusOf } from "./quote.ts";
import type { Bin, DlmmState } from "./state.ts";

/** Bin step and base factor of the presets that most pairs are made from. */
const COMMON_PRESETS = [
  [1, 10_000],
  [2, 10_000],
  [4, 10_000],
  [5, 10_000],
  [10, 10_000],
  [15, 10_000],
  [20, 10_000],
  [25, 10_000],
  [50, 10_000],
  [80, 10_000],
  [100, 10_000],
  [125, 10_000],
  [200, 10_000],
  [250, 8_000],
  [400, 12_500],
] as const;
/** Fee rates are over 10^9; parts per million are over 10^6. */
const RATE_PER_PPM = 1_000n;
const PPM_PER_BPS = 100;
const PPM = 1_000_000;

/** Meteora DLMM: pairs of price bins (README.md in this folder). */
export const meteoraDlmm: Venue<DlmmState> = {
  id: "meteora-dlmm",
  family: "meteora",
  kind: "amm",
  programId: DLMM_PROGRAM,
  search,
  accountsNeeded,
  outline,
  shares: () => ({ kind: "unread-positions" }),
  decode: decodePool,
  status: statusOf,
  cautions,
  quoteExactIn,
  spotPrice,
  reachable: (state, inputMint, fallBps) => {
    const side = sideOf(state, inputMint);
    return side === null ? 0n : reachableOut(state, side, fallBps);
  },
  feePpm,
  openFast: openFastDlmm,
};

function cautions(state: DlmmState): readonly PoolCaution[] {
  const found: PoolCaution[] = [];
  if (state.hasDoubtfulOrders) found.push("doubtful-orders");
  if (state.isPartlyLoaded) found.push("partly-loaded");
  return found;
}

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const others = pairedWith === null ? [WSOL, USDC] : [pairedWith];
  return {
    derived: [],
    configured: () =>
      others.filter((other) => other !== mint).flatMap((other) => configuredPairs(mint, other)),
    filters: [
      pairFilter(LB_PAIR.tokenXMint, mint, pairedWith),
      pairFilter(LB_PAIR.tokenYMint, mint, pairedWith),
    ],
  };
}

/** The pair a launch makes, and those of the common presets. Others are found by filter. */
function configuredPairs(mint: Address, other: Address): readonly Address[] {
  return [
    launchPairAddress(mint, other),
    ...COMMON_PRESETS.map(([binStep, baseFactor]) =>
      presetPairAddress(mint, other, { binStep, baseFactor }),
    ),
  ];
}

function pairFilter(offset: number, mint: Address, pairedWith: Address | null): ProgramFilter {
  const otherOffset = offset === LB_PAIR.tokenXMint ? LB_PAIR.tokenYMint : LB_PAIR.tokenXMint;
  const memcmp = [{ offset, bytes: mint }];
  if (pairedWith !== null) memcmp.push({ offset: otherOffset, bytes: pairedWith });
  return { programId: DLMM_PROGRAM, dataSize: LB_PAIR.length, memcmp };
}

function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const pair = readPair(known.get(pool));
  if (pair === null) return null;
  return {
    mintA: pair.address(LB_PAIR.tokenXMint),
    mintB: pair.address(LB_PAIR.tokenYMint),
    heldA: tokenBalance(known.get(pair.address(LB_PAIR.reserveX))),
    heldB: tokenBalance(known.get(pair.address(LB_PAIR.reserveY))),
  };
}

function spotPrice(state: DlmmState, inputMint: Address): Ratio | null {
  const side = sideOf(state, inputMint);
  if (side === null) return null;
  const bin = firstPayingBin(state, side);
  return bin === null ? null : priceOf(bin, side);
}

function feePpm(state: DlmmState, inputMint: Address, clock: Clock): number {
  const side = sideOf(state, inputMint);
  const bin = side === null ? null : firstPayingBin(state, side);
  if (bin === null) return 0;
  const transferPpm = [state.transferFeeX, state.transferFeeY]
    .map((schedule) => transferFeeBps(schedule, clock.epoch) * PPM_PER_BPS)
    .reduce((sum, ppm) => sum + ppm, 0);
  return Math.min(poolFeePpm(state, bin, clock) + transferPpm, PPM);
}

function poolFeePpm(state: DlmmState, bin: Bin, clock: Clock): number {
  const { parameters, activeId, volatility } = state;
  try {
    const { unixTimestamp } = clock;
    const references = referencesAt(volatility, parameters, { activeId, unixTimestamp });
    const rate = feeRate(parameters, accumulatorAt(references, parameters, bin.id));
    return toNumber((rate + RATE_PER_PPM - 1n) / RATE_PER_PPM);
  } catch (error) {
    // The program can't compute its fee and refuses every swap: nothing is left of a first unit.
    if (error instanceof MathError) return PPM;
    throw error;
  }
}

function transferFeeBps(schedule: TransferFeeSchedule | null, epoch: bigint): number {
  if (schedule === null) return 0;
  return (epoch >= schedule.newer.epoch ? schedule.newer : schedule.older).feeBps;
}
