import type { Address } from "#src/units/address.ts";
import { maxBigint, minBigint } from "#src/units/integer.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { AccountSet } from "../account-set.ts";
import { paidForShares, type ShareOfPool } from "../liquidity-shares.ts";
import { constantProductReachable } from "../shared/curves/constant-product.ts";
import { moneyRank, pairFilters } from "../shared/pool-search.ts";
import {
  MULTI_HOP_SWAP,
  ratesInChain,
  SINGLE_SALE,
  tradeFeePpm,
} from "../shared/pump-fees/fee-config.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import { allFeesPpm, transfersOf, vaultsOutline } from "../shared/reserve-pool.ts";
import { associatedTokenAddress } from "../shared/token/associated-token.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { ChainPlace, Clock, PoolOutline, PoolSearch, PoolStatus, Venue } from "../venue.ts";
import { poolAddress, poolAuthority } from "./addresses.ts";
import { decodePool, decodePumpSwap, liquidityShares, type PumpSwapState } from "./decode.ts";
import {
  GLOBAL_CONFIG_ADDRESS,
  POOL,
  POOL_FEE_CONFIG_ADDRESS,
  PUMPSWAP_PROGRAM,
} from "./layout.ts";
import { effectiveQuote, payableQuote, poolRates, quoteExactIn, quoteInChain } from "./quote.ts";

/** By discriminator, not by size: pools of several lengths exist. */
const PAIR_FIELDS = {
  programId: PUMPSWAP_PROGRAM,
  dataSize: null,
  discriminator: POOL.discriminator,
  mintA: POOL.base_mint,
  mintB: POOL.quote_mint,
};

/** PumpSwap: the pools that pump coins graduate to, and those that anyone creates. */
export const pumpSwap: Venue<PumpSwapState> = {
  id: "pumpswap",
  family: "pump",
  inputRoundings: 1,
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
  chainSales: {
    instruction: MULTI_HOP_SWAP,
    quoteHop: quoteInChain,
    feePpm: feePpmAt,
    derivedAccounts,
  },
  transfers,
  feePpm: (state, inputMint, clock) => feePpmAt(state, inputMint, clock, SINGLE_SALE),
};

/** What curves are quoted in where SOL or a stable comes out: a graduated pool keeps its curve's quote. */
const CANONICAL_QUOTES = [WSOL, USDC] as const;
const TOKEN_PROGRAMS = [TOKEN_2022_PROGRAM, TOKEN_PROGRAM] as const;

/**
 * A coin whose curve is quoted in a listed token or in another pump coin graduates against that: the
 * curve names it, so the caller asks again with that pair.
 */
function graduatedPlaces(mint: Address, pairedWith: Address | null): Pick<PoolSearch, "graduated"> {
  if (pairedWith === null || pairedWith === mint) return {};
  if (CANONICAL_QUOTES.some((quote) => quote === pairedWith)) return {};
  const seeds = { index: 0, baseMint: mint, quoteMint: pairedWith };
  return {
    graduated: {
      isReserved: true,
      addresses: () => [poolAddress({ ...seeds, creator: poolAuthority(mint) })],
    },
  };
}

/** A coin can be either side: pools that pump did not create often have SOL as their base. */
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
    ...graduatedPlaces(mint, pairedWith),
    filters: pairFilters(PAIR_FIELDS, mint, pairedWith),
  };
}

function accountsNeeded(address: Address, known: AccountSet): readonly Address[] {
  const pool = decodePool(known.get(address));
  const shared = [address, GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS];
  if (pool === null) return shared;
  return [...shared, pool.baseVault, pool.quoteVault, pool.baseMint, pool.quoteMint];
}

/** A vault's token program is that of its mint: both are tried where the mint may be a coin. */
function derivedAccounts(mint: Address, quoteMint: Address | null): readonly Address[] {
  const creator = poolAuthority(mint);
  const pools = (quoteMint === null ? CANONICAL_QUOTES : [quoteMint]).flatMap((quote) => {
    const pool = poolAddress({ index: 0, creator, baseMint: mint, quoteMint: quote });
    return [
      pool,
      quote,
      ...TOKEN_PROGRAMS.map((program) => associatedTokenAddress(pool, mint, program)),
      ...(quoteMint === null ? [TOKEN_PROGRAM] : TOKEN_PROGRAMS).map((program) =>
        associatedTokenAddress(pool, quote, program),
      ),
    ];
  });
  return [mint, GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS, ...pools];
}

function outline(address: Address, known: AccountSet): PoolOutline | null {
  const pool = decodePool(known.get(address));
  if (pool === null) return null;
  return vaultsOutline(known, {
    mintA: pool.baseMint,
    mintB: pool.quoteMint,
    vaultA: pool.baseVault,
    vaultB: pool.quoteVault,
  });
}

/** Whether the side that is not the quote currency can be sold: in an inverted pool that is the program's buy. */
function status(state: PumpSwapState): PoolStatus {
  const isInverted = moneyRank(state.baseMint) > moneyRank(state.quoteMint);
  return (isInverted ? state.isBuyDisabled : state.isSellDisabled) ? "paused" : "open";
}

function spotPrice(state: PumpSwapState, inputMint: Address): Ratio | null {
  const quote = effectiveQuote(state);
  const { baseReserve } = state;
  if (baseReserve === 0n || quote <= 0n) return null;
  if (inputMint === state.baseMint && payableQuote(state) <= 0n) return null;
  return inputMint === state.baseMint
    ? { numerator: quote, denominator: baseReserve }
    : { numerator: baseReserve, denominator: quote };
}

function reachable(state: PumpSwapState, inputMint: Address, fallBps: number): bigint {
  const quote = effectiveQuote(state);
  const { baseReserve } = state;
  if (baseReserve === 0n || quote <= 0n) return 0n;
  return inputMint === state.baseMint
    ? minBigint(constantProductReachable(quote, fallBps), maxBigint(payableQuote(state), 0n))
    : constantProductReachable(baseReserve, fallBps);
}

/**
 * Both vaults in proportion, rounded down, as the SDK has it. A pool with a virtual reserve refuses
 * withdrawals while it can boost (6064); what it would leave afterwards was never recorded.
 */
function withdraw(state: PumpSwapState, part: ShareOfPool): PumpSwapState | null {
  if (state.virtualQuote !== 0n || state.unsweptFees !== 0n) return null;
  return nullOnMathError(() => ({
    ...state,
    baseReserve: state.baseReserve - paidForShares(state.baseReserve, part),
    quoteReserve: state.quoteReserve - paidForShares(state.quoteReserve, part),
  }));
}

/** The program pays for all of the base that was sent: its transfer fee is the pool's loss, not the seller's. */
function transfers(
  { baseMint, baseTransferFee, quoteTransferFee }: PumpSwapState,
  inputMint: Address,
): ChargedTransfers {
  const isSale = inputMint === baseMint;
  return transfersOf(isSale, isSale ? null : baseTransferFee, quoteTransferFee);
}

function feePpmAt(
  state: PumpSwapState,
  inputMint: Address,
  { epoch }: Clock,
  place: ChainPlace,
): number {
  const rates = ratesInChain(poolRates(state), place);
  const poolPpm = tradeFeePpm(rates, inputMint === state.quoteMint);
  const side = { venue: pumpSwap, state, inputMint, epoch };
  return allFeesPpm(poolPpm, transfers(state, inputMint), side);
}
