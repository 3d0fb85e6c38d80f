import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { AccountSet } from "../account-set.ts";
import { constantProductReachable } from "../curves/constant-product.ts";
import type { PoolOutline, Venue } from "../venue.ts";
import { curveAddress } from "./addresses.ts";
import { decodeBondingCurve, decodePumpCurve, type PumpCurveState } from "./decode.ts";
import { openFastPumpCurve } from "./fast.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS, PUMP_PROGRAM } from "./layout.ts";
import { curveRates, curveStatus, quoteExactIn } from "./quote.ts";

/** pump.fun's bonding curve. */
export const pumpCurve: Venue<PumpCurveState> = {
  id: "pump-curve",
  family: "pump",
  kind: "curve",
  programId: PUMP_PROGRAM,
  // A curve's bytes do not name its coin, so it is found by derivation alone.
  search: (mint) => ({ derived: [curveAddress(mint)], configured: () => [], filters: [] }),
  accountsNeeded: (pool, _known, mint) => [
    pool,
    GLOBAL_ADDRESS,
    CURVE_FEE_CONFIG_ADDRESS,
    ...(mint === undefined ? [] : [mint]),
  ],
  outline,
  shares: () => ({ kind: "nobody" }),
  decode: (pool, known, mint) => decodePumpCurve(pool, known, mint ?? null),
  status: curveStatus,
  cautions: ({ isMayhem }) => (isMayhem ? ["rewritable-reserves"] : []),
  quoteExactIn,
  spotPrice,
  reachable,
  feePpm,
  openFast: openFastPumpCurve,
};

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
    : minBigint(constantProductReachable(state.virtualQuote, fallBps), state.realQuote);
}

function feePpm(state: PumpCurveState): number {
  const { protocolBps, creatorBps } = curveRates(state);
  return toNumber(protocolBps + creatorBps) * 100;
}
