import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { U64_MAX } from "#src/units/integer.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertReplayed, sharedPath } from "#test/support/pools/executions.ts";
import { readIntegerJson } from "#test/support/pools/integer-json.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { type CpmmFixture, cpmmFixture } from "#test/support/pools/raydium-pools.ts";
import { raydiumCpmm } from "./adapter.ts";
import type { CpmmState } from "./decode.ts";
import { feesWithCreator } from "./fees.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

function stateOf(fields: CpmmFixture): CpmmState {
  const { pool, accounts } = cpmmFixture(fields);
  return decodedState(raydiumCpmm, pool, accounts);
}

function sell(fields: CpmmFixture, sells: "token0" | "token1", amountIn: bigint) {
  const state = stateOf(fields);
  return raydiumCpmm.quoteExactIn(state, { inputMint: state[sells].mint, amountIn, clock: CLOCK });
}

type Vector = {
  readonly name: string;
  readonly pool: CpmmFixture;
  readonly sells: "token0" | "token1";
  readonly amountIn: bigint;
  readonly amountOut: bigint | null;
  readonly reason?: string;
};

const vectors = readIntegerJson<readonly Vector[]>(new URL("vectors/swaps.json", import.meta.url));

for (const { name, pool, sells, amountIn, ...expected } of vectors) {
  test(`pays what was executed: ${name}`, () => {
    const paid = amountOut(sell(pool, sells, amountIn));
    assert.equal(paid, expected.amountOut ?? expected.reason);
  });
}

test("every recorded execution is replayed to the base unit, refusals included", (t) =>
  assertReplayed(t, "raydium-cpmm.jsonl.gz", { atLeast: 330 }));

type SwapEvent = {
  readonly venue: string;
  readonly inputVaultBefore: string;
  readonly outputVaultBefore: string;
  readonly inputAmount: string;
  readonly outputAmount: string;
  /** Rates that explain the event; pools were not recorded beside them. */
  readonly solutions: readonly {
    readonly tradeFeeRate: string;
    readonly creatorFeeRate: string;
    readonly creatorFeeOnInput: boolean;
  }[];
};

test("every SwapEvent seen on mainnet is explained by one pair of rates", (t) => {
  const path = sharedPath(t, "mainnet-events", "raydium.jsonl");
  if (path === null) return;
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const events: readonly SwapEvent[] = lines.map((line) => JSON.parse(line));
  let compared = 0;
  for (const event of events) {
    const [rates] = event.venue === "raydium-cpmm" ? event.solutions : [];
    if (rates === undefined) continue;
    // The event's input is what reached the pool, its output what left it: no transfer fees here.
    const paid = sell(
      {
        vault0: BigInt(event.inputVaultBefore),
        vault1: BigInt(event.outputVaultBefore),
        tradeFeeRate: BigInt(rates.tradeFeeRate),
        creatorFeeRate: BigInt(rates.creatorFeeRate),
        creatorFeeOn: rates.creatorFeeOnInput ? 0 : 2,
        isCreatorFeeEnabled: true,
      },
      "token0",
      BigInt(event.inputAmount),
    );
    assert.equal(amountOut(paid), BigInt(event.outputAmount));
    compared++;
  }
  assert.ok(compared >= 10, `${compared} compared`);
});

const even = { vault0: 1_000_000_000n, vault1: 1_000_000_000n };

test("fees owed to protocol, fund and creator are not part of the reserve, and grow with a swap", () => {
  const owed: CpmmFixture = {
    vault0: 1_000_000_600n,
    vault1: 1_000_000_060n,
    protocolFees: [100n, 10n],
    fundFees: [200n, 20n],
    creatorFees: [300n, 30n],
    isCreatorFeeEnabled: true,
    creatorFeeOn: 2,
  };
  const quote = sell(owed, "token0", 1_000_000n);
  assert.equal(quote.kind, "filled");
  if (quote.kind !== "filled") return;
  // Trade fee 2500; protocol 12 % and fund 4 % of it; the creator takes 500 ppm of what comes out.
  const { token0, token1 } = quote.after;
  assert.deepEqual([token0.protocolFees, token0.fundFees, token0.creatorFees], [400n, 300n, 300n]);
  const gross = (997_500n * 1_000_000_000n) / (1_000_000_000n + 997_500n);
  const creator = (gross * 500n + 999_999n) / 1_000_000n;
  assert.equal(quote.amountOut, gross - creator);
  assert.deepEqual(
    [token1.protocolFees, token1.fundFees, token1.creatorFees],
    [10n, 20n, 30n + creator],
  );
  assert.equal(token0.vaultAmount, 1_001_000_600n);
  assert.equal(token1.vaultAmount, 1_000_000_060n - quote.amountOut);
});

test("the creator's fee is taken on the side that the pool names", () => {
  for (const [creatorFeeOn, sells, side] of [
    [0, "token0", "input"],
    [0, "token1", "input"],
    [1, "token0", "input"],
    [1, "token1", "output"],
    [2, "token0", "output"],
    [2, "token1", "input"],
  ] as const) {
    const quote = sell({ ...even, creatorFeeOn, isCreatorFeeEnabled: true }, sells, 1_000_000n);
    assert.equal(quote.kind, "filled");
    if (quote.kind !== "filled") return;
    const input = quote.after[sells];
    assert.equal(input.creatorFees > 0n, side === "input", `${creatorFeeOn} ${sells}`);
  }
});

test("fee and creator's fee on the input are rounded up once, over both rates", () => {
  // Two roundings would take 3 + 1 of an order of 1001 units.
  assert.deepEqual(feesWithCreator(1001n, 2500n, 500n), { trade: 4n, creator: 0n });
  assert.deepEqual(feesWithCreator(1_000_000n, 2500n, 500n), { trade: 2500n, creator: 500n });
});

test("a pool without any rate can't split its creator fee: the program refuses", () => {
  const free = { ...even, tradeFeeRate: 0n, creatorFeeRate: 0n };
  assert.equal(amountOut(sell(free, "token0", 1000n)), "refused");
  const outside: CpmmFixture = { ...free, creatorFeeOn: 2 };
  assert.equal(amountOut(sell(outside, "token0", 1000n)), 999n);
});

test("transfer fees of the epoch are taken on the way in and on the way out", () => {
  const schedule = {
    older: { epoch: 0n, maximum: U64_MAX, feeBps: 100 },
    newer: { epoch: 926n, maximum: 5n, feeBps: 1000 },
  };
  const feesOnBoth: CpmmFixture = {
    ...even,
    tradeFeeRate: 10_000n,
    transferFee0: schedule,
    transferFee1: schedule,
  };
  const state = stateOf(feesOnBoth);
  const at = (epoch: bigint) =>
    raydiumCpmm.quoteExactIn(state, {
      inputMint: state.token0.mint,
      amountIn: 10_000n,
      clock: { ...CLOCK, epoch },
    });
  // 9900 arrive, 9801 are swapped for 9800, of which 98 are withheld.
  const charged = at(925n);
  assert.equal(amountOut(charged), 9702n);
  assert.ok(charged.kind === "filled");
  assert.equal(charged.after.token0.vaultAmount, 1_000_009_900n);
  assert.equal(charged.after.token1.vaultAmount, 999_990_200n);
  // 9995 arrive, 9895 are swapped for 9894, of which 5 are withheld.
  assert.equal(amountOut(at(926n)), 9889n);
  assert.equal(raydiumCpmm.feePpm(state, state.token0.mint, CLOCK), 29_701);
});

test("a creator's fee on the output is a part of what the trade fee leaves, on the input it is added", () => {
  const rates = { tradeFeeRate: 100_000n, creatorFeeRate: 200_000n, isCreatorFeeEnabled: true };
  const ppmOf = (creatorFeeOn: 0 | 1 | 2, sells: "token0" | "token1") => {
    const state = stateOf({ ...rates, creatorFeeOn, vault0: 1_000n, vault1: 1_000n });
    return raydiumCpmm.feePpm(state, state[sells].mint, CLOCK);
  };
  assert.deepEqual([ppmOf(0, "token0"), ppmOf(0, "token1")], [300_000, 300_000]);
  assert.deepEqual([ppmOf(1, "token0"), ppmOf(1, "token1")], [300_000, 280_000]);
  assert.deepEqual([ppmOf(2, "token0"), ppmOf(2, "token1")], [280_000, 300_000]);
});

test("a transfer fee that leaves nothing is refused on either side", () => {
  const all = { epoch: 0n, maximum: U64_MAX, feeBps: 10_000 };
  const schedule = { older: all, newer: all };
  assert.equal(
    amountOut(sell({ ...even, transferFee0: schedule }, "token0", 10_000n)),
    "amount-zero",
  );
  assert.equal(
    amountOut(sell({ ...even, transferFee1: schedule }, "token0", 10_000n)),
    "output-zero",
  );
});

test("a pool opens at its time, not a second before", () => {
  assert.equal(amountOut(sell({ ...even, openTime: 1_790_000_000n }, "token0", 1000n)), 996n);
  const early = { ...even, openTime: 1_790_000_001n };
  assert.equal(amountOut(sell(early, "token0", 1000n)), "not-open-yet");
});

test("amounts at the edges give a reason", () => {
  assert.equal(amountOut(sell(even, "token0", 0n)), "amount-zero");
  assert.equal(amountOut(sell(even, "token0", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(sell(even, "token0", U64_MAX)), "overflow");
  assert.equal(amountOut(sell({ ...even, vault0: 0n }, "token0", 5n)), "insufficient-liquidity");
  assert.equal(
    amountOut(sell({ ...even, protocolFees: [1n << 40n, 0n] }, "token0", 5n)),
    "insufficient-liquidity",
  );
});
