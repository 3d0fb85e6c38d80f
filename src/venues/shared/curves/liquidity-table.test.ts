import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toNumber } from "#src/units/to-number.ts";
import { REFUSED } from "../../fast-quoter.ts";
import type { Direction } from "./direction.ts";
import { LiquidityTable } from "./liquidity-table.ts";

const MILLION = 1_000_000n;

/** One stretch: from a price, through this liquidity, to a stop beyond which nothing is. */
type Stretch = {
  readonly direction: Direction;
  readonly from: bigint;
  readonly to: bigint;
  readonly liquidity: bigint;
  readonly feePpm: bigint;
};

const stretches: fc.Arbitrary<Stretch> = fc
  .record({
    low: fc.bigInt({ min: 1n << 40n, max: 1n << 84n }),
    distance: fc.integer({ min: 0, max: 70 }).map((bits) => 1n << BigInt(bits)),
    liquidity: fc
      .integer({ min: 0, max: 84 })
      .chain((bits) => fc.bigInt({ min: 1n << BigInt(bits), max: (1n << BigInt(bits + 1)) - 1n })),
    feePpm: fc.constantFrom(0n, 1n, 100n, 3_000n, 999_999n),
    direction: fc.constantFrom("down" as const, "up" as const),
  })
  .map(({ low, distance, direction, ...rest }) =>
    direction === "down"
      ? { ...rest, direction, from: low + distance, to: low }
      : { ...rest, direction, from: low, to: low + distance },
  );

function parts(value: bigint): { readonly high: number; readonly low: number } {
  return { high: toNumber(value >> 32n), low: toNumber(value & 0xffff_ffffn) };
}

function tableOf({ direction, from, to, liquidity, feePpm }: Stretch): LiquidityTable {
  const table = new LiquidityTable({ capacity: 1, direction, refusesNothing: false });
  table.stops.count = 1;
  table.stops.priceHigh[0] = parts(to).high;
  table.stops.priceLow[0] = parts(to).low;
  const standing = {
    priceHigh: parts(from).high,
    priceLow: parts(from).low,
    liquidityHigh: parts(liquidity).high,
    liquidityLow: parts(liquidity).low,
  };
  table.build({ standing, feePpm: toNumber(feePpm), endsKnown: true });
  assert.ok(table.place(0, standing));
  return table;
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** What the programs compute, in integers. */
function expected(stretch: Stretch, amount: bigint): number {
  const { direction, from, to, liquidity, feePpm } = stretch;
  const isDown = direction === "down";
  const out = (reached: bigint): bigint => {
    const area = liquidity * (isDown ? from - reached : reached - from);
    return isDown ? area >> 64n : (area << 64n) / (from * reached);
  };
  const area = liquidity * (isDown ? from - to : to - from);
  const net = isDown ? ceilDiv(area << 64n, from * to) : ceilDiv(area, 1n << 64n);
  const whole = net + ceilDiv(net * feePpm, MILLION - feePpm);
  if (amount === 0n || amount > whole) return REFUSED;
  if (amount === whole) return toNumber(out(to));
  const usable = (amount * (MILLION - feePpm)) / MILLION;
  const reached = isDown
    ? ceilDiv((liquidity << 64n) * from, (liquidity << 64n) + usable * from)
    : from + (usable << 64n) / liquidity;
  return toNumber(out(reached));
}

test("a stretch pays what integers say, whole, in part and one unit to either side of its end", () => {
  let told = 0;
  let tried = 0;
  fc.assert(
    fc.property(stretches, fc.bigInt({ min: 0n, max: (1n << 53n) - 1n }), (stretch, any) => {
      const { direction, from, to, liquidity, feePpm } = stretch;
      const area = liquidity * (from > to ? from - to : to - from);
      const net = direction === "down" ? ceilDiv(area << 64n, from * to) : ceilDiv(area, 1n << 64n);
      const whole = net + ceilDiv(net * feePpm, MILLION - feePpm);
      const amounts = [0n, 1n, any, any % (whole + 1n), whole - 1n, whole, whole + 1n]
        .filter((amount) => amount >= 0n && amount < 1n << 53n)
        .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const out = new Float64Array(amounts.length);
      tableOf(stretch).quoteAscending(Float64Array.from(amounts, toNumber), out);
      for (const [index, amount] of amounts.entries()) {
        tried++;
        const found = out[index] ?? Number.NaN;
        if (Number.isNaN(found)) continue;
        told++;
        assert.equal(found, expected(stretch, amount), `${amount}`);
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(told > tried / 3, `${told} of ${tried}`);
});

test("a table made for another liquidity or for fewer stops does not place the price", () => {
  const stretch: Stretch = {
    direction: "down",
    from: 1n << 64n,
    to: 1n << 63n,
    liquidity: 1n << 40n,
    feePpm: 0n,
  };
  const table = tableOf(stretch);
  const standing = { priceHigh: 2 ** 32, priceLow: 0, liquidityHigh: 2 ** 8, liquidityLow: 0 };
  assert.ok(table.place(0, standing));
  assert.equal(table.place(1, standing), false);
  assert.equal(table.place(0, { ...standing, liquidityLow: 1 }), false);
  assert.equal(table.place(0, { ...standing, priceHigh: 2 ** 30 }), false, "beyond the stop");
});
