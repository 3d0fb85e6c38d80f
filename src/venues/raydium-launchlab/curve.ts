import { divCeil, divFloor, minBigint, mulDivCeil, mulDivFloor, Q64 } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Ratio } from "#src/units/ratio.ts";
import {
  constantProductOut,
  constantProductReachable,
  squareRootFloor,
} from "../shared/curves/constant-product.ts";

/** In the order of the program's `curve_type`. */
export const CURVE_KINDS = ["constant-product", "fixed-price", "linear-price"] as const;
export type CurveKind = (typeof CURVE_KINDS)[number];

/** What a launch's price depends on. Base and quote in base units. */
export type LaunchReserves = {
  readonly virtualBase: bigint;
  readonly virtualQuote: bigint;
  /** Sold so far. */
  readonly realBase: bigint;
  /** Raised so far, net of fees. */
  readonly realQuote: bigint;
};

/**
 * One kind of curve. Amounts are before fees on the way out and after them on the way in; all throw
 * MathError where the reserves are what no program would have written.
 */
type CurveMaths = {
  /** Quote units for `base` units sold back, rounded down. */
  readonly sell: (at: LaunchReserves, base: bigint) => bigint;
  /** Base units for `quote` units, rounded down. */
  readonly buy: (at: LaunchReserves, quote: bigint) => bigint;
  /** Quote units that buy exactly `base` units, rounded up. */
  readonly cost: (at: LaunchReserves, base: bigint) => bigint;
  /** Quote units per base unit at the margin. */
  readonly price: (at: LaunchReserves) => Ratio;
  /** Quote units that sales take out until the price has fallen by `fallBps`. */
  readonly sellable: (at: LaunchReserves, fallBps: number) => bigint;
  /** Base units that purchases take out until a quote unit buys `fallBps` less of them. */
  readonly buyable: (at: LaunchReserves, fallBps: number) => bigint;
};

const constantProduct: CurveMaths = {
  sell: (at, base) => constantProductOut(baseLeft(at), quoteHeld(at), base),
  buy: (at, quote) => constantProductOut(quoteHeld(at), baseLeft(at), quote),
  cost: (at, base) => mulDivCeil(quoteHeld(at), base, positive(baseLeft(at) - base)),
  price: (at) => ({ numerator: quoteHeld(at), denominator: baseLeft(at) }),
  sellable: (at, fallBps) => constantProductReachable(quoteHeld(at), fallBps),
  buyable: (at, fallBps) => constantProductReachable(baseLeft(at), fallBps),
};

/** The price never moves, so no fall ends a sale: only what was raised does. */
const fixedPrice: CurveMaths = {
  sell: ({ virtualBase, virtualQuote }, base) => mulDivFloor(base, virtualQuote, virtualBase),
  buy: ({ virtualBase, virtualQuote }, quote) => mulDivFloor(quote, virtualBase, virtualQuote),
  cost: ({ virtualBase, virtualQuote }, base) => mulDivCeil(base, virtualQuote, virtualBase),
  price: ({ virtualBase, virtualQuote }) => ({
    numerator: virtualQuote,
    denominator: virtualBase,
  }),
  sellable: ({ realQuote }) => realQuote,
  buyable: ({ virtualBase }) => virtualBase,
};

const Q65 = 1n << 65n;

/** The price is `virtual_base * sold / 2^64`, so `virtual_base * sold^2 / 2^65` has been raised. */
const linearPrice: CurveMaths = {
  sell: ({ virtualBase, realBase, realQuote }, base) =>
    realQuote - raised(virtualBase, realBase - base),
  buy: ({ virtualBase, realBase, realQuote }, quote) =>
    squareRootFloor(divFloor((realQuote + quote) * Q65, virtualBase)) - realBase,
  cost: ({ virtualBase, realBase, realQuote }, base) =>
    raised(virtualBase, realBase + base) - realQuote,
  price: ({ virtualBase, realBase }) => ({ numerator: virtualBase * realBase, denominator: Q64 }),
  sellable: ({ virtualBase, realBase, realQuote }, fallBps) =>
    realQuote - minBigint(realQuote, raised(virtualBase, share(realBase, 10_000 - fallBps))),
  buyable: ({ realBase }, fallBps) =>
    divFloor(realBase * BigInt(fallBps), BigInt(Math.max(1, 10_000 - fallBps))),
};

export const CURVES: Readonly<Record<CurveKind, CurveMaths>> = {
  "constant-product": constantProduct,
  "fixed-price": fixedPrice,
  "linear-price": linearPrice,
};

function raised(virtualBase: bigint, sold: bigint): bigint {
  return divCeil(virtualBase * sold * sold, Q65);
}

function share(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps)) / 10_000n;
}

function quoteHeld({ virtualQuote, realQuote }: LaunchReserves): bigint {
  return virtualQuote + realQuote;
}

function baseLeft({ virtualBase, realBase }: LaunchReserves): bigint {
  return positive(virtualBase - realBase);
}

function positive(value: bigint): bigint {
  if (value <= 0n) throw new MathError("underflow", { what: "base left on the curve", value });
  return value;
}
