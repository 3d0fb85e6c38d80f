import type { Address } from "#src/units/address.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { pairFilters, partnersOf } from "../shared/pool-search.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import { allFeesPpm, transfersOf, vaultsOutline } from "../shared/reserve-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { Clock, PoolCaution, PoolOutline, PoolSearch, Venue } from "../venue.ts";
import { accountsNeeded, launchPairAddress, presetPairAddress, readPair } from "./accounts.ts";
import { decodePool } from "./decode.ts";
import { firstPayingBin, priceOf, reachableOut } from "./depth.ts";
import { openFastDlmm } from "./fast.ts";
import { accumulatorAt, feeRate, referencesAt } from "./fees.ts";
import { DLMM_PROGRAM, LB_PAIR } from "./layout.ts";
import { liquidityShares, withdrawPositions } from "./positions.ts";
import { quoteExactIn, sideOf, statusOf } from "./quote.ts";
import type { DlmmState } from "./state.ts";

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
const PPM = 1_000_000;
const PAIR_FIELDS = {
  programId: DLMM_PROGRAM,
  dataSize: LB_PAIR.length,
  discriminator: null,
  mintA: LB_PAIR.tokenXMint,
  mintB: LB_PAIR.tokenYMint,
};

/** Meteora DLMM: pairs of price bins (README.md in this folder). */
export const meteoraDlmm: Venue<DlmmState> = {
  id: "meteora-dlmm",
  family: "meteora",
  kind: "amm",
  programId: DLMM_PROGRAM,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode: decodePool,
  status: statusOf,
  cautions,
  quoteExactIn,
  spotPrice,
  reachable: (state, inputMint, fallBps) => {
    const side = sideOf(state, inputMint);
    return side === null ? 0n : reachableOut(state, side, fallBps);
  },
  transfers,
  feePpm,
  withdrawPositions,
  openFast: openFastDlmm,
};

function cautions(state: DlmmState): readonly PoolCaution[] {
  const found: PoolCaution[] = [];
  if (state.hasDoubtfulOrders) found.push("doubtful-orders");
  if (state.isPartlyLoaded) found.push("partly-loaded");
  return found;
}

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const partners = partnersOf(mint, pairedWith, [WSOL, USDC]);
  return {
    derived: [],
    configured: () => partners.flatMap((partner) => configuredPairs(mint, partner)),
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
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

function outline(pool: Address, known: AccountSet): PoolOutline | null {
  const pair = readPair(known.get(pool));
  if (pair === null) return null;
  return vaultsOutline(known, {
    mintA: pair.address(LB_PAIR.tokenXMint),
    mintB: pair.address(LB_PAIR.tokenYMint),
    vaultA: pair.address(LB_PAIR.reserveX),
    vaultB: pair.address(LB_PAIR.reserveY),
  });
}

function spotPrice(state: DlmmState, inputMint: Address): Ratio | null {
  const side = sideOf(state, inputMint);
  if (side === null) return null;
  const bin = firstPayingBin(state, side);
  return bin === null ? null : priceOf(bin, side);
}

function transfers(
  { mintX, transferFeeX, transferFeeY }: DlmmState,
  inputMint: Address,
): ChargedTransfers {
  return transfersOf(inputMint === mintX, transferFeeX, transferFeeY);
}

function feePpm(state: DlmmState, inputMint: Address, clock: Clock): number {
  const side = sideOf(state, inputMint);
  if (side === null) return 0;
  const binId = firstPayingBin(state, side)?.id ?? state.activeId;
  const sold = { venue: meteoraDlmm, state, inputMint, epoch: clock.epoch };
  return allFeesPpm(poolFeePpm(state, binId, clock), transfers(state, inputMint), sold);
}

function poolFeePpm(state: DlmmState, binId: number, clock: Clock): number {
  const { parameters, activeId, volatility } = state;
  const { unixTimestamp } = clock;
  const feePpm = nullOnMathError(() => {
    const references = referencesAt(volatility, parameters, { activeId, unixTimestamp });
    const rate = feeRate(parameters, accumulatorAt(references, parameters, binId));
    return toNumber((rate + RATE_PER_PPM - 1n) / RATE_PER_PPM);
  });
  // The program can't compute its fee and refuses every swap: nothing is left of a first unit.
  return feePpm ?? PPM;
}
