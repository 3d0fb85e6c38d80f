import type { Address } from "#src/units/address.ts";
import type { Account } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import type { RangedShares } from "../liquidity-shares.ts";
import type { PositionTotals, RangedPosition, TakenPositions } from "../quotable-pool.ts";

/** The account of a program's positions: byte offsets. */
export type PositionLayout = {
  readonly programId: Address;
  readonly discriminator: Uint8Array;
  readonly length: number;
  readonly pool: number;
  /** The mint of the token whose holder owns the position. */
  readonly token: number;
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: number;
};

/** What a tick pool's positions have to agree with. Prices are token B per token A. */
export type TickLiquidity = {
  readonly mintA: Address;
  readonly mintB: Address;
  readonly liquidity: bigint;
  readonly sqrtPriceX64: bigint;
  readonly tickCurrent: number;
  /** Every loaded tick at which liquidity changes, and by how much as the price rises through it. */
  readonly ticks: Iterable<{ readonly tick: number; readonly liquidityNet: bigint }>;
};

type TickRules = {
  readonly minTick: number;
  readonly maxTick: number;
  readonly sqrtPriceAtTick: (tick: number) => bigint;
};

/** How a tick pool's liquidity is divided: an account for each position, owned by the holder of its token. */
export function tickShares(
  pool: Address,
  state: TickLiquidity,
  { layout, rules }: { readonly layout: PositionLayout; readonly rules: TickRules },
): RangedShares {
  const { programId, length, discriminator } = layout;
  return {
    kind: "ranged",
    issued: state.liquidity,
    filter: {
      programId,
      dataSize: length,
      memcmp: [
        { offset: 0, bytes: discriminator },
        { offset: layout.pool, bytes: pool },
      ],
    },
    decode: (account) => decodePosition(account, { pool, state, layout, rules }),
    addUp: (positions) => addUp(positions, state),
  };
}

function decodePosition(
  account: Account,
  {
    pool,
    state,
    layout,
    rules,
  }: {
    readonly pool: Address;
    readonly state: TickLiquidity;
    readonly layout: PositionLayout;
    readonly rules: TickRules;
  },
): RangedPosition | null {
  const reader = new ByteReader(account.data);
  if (account.owner !== layout.programId || reader.length !== layout.length) return null;
  if (!reader.has(0, layout.discriminator) || reader.address(layout.pool) !== pool) return null;
  const [lower, upper] = [reader.i32(layout.lower), reader.i32(layout.upper)];
  if (lower >= upper || lower < rules.minTick || upper > rules.maxTick) return null;
  const liquidity = reader.u128(layout.liquidity);
  const [amountA, amountB] = amountsOf({ lower, upper, liquidity }, state, rules);
  return {
    owner: { kind: "token", address: reader.address(layout.token) },
    lower,
    upper,
    liquidity: [liquidity],
    held: new Map([
      [state.mintA, amountA],
      [state.mintB, amountB],
    ]),
  };
}

type TickRange = { readonly lower: number; readonly upper: number; readonly liquidity: bigint };

/** Base units of token A and B that a withdrawal of the range's whole liquidity pays, rounded down. */
export function amountsOf(
  { lower, upper, liquidity }: TickRange,
  { sqrtPriceX64, tickCurrent }: Pick<TickLiquidity, "sqrtPriceX64" | "tickCurrent">,
  { sqrtPriceAtTick }: Pick<TickRules, "sqrtPriceAtTick">,
): readonly [bigint, bigint] {
  const [low, high] = [sqrtPriceAtTick(lower), sqrtPriceAtTick(upper)];
  if (tickCurrent < lower) return [amountA(liquidity, low, high), 0n];
  if (tickCurrent >= upper) return [0n, amountB(liquidity, low, high)];
  return [amountA(liquidity, sqrtPriceX64, high), amountB(liquidity, low, sqrtPriceX64)];
}

function amountA(liquidity: bigint, low: bigint, high: bigint): bigint {
  return ((liquidity << 64n) * (high - low)) / (high * low);
}

function amountB(liquidity: bigint, low: bigint, high: bigint): bigint {
  return (liquidity * (high - low)) >> 64n;
}

function addUp(positions: readonly RangedPosition[], state: TickLiquidity): PositionTotals | null {
  const totals = new Map<number, bigint>();
  const nets = new Map<number, bigint>();
  let active = 0n;
  for (const position of positions) {
    const { lower, upper } = position;
    const liquidity = liquidityOf(position);
    addTo(totals, lower, liquidity);
    addTo(totals, upper, liquidity);
    addTo(nets, lower, liquidity);
    addTo(nets, upper, -liquidity);
    if (isActive(position, state.tickCurrent)) active += liquidity;
  }
  if (active !== state.liquidity) return null;
  for (const { tick, liquidityNet } of state.ticks)
    if ((nets.get(tick) ?? 0n) !== liquidityNet) return null;
  return totals;
}

/** What a withdrawal takes out of a tick pool's state. */
export type TakenTicks = {
  readonly liquidity: bigint;
  /** By tick: of what its liquidity changes by as the price rises through it. */
  readonly nets: ReadonlyMap<number, bigint>;
  /** By tick: of the liquidity of all positions that end there. */
  readonly gross: PositionTotals;
  readonly amountA: bigint;
  readonly amountB: bigint;
  /** Ticks at which no position ends any more. */
  readonly isGone: (tick: number) => boolean;
};

/** @returns null where the pool has less active liquidity than is taken: the positions are of another moment */
export function takenTicks(
  { positions, totals }: TakenPositions,
  state: Pick<TickLiquidity, "liquidity" | "sqrtPriceX64" | "tickCurrent">,
  rules: Pick<TickRules, "sqrtPriceAtTick">,
): TakenTicks | null {
  const nets = new Map<number, bigint>();
  const gross = new Map<number, bigint>();
  let active = 0n;
  let [amountA, amountB] = [0n, 0n];
  for (const position of positions) {
    const { lower, upper } = position;
    const liquidity = liquidityOf(position);
    addTo(nets, lower, liquidity);
    addTo(nets, upper, -liquidity);
    addTo(gross, lower, liquidity);
    addTo(gross, upper, liquidity);
    if (isActive(position, state.tickCurrent)) active += liquidity;
    const [paidA, paidB] = amountsOf({ lower, upper, liquidity }, state, rules);
    amountA += paidA;
    amountB += paidB;
  }
  if (active > state.liquidity) return null;
  const isGone = (tick: number) => gross.has(tick) && gross.get(tick) === totals.get(tick);
  return { liquidity: active, nets, gross, amountA, amountB, isGone };
}

function isActive({ lower, upper }: RangedPosition, tickCurrent: number): boolean {
  return lower <= tickCurrent && tickCurrent < upper;
}

function liquidityOf({ liquidity }: RangedPosition): bigint {
  return liquidity[0] ?? 0n;
}

function addTo(sums: Map<number, bigint>, at: number, amount: bigint): void {
  sums.set(at, (sums.get(at) ?? 0n) + amount);
}
