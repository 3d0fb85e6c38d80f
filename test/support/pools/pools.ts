import { type Address, address, addressFromBytes } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { PoolSide, QuotablePool, Sale } from "#src/venues/quotable-pool.ts";
import type { PoolCaution, PoolStatus, UnfillableReason, VenueId } from "#src/venues/venue.ts";

/** The token that test markets sell. */
export const TOKEN = address("Base111111111111111111111111111111111111111");

/** A pool's address by number: made up, and the same every time. */
export function poolAddress(number: number): Address {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(28, number);
  return addressFromBytes(bytes);
}

type Named = {
  readonly number?: number;
  readonly venue?: VenueId;
  readonly family?: QuotablePool["family"];
  readonly kind?: QuotablePool["kind"];
  readonly status?: PoolStatus;
  readonly cautions?: readonly PoolCaution[];
  readonly baseMint?: Address;
  readonly quoteMint?: Address;
};

export type ConstantProduct = Named & {
  readonly base: bigint;
  readonly quote: bigint;
  readonly feePpm?: number;
  /** Quote that really is there, where part of `quote` is only virtual. */
  readonly realQuote?: bigint;
};

/** A pool in exact integers: fee from the input rounded up, output rounded down. */
export function constantProductPool(shape: ConstantProduct): QuotablePool {
  const { base, quote } = shape;
  const feePpm = shape.feePpm ?? 2_500;
  const realQuote = shape.realQuote ?? quote;
  const paidFor = (amountIn: bigint): { amountOut: bigint } | { reason: UnfillableReason } => {
    const refusal = refusalOf(shape.status, amountIn);
    if (refusal !== null) return { reason: refusal };
    const fee = (amountIn * BigInt(feePpm) + 999_999n) / 1_000_000n;
    const effective = amountIn - fee;
    const amountOut = (effective * quote) / (base + effective);
    if (amountOut > realQuote) return { reason: "insufficient-liquidity" };
    return amountOut === 0n ? { reason: "output-zero" } : { amountOut };
  };
  return poolOf(shape, {
    feePpm,
    inputRoundings: 1,
    purchases: {
      feePpm,
      spotPrice: base > 0n && quote > 0n ? { numerator: base, denominator: quote } : null,
      reachable: (fallBps) =>
        base - BigInt(Math.ceil(Number(base) * Math.sqrt((10_000 - fallBps) / 10_000))),
    },
    spotPrice: base > 0n && realQuote > 0n ? { numerator: quote, denominator: base } : null,
    reachable: (fallBps) => {
      const kept = Math.sqrt((10_000 - fallBps) / 10_000);
      const out = quote - BigInt(Math.ceil(Number(quote) * kept));
      return fallBps === 10_000 || out > realQuote ? realQuote : out;
    },
    paidFor,
    buy: (quoteIn) => {
      const refusal = refusalOf(shape.status, quoteIn);
      if (refusal !== null) return { kind: "unfillable", reason: refusal };
      const effective = quoteIn - (quoteIn * BigInt(feePpm) + 999_999n) / 1_000_000n;
      const amountOut = (effective * base) / (quote + effective);
      if (amountOut === 0n) return { kind: "unfillable", reason: "output-zero" };
      const after = constantProductPool({
        ...shape,
        base: base - amountOut,
        quote: quote + quoteIn,
        realQuote: realQuote + quoteIn,
      });
      return { kind: "filled", amountOut, after };
    },
    after: (amountIn, amountOut) =>
      constantProductPool({
        ...shape,
        base: base + amountIn,
        quote: quote - amountOut,
        realQuote: realQuote - amountOut,
      }),
    withdraw(withdrawal) {
      if (withdrawal.kind !== "share") return null;
      const { shares, issued } = withdrawal;
      return constantProductPool({
        ...shape,
        base: base - (base * shares) / issued,
        quote: quote - (quote * shares) / issued,
        realQuote: realQuote - (realQuote * shares) / issued,
      });
    },
  });
}

/** A price level and the quote that waits there, as a DLMM bin. */
export type Level = { readonly price: number; readonly quote: bigint };

export type Levels = Named & { readonly levels: readonly Level[]; readonly feePpm?: number };

/** A pool of levels with fixed prices, the highest first: slopes jump from one to the next. */
export function levelsPool(shape: Levels): QuotablePool {
  const feePpm = shape.feePpm ?? 2_500;
  const scale = 1_000_000_000_000n;
  const levels = shape.levels
    .filter((level) => level.quote > 0n)
    .map((level) => ({ ...level, scaled: BigInt(Math.round(level.price * Number(scale))) }));
  const walk = (amountIn: bigint): { amountOut: bigint; left: readonly Level[] } | null => {
    const fee = (amountIn * BigInt(feePpm) + 999_999n) / 1_000_000n;
    let rest = amountIn - fee;
    let amountOut = 0n;
    for (const [index, { price, quote, scaled }] of levels.entries()) {
      const takes = (quote * scale + scaled - 1n) / scaled;
      if (rest <= takes) {
        const out = (rest * scaled) / scale;
        const own = out < quote ? out : quote;
        return {
          amountOut: amountOut + own,
          left: [{ price, quote: quote - own }, ...levels.slice(index + 1)],
        };
      }
      rest -= takes;
      amountOut += quote;
    }
    return null;
  };
  const top = levels[0]?.price ?? null;
  return poolOf(shape, {
    feePpm,
    spotPrice:
      top === null
        ? null
        : { numerator: BigInt(Math.round(top * Number(scale))), denominator: scale },
    reachable: (fallBps) =>
      levels
        .filter(({ price }) => top !== null && price >= top * (1 - fallBps / 10_000))
        .reduce((sum, level) => sum + level.quote, 0n),
    paidFor: (amountIn) => {
      const refusal = refusalOf(shape.status, amountIn);
      if (refusal !== null) return { reason: refusal };
      const walked = walk(amountIn);
      if (walked === null) return { reason: "insufficient-liquidity" };
      return walked.amountOut === 0n ? { reason: "output-zero" } : { amountOut: walked.amountOut };
    },
    after: (amountIn) => levelsPool({ ...shape, levels: walk(amountIn)?.left ?? [] }),
  });
}

export type StableCurve = Named & {
  readonly base: bigint;
  readonly quote: bigint;
  readonly amplification: bigint;
  readonly feePpm?: number;
};

/** A two-coin stable-swap pool in exact integers: flat near balance, steep where one side runs low. */
export function stableCurvePool(shape: StableCurve): QuotablePool {
  const { base, quote, amplification } = shape;
  const feePpm = shape.feePpm ?? 400;
  const invariant = stableInvariant(base, quote, amplification);
  const outFor = (amountIn: bigint): bigint => {
    const fee = (amountIn * BigInt(feePpm) + 999_999n) / 1_000_000n;
    const left = otherReserve(base + amountIn - fee, invariant, amplification);
    return quote > left + 1n ? quote - left - 1n : 0n;
  };
  const step = base / 1_000_000n;
  return poolOf(shape, {
    feePpm,
    inputRoundings: 1,
    spotPrice: {
      numerator: quote - otherReserve(base + step, invariant, amplification),
      denominator: step,
    },
    reachable: (fallBps) => (quote * BigInt(fallBps)) / 10_000n,
    paidFor: (amountIn) => {
      const refusal = refusalOf(shape.status, amountIn);
      if (refusal !== null) return { reason: refusal };
      const amountOut = outFor(amountIn);
      return amountOut === 0n ? { reason: "output-zero" } : { amountOut };
    },
    after: (amountIn, amountOut) =>
      stableCurvePool({ ...shape, base: base + amountIn, quote: quote - amountOut }),
  });
}

function stableInvariant(x: bigint, y: bigint, amplification: bigint): bigint {
  const sum = x + y;
  const leverage = amplification * 2n;
  let invariant = sum;
  for (let round = 0; round < 255; round++) {
    const product = (invariant * invariant * invariant) / (4n * x * y);
    const next =
      ((leverage * sum + 2n * product) * invariant) / ((leverage - 1n) * invariant + 3n * product);
    const moved = next > invariant ? next - invariant : invariant - next;
    invariant = next;
    if (moved <= 1n) break;
  }
  return invariant;
}

function otherReserve(x: bigint, invariant: bigint, amplification: bigint): bigint {
  const leverage = amplification * 2n;
  const c = (invariant * invariant * invariant) / (4n * x * leverage);
  const b = x + invariant / leverage;
  let y = invariant;
  for (let round = 0; round < 255; round++) {
    const next = (y * y + c) / (2n * y + b - invariant);
    const moved = next > y ? next - y : y - next;
    y = next;
    if (moved <= 1n) break;
  }
  return y;
}

/** A pool without any liquidity. */
export function emptyPool(shape: Named = {}): QuotablePool {
  return constantProductPool({ ...shape, base: 0n, quote: 0n });
}

/** A pool that sells nothing back. */
const NO_PURCHASES: PoolSide = { spotPrice: null, feePpm: 0, reachable: () => 0n };

type Behaviour = {
  readonly feePpm: number;
  readonly purchases?: PoolSide;
  readonly spotPrice: QuotablePool["spotPrice"];
  readonly reachable: (fallBps: number) => bigint;
  /** Absent: more than one unit, as where every price level rounds. */
  readonly inputRoundings?: 1;
  readonly paidFor: (
    amountIn: bigint,
  ) => { readonly amountOut: bigint } | { readonly reason: UnfillableReason };
  readonly after: (amountIn: bigint, amountOut: bigint) => QuotablePool;
  readonly withdraw?: QuotablePool["withdraw"];
  readonly buy?: QuotablePool["buy"];
};

function poolOf(shape: Named, behaviour: Behaviour): QuotablePool {
  const quote = (amountIn: bigint): bigint | null => {
    const result = behaviour.paidFor(amountIn);
    return "amountOut" in result ? result.amountOut : null;
  };
  const sell = (amountIn: bigint): Sale => {
    const result = behaviour.paidFor(amountIn);
    if (!("amountOut" in result)) return { kind: "unfillable", reason: result.reason };
    const { amountOut } = result;
    return { kind: "filled", amountOut, after: behaviour.after(amountIn, amountOut) };
  };
  return {
    venue: shape.venue ?? "raydium-cpmm",
    family: shape.family ?? "raydium",
    kind: shape.kind ?? "amm",
    raised: shape.kind === "curve" ? behaviour.reachable(10_000) : 0n,
    address: poolAddress(shape.number ?? 1),
    baseMint: shape.baseMint ?? TOKEN,
    quoteMint: shape.quoteMint ?? WSOL,
    status: shape.status ?? "open",
    cautions: shape.cautions ?? [],
    spotPrice: behaviour.spotPrice,
    feePpm: behaviour.feePpm,
    ...(behaviour.inputRoundings === undefined ? {} : { inputRoundings: 1 as const }),
    reachable: behaviour.reachable,
    purchases: behaviour.purchases ?? NO_PURCHASES,
    quote,
    quoteAscending: (amountsIn) => amountsIn.map(quote),
    sell,
    buy: behaviour.buy ?? (() => ({ kind: "unfillable", reason: "refused" })),
    withdraw: behaviour.withdraw ?? (() => null),
  };
}

function refusalOf(status: PoolStatus | undefined, amountIn: bigint): UnfillableReason | null {
  if (status !== undefined && status !== "open") return status;
  return amountIn === 0n ? "amount-zero" : null;
}
