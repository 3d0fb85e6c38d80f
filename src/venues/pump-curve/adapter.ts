import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { USDC } from "#src/units/known-addresses.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { AccountSet } from "../account-set.ts";
import { constantProductReachable } from "../shared/curves/constant-product.ts";
import {
  MULTI_HOP_SWAP,
  ratesInChain,
  SINGLE_SALE,
  tradeFeePpm,
} from "../shared/pump-fees/fee-config.ts";
import { allFeesPpm, transfersOf } from "../shared/reserve-pool.ts";
import type { ChargedTransfers } from "../shared/token/transfer-fee.ts";
import type { ChainPlace, Clock, PoolOutline, Venue } from "../venue.ts";
import { curveAddress } from "./addresses.ts";
import { decodeBondingCurve, decodePumpCurve, type PumpCurveState } from "./decode.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS, PUMP_PROGRAM } from "./layout.ts";
import { curveRates, curveStatus, payableQuote, quoteExactIn, quoteInChain } from "./quote.ts";
import { freezableVaults, isUntaxedQuote, possibleQuoteVaults } from "./vaults.ts";

/** pump.fun's bonding curve. */
export const pumpCurve: Venue<PumpCurveState> = {
  id: "pump-curve",
  family: "pump",
  inputRoundings: 1,
  kind: "curve",
  programId: PUMP_PROGRAM,
  // A curve's bytes do not name its coin, so it is found by derivation alone.
  search: (mint) => ({ derived: [curveAddress(mint)], configured: () => [], filters: [] }),
  accountsNeeded,
  outline,
  shares: () => ({ kind: "nobody" }),
  decode: (pool, known, mint) => decodePumpCurve(pool, known, mint ?? null),
  status: curveStatus,
  cautions: ({ isMayhem }) => (isMayhem ? ["rewritable-reserves"] : []),
  quoteExactIn,
  spotPrice,
  reachable,
  raised: ({ quoteMint, realQuote }, mint) => (mint === quoteMint ? null : realQuote),
  chainSales: {
    instruction: MULTI_HOP_SWAP,
    quoteHop: quoteInChain,
    feePpm: feePpmAt,
    derivedAccounts,
  },
  transfers,
  feePpm: (state, inputMint, clock) => feePpmAt(state, inputMint, clock, SINGLE_SALE),
};

function accountsNeeded(pool: Address, known: AccountSet, mint?: Address): readonly Address[] {
  const shared = [pool, GLOBAL_ADDRESS, CURVE_FEE_CONFIG_ADDRESS];
  const quoteMint = decodeBondingCurve(known.get(pool))?.quoteMint ?? null;
  const quote = quoteMint === null || isUntaxedQuote(quoteMint) ? [] : [quoteMint];
  if (mint === undefined) return [...shared, ...quote];
  const vaults = quoteMint === null ? [] : freezableVaults(mint, quoteMint, known);
  return [...shared, mint, ...quote, ...vaults];
}

/** The curve's address is the same for every quote. */
function derivedAccounts(mint: Address, quoteMint: Address | null): readonly Address[] {
  const shared = [GLOBAL_ADDRESS, CURVE_FEE_CONFIG_ADDRESS];
  if (quoteMint !== null) return [...shared, quoteMint, ...possibleQuoteVaults(mint, quoteMint)];
  return [curveAddress(mint), ...shared, mint, ...possibleQuoteVaults(mint, USDC)];
}

function outline(pool: Address, known: AccountSet, mint?: Address): PoolOutline | null {
  const curve = decodeBondingCurve(known.get(pool));
  if (curve === null || mint === undefined) return null;
  return { mintA: mint, mintB: curve.quoteMint, heldA: curve.realToken, heldB: curve.realQuote };
}

function spotPrice(state: PumpCurveState, inputMint: Address): Ratio | null {
  const { virtualToken, virtualQuote, realToken, realQuote, isComplete } = state;
  if (isComplete || virtualToken === 0n || virtualQuote === 0n) return null;
  if (inputMint === state.quoteMint) {
    return realToken === 0n ? null : { numerator: virtualToken, denominator: virtualQuote };
  }
  return realQuote === 0n ? null : { numerator: virtualQuote, denominator: virtualToken };
}

function reachable(state: PumpCurveState, inputMint: Address, fallBps: number): bigint {
  if (state.isComplete) return 0n;
  return inputMint === state.quoteMint
    ? minBigint(constantProductReachable(state.virtualToken, fallBps), state.realToken)
    : minBigint(constantProductReachable(state.virtualQuote, fallBps), payableQuote(state));
}

/** A coin of pump's has no transfer fee; its quote may have one. */
function transfers(
  { quoteMint, quoteTransferFee }: PumpCurveState,
  inputMint: Address,
): ChargedTransfers {
  return transfersOf(inputMint !== quoteMint, null, quoteTransferFee);
}

function feePpmAt(
  state: PumpCurveState,
  inputMint: Address,
  { epoch }: Clock,
  place: ChainPlace,
): number {
  // A curve has no liquidity providers.
  const rates = { ...ratesInChain(curveRates(state), place), lpBps: 0n };
  const poolPpm = tradeFeePpm(rates, inputMint === state.quoteMint);
  const side = { venue: pumpCurve, state, inputMint, epoch };
  return allFeesPpm(poolPpm, transfers(state, inputMint), side);
}
