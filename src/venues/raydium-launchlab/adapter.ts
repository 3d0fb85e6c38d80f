import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { transferFeeBps } from "../token/transfer-fee.ts";
import type { Clock, PoolOutline, PoolSearch, ProgramFilter, Venue } from "../venue.ts";
import { launchAddress } from "./addresses.ts";
import { CURVES } from "./curve.ts";
import { decodeLaunchLab, decodeLaunchPool, type LaunchLabState } from "./decode.ts";
import { openFastLaunchLab } from "./fast.ts";
import { LAUNCHLAB_PROGRAM, POOL } from "./layout.ts";
import { poolStatus, quoteExactIn, totalFeeRate } from "./quote.ts";

const PPM_PER_BPS = 100;

/** Raydium's launchpad. */
export const raydiumLaunchLab: Venue<LaunchLabState> = {
  id: "raydium-launchlab",
  family: "raydium",
  kind: "curve",
  programId: LAUNCHLAB_PROGRAM,
  search,
  accountsNeeded,
  outline,
  shares: () => ({ kind: "nobody" }),
  decode: decodeLaunchLab,
  status: poolStatus,
  cautions: () => [],
  quoteExactIn,
  spotPrice,
  reachable,
  feePpm,
  openFast: openFastLaunchLab,
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const quotes = pairedWith === null ? [WSOL, ...STABLE_MINTS] : [pairedWith];
  return {
    derived: quotes.filter((quote) => quote !== mint).map((quote) => launchAddress(mint, quote)),
    configured: () => [],
    filters: [
      poolFilter(POOL.base_mint, mint, POOL.quote_mint, pairedWith),
      poolFilter(POOL.quote_mint, mint, POOL.base_mint, pairedWith),
    ],
  };
}

function poolFilter(
  offset: number,
  mint: Address,
  otherOffset: number,
  pairedWith: Address | null,
): ProgramFilter {
  return {
    programId: LAUNCHLAB_PROGRAM,
    dataSize: null,
    memcmp: [
      { offset: 0, bytes: POOL.discriminator },
      { offset, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: otherOffset, bytes: pairedWith }]),
    ],
  };
}

function accountsNeeded(address: Address, known: AccountSet): readonly Address[] {
  const pool = decodeLaunchPool(known.get(address));
  if (pool === null) return [address];
  return [
    address,
    pool.globalConfig,
    pool.platformConfig,
    ...(pool.isBaseToken2022 ? [pool.baseMint] : []),
    ...(pool.isQuoteToken2022 ? [pool.quoteMint] : []),
  ];
}

/** From the pool's own books: its vaults hold fees and vested tokens besides. */
function outline(address: Address, known: AccountSet): PoolOutline | null {
  const pool = decodeLaunchPool(known.get(address));
  if (pool === null) return null;
  const left = pool.totalBaseSell - pool.realBase;
  return {
    mintA: pool.baseMint,
    mintB: pool.quoteMint,
    heldA: left < 0n ? null : left,
    heldB: pool.realQuote,
  };
}

function spotPrice(state: LaunchLabState, inputMint: Address): Ratio | null {
  if (!isPriced(state)) return null;
  const { numerator, denominator } = CURVES[state.kind].price(state);
  if (inputMint === state.quoteMint) {
    const isSoldOut = state.realBase >= state.totalBaseSell || numerator === 0n;
    return isSoldOut ? null : { numerator: denominator, denominator: numerator };
  }
  return state.realQuote === 0n || state.realBase === 0n ? null : { numerator, denominator };
}

function reachable(state: LaunchLabState, inputMint: Address, fallBps: number): bigint {
  if (!isPriced(state)) return 0n;
  if (inputMint !== state.quoteMint) {
    return minBigint(CURVES[state.kind].sellable(state, fallBps), state.realQuote);
  }
  const left = state.totalBaseSell - state.realBase;
  return left <= 0n ? 0n : minBigint(CURVES[state.kind].buyable(state, fallBps), left);
}

/** Whether the launch trades and its curve has a price at all. */
function isPriced({ status, kind, virtualBase, virtualQuote, realBase }: LaunchLabState): boolean {
  if (status !== "funding" || virtualBase === 0n) return false;
  if (kind === "fixed-price") return virtualQuote > 0n;
  return kind === "linear-price" || virtualBase > realBase;
}

/** What both sides' own mints charge for being moved is a fee of the sale, too. */
function feePpm(state: LaunchLabState, _inputMint: Address, { epoch }: Clock): number {
  const transferBps =
    transferFeeBps(state.baseTransferFee, epoch) + transferFeeBps(state.quoteTransferFee, epoch);
  return toNumber(totalFeeRate(state)) + transferBps * PPM_PER_BPS;
}
