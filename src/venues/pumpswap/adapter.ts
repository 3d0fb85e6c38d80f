import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { STABLE_MINTS, USDC, WSOL } from "#src/units/known-addresses.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { constantProductReachable } from "../curves/constant-product.ts";
import { paidForShares, type ShareOfPool } from "../liquidity-shares.ts";
import { tokenBalance } from "../token/token-account.ts";
import type { PoolOutline, PoolSearch, PoolStatus, ProgramFilter, Venue } from "../venue.ts";
import { poolAddress, poolAuthority } from "./addresses.ts";
import { decodePool, decodePumpSwap, liquidityShares, type PumpSwapState } from "./decode.ts";
import { openFastPumpSwap } from "./fast.ts";
import {
  GLOBAL_CONFIG_ADDRESS,
  POOL,
  POOL_FEE_CONFIG_ADDRESS,
  PUMPSWAP_PROGRAM,
} from "./layout.ts";
import { effectiveQuote, poolRates, quoteExactIn } from "./quote.ts";

/** PumpSwap: the pools that pump coins graduate to, and those that anyone creates. */
export const pumpSwap: Venue<PumpSwapState> = {
  id: "pumpswap",
  family: "pump",
  kind: "amm",
  programId: PUMPSWAP_PROGRAM,
  search,
  accountsNeeded,
  outline,
  shares: liquidityShares,
  decode: decodePumpSwap,
  status,
  cautions: ({ isMayhem }) => (isMayhem ? ["rewritable-reserves"] : []),
  quoteExactIn,
  spotPrice,
  reachable,
  withdraw,
  feePpm,
  openFast: openFastPumpSwap,
};

/** What curves are quoted in where SOL or a stable comes out: a graduated pool keeps its curve's quote. */
const CANONICAL_QUOTES = [WSOL, USDC] as const;

/** A coin may stand on either side: strangers' pools often have SOL as their base. */
function search(mint: Address, pairedWith: Address | null): PoolSearch {
  const quotes = CANONICAL_QUOTES.filter(
    (quote) => quote !== mint && (pairedWith === null || quote === pairedWith),
  );
  const creator = quotes.length === 0 ? null : poolAuthority(mint);
  return {
    derived:
      creator === null
        ? []
        : quotes.map((quoteMint) => poolAddress({ index: 0, creator, baseMint: mint, quoteMint })),
    configured: () => [],
    filters: [
      poolFilter(POOL.base_mint, mint, POOL.quote_mint, pairedWith),
      poolFilter(POOL.quote_mint, mint, POOL.base_mint, pairedWith),
    ],
  };
}

/** By discriminator, not by size: pools of several lengths exist. */
function poolFilter(
  offset: number,
  mint: Address,
  otherOffset: number,
  pairedWith: Address | null,
): ProgramFilter {
  return {
    programId: PUMPSWAP_PROGRAM,
    dataSize: null,
    memcmp: [
      { offset: 0, bytes: POOL.discriminator },
      { offset, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: otherOffset, bytes: pairedWith }]),
    ],
  };
}

function accountsNeeded(address: Address, known: AccountSet): readonly Address[] {
  const pool = decodePool(known.get(address));
  const shared = [address, GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS];
  if (pool === null) return shared;
  return [...shared, pool.baseVault, pool.quoteVault, pool.baseMint, pool.quoteMint];
}

function outline(address: Address, known: AccountSet): PoolOutline | null {
  const pool = decodePool(known.get(address));
  if (pool === null) return null;
  return {
    mintA: pool.baseMint,
    mintB: pool.quoteMint,
    heldA: tokenBalance(known.get(pool.baseVault)),
    heldB: tokenBalance(known.get(pool.quoteVault)),
  };
}

/** Whether the side that is no money can be sold: in an inverted pool that is the program's buy. */
function status(state: PumpSwapState): PoolStatus {
  const isInverted = moneyRank(state.baseMint) > moneyRank(state.quoteMint);
  return (isInverted ? state.isBuyDisabled : state.isSellDisabled) ? "paused" : "open";
}

function moneyRank(mint: Address): number {
  if (mint === WSOL) return 2;
  return STABLE_MINTS.some((stable) => stable === mint) ? 1 : 0;
}

function spotPrice(state: PumpSwapState, inputMint: Address): Ratio | null {
  const quote = effectiveQuote(state);
  const { baseReserve, quoteReserve } = state;
  if (baseReserve === 0n || quoteReserve === 0n || quote <= 0n) return null;
  return inputMint === state.baseMint
    ? { numerator: quote, denominator: baseReserve }
    : { numerator: baseReserve, denominator: quote };
}

function reachable(state: PumpSwapState, inputMint: Address, fallBps: number): bigint {
  const quote = effectiveQuote(state);
  const { baseReserve, quoteReserve } = state;
  if (baseReserve === 0n || quoteReserve === 0n || quote <= 0n) return 0n;
  return inputMint === state.baseMint
    ? minBigint(constantProductReachable(quote, fallBps), quoteReserve)
    : constantProductReachable(baseReserve, fallBps);
}

/**
 * Both vaults in proportion, rounded down, as the SDK has it. A pool with a virtual reserve refuses
 * withdrawals while it can boost (6064); what it would leave afterwards nobody has recorded.
 */
function withdraw(state: PumpSwapState, part: ShareOfPool): PumpSwapState | null {
  if (state.virtualQuote !== 0n) return null;
  try {
    return {
      ...state,
      baseReserve: state.baseReserve - paidForShares(state.baseReserve, part),
      quoteReserve: state.quoteReserve - paidForShares(state.quoteReserve, part),
    };
  } catch (error) {
    if (error instanceof MathError) return null;
    throw error;
  }
}

function feePpm(state: PumpSwapState): number {
  const { lpBps, protocolBps, creatorBps } = poolRates(state);
  return toNumber(lpBps + protocolBps + creatorBps) * 100;
}
