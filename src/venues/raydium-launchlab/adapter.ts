import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { pairFilters, partnersOf } from "../shared/pool-search.ts";
import { allFeesPpm, transfersOf } from "../shared/reserve-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { Clock, PoolOutline, PoolSearch, Venue } from "../venue.ts";
import { launchAddress } from "./addresses.ts";
import { CURVES } from "./curve.ts";
import { decodeLaunchLab, decodeLaunchPool, type LaunchLabState } from "./decode.ts";
import { LAUNCHLAB_PROGRAM, POOL, VAULT_AUTHORITY } from "./layout.ts";
import { poolStatus, quoteExactIn, totalFeeRate } from "./quote.ts";

const PAIR_FIELDS = {
  programId: LAUNCHLAB_PROGRAM,
  dataSize: null,
  discriminator: POOL.discriminator,
  mintA: POOL.base_mint,
  mintB: POOL.quote_mint,
};

/** Raydium's launchpad. */
export const raydiumLaunchLab: Venue<LaunchLabState> = {
  id: "raydium-launchlab",
  family: "raydium",
  kind: "curve",
  programId: LAUNCHLAB_PROGRAM,
  vaultAuthority: VAULT_AUTHORITY,
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
  raised: ({ baseMint, realQuote }, mint) => (mint === baseMint ? realQuote : null),
  transfers,
  feePpm,
};

function search(mint: Address, pairedWith: Address | null): PoolSearch {
  return {
    derived: partnersOf(mint, pairedWith).map((quote) => launchAddress(mint, quote)),
    configured: () => [],
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

function accountsNeeded(address: Address, known: AccountSet): readonly Address[] {
  const pool = decodeLaunchPool(known.get(address));
  if (pool === null) return [address];
  return [
    address,
    pool.globalConfig,
    pool.platformConfig,
    pool.baseVault,
    pool.quoteVault,
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
function transfers(state: LaunchLabState, inputMint: Address): ChargedTransfers {
  const { quoteMint, baseTransferFee, quoteTransferFee } = state;
  return transfersOf(inputMint !== quoteMint, baseTransferFee, quoteTransferFee);
}

function feePpm(state: LaunchLabState, inputMint: Address, { epoch }: Clock): number {
  const side = { venue: raydiumLaunchLab, state, inputMint, epoch };
  return allFeesPpm(toNumber(totalFeeRate(state)), transfers(state, inputMint), side);
}
