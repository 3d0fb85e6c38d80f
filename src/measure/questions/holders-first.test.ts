import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import { marketOf, PLAIN_TOKEN, SOL, SOMEBODY } from "#test/support/markets/markets.ts";
import { constantProductPool } from "#test/support/pools/pools.ts";
import { exitOfBaseUnits } from "./exit-at.ts";
import { holdersFirst } from "./holders-first.ts";
import { roundTrip } from "./round-trip.ts";

const X = address("Xbase11111111111111111111111111111111111111");
const Y = address("Ybase11111111111111111111111111111111111111");

/** A token quoted in X and in Y; the way of X into SOL leads through its pool with Y. */
const pools = [
  constantProductPool({ number: 1, quoteMint: X, base: 100_000n * SOL, quote: 100_000n * SOL }),
  constantProductPool({ number: 2, quoteMint: Y, base: 100_000n * SOL, quote: 50_000n * SOL }),
];
const onward = constantProductPool({
  ...{ number: 3, baseMint: X, quoteMint: Y },
  ...{ base: 1_000_000n * SOL, quote: 500_000n * SOL },
});
/** The same pool, as it was found for Y. */
const back = constantProductPool({
  ...{ number: 3, baseMint: Y, quoteMint: X },
  ...{ base: 500_000n * SOL, quote: 1_000_000n * SOL },
});
const last = constantProductPool({
  ...{ number: 4, baseMint: Y, base: 1_000_000n * SOL, quote: 2_000n * SOL },
});
const supply = 10n ** 18n;
const token = { ...PLAIN_TOKEN, supply };

test("a pool that is a hop of two tokens sells each of them in its own direction", () => {
  const oneWay = marketOf(pools, { hopPools: [onward, last], token });
  const sellers = [X, SOMEBODY].map((owner) => ({ owner, baseUnits: 1_000n * SOL }));
  const holders = { kind: "known", supply, sellers, excluded: [], unlisted: 0n, slot: 1n } as const;
  const { steps: expected } = holdersFirst(oneWay, holders);
  const sale = exitOfBaseUnits(oneWay, 1_000n * SOL, "pro");
  assert.ok(sale.kind === "sold");
  assert.equal(expected?.[0]?.paidLamports, sale.paidLamports);
  const bought = roundTrip(oneWay, 5n * SOL, "pro");
  for (const hopPools of [
    [onward, last, back],
    [back, last, onward],
  ]) {
    const market = marketOf(pools, { hopPools, token });
    assert.deepEqual(holdersFirst(market, holders).steps, expected);
    assert.deepEqual(roundTrip(market, 5n * SOL, "pro"), bought);
  }
});
