import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { U64_MAX } from "#src/units/integer.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertReplayed, sharedPath } from "#test/support/pools/executions.ts";
import { readIntegerJson } from "#test/support/pools/integer-json.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { type AmmFixture, ammFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import { raydiumAmmV4 } from "./adapter.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };

function sell(fields: AmmFixture, sells: "coin" | "pc", amountIn: bigint) {
  const { pool, mintA, mintB, accounts } = ammFixture(fields);
  const state = decodedState(raydiumAmmV4, pool, accounts);
  const inputMint = sells === "coin" ? mintA : mintB;
  const quote = raydiumAmmV4.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
  return quote;
}

type Vector = {
  readonly name: string;
  readonly pool: AmmFixture;
  readonly sells: "coin" | "pc";
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
  assertReplayed(t, "raydium-amm-v4.jsonl.gz", { atLeast: 169 }));

type RayLog = {
  readonly venue: string;
  readonly type: string;
  readonly amountIn: string;
  readonly reserveIn: string;
  readonly reserveOut: string;
  readonly observed: string;
  /** Set on the one log of the dust rule that held until August 2025. */
  readonly matchOldProgram?: boolean;
};

test("every swap with a fixed input that mainnet logged pays what it paid", (t) => {
  const path = sharedPath(t, "mainnet-events", "raydium.jsonl");
  if (path === null) return;
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const logs: readonly RayLog[] = lines.map((line) => JSON.parse(line));
  let compared = 0;
  for (const log of logs) {
    if (log.venue !== "raydium-amm-v4" || log.type !== "swapBaseIn") continue;
    if (log.matchOldProgram === true) continue;
    const pool = { coinVault: BigInt(log.reserveIn), pcVault: BigInt(log.reserveOut) };
    assert.equal(amountOut(sell(pool, "coin", BigInt(log.amountIn))), BigInt(log.observed));
    compared++;
  }
  assert.ok(compared >= 20, `${compared} compared`);
});

test("the fee fraction is the pool's own", () => {
  const pool = { coinVault: 1_000_000n, pcVault: 1_000_000n };
  assert.equal(amountOut(sell(pool, "coin", 1000n)), 996n);
  const dear = { ...pool, swapFeeNumerator: 333n, swapFeeDenominator: 1000n };
  assert.equal(amountOut(sell(dear, "coin", 1000n)), 666n);
});

test("a fee of nothing and a fee without a denominator are distinguished", () => {
  const pool = { coinVault: 1_000_000n, pcVault: 1_000_000n, swapFeeNumerator: 0n };
  assert.equal(amountOut(sell(pool, "coin", 1000n)), 999n);
  assert.equal(amountOut(sell({ ...pool, swapFeeDenominator: 0n }, "coin", 1000n)), "refused");
});

test("only statuses 1, 6 and an opened 7 trade", () => {
  const pool = { coinVault: 1_000_000n, pcVault: 1_000_000n };
  const answers = [0, 1, 2, 3, 4, 5, 6, 7].map((status) =>
    amountOut(sell({ ...pool, status, openTime: 1_790_000_000n }, "coin", 1000n)),
  );
  assert.deepEqual(answers, ["paused", 996n, "paused", "paused", "paused", "paused", 996n, 996n]);
  const early = { ...pool, status: 7, openTime: 1_790_000_001n };
  assert.equal(amountOut(sell(early, "coin", 1000n)), "not-open-yet");
});

test("the first swap opens a pool that waited", () => {
  const quote = sell({ coinVault: 1_000_000n, pcVault: 1_000_000n, status: 7 }, "coin", 1000n);
  assert.equal(quote.kind === "filled" && quote.after.status, "swap-only");
});

test("what the protocol has yet to take is not a reserve", () => {
  const pool = { coinVault: 1_000_500n, pcVault: 1_000_700n };
  const owed = { ...pool, needTakePnlCoin: 500n, needTakePnlPc: 700n };
  assert.equal(amountOut(sell(owed, "coin", 1000n)), 996n);
  const over = { ...pool, needTakePnlPc: 2_000_000n };
  assert.equal(amountOut(sell(over, "coin", 1000n)), "insufficient-liquidity");
});

test("amounts at the edges give a reason", () => {
  const pool = { coinVault: 1_000_000n, pcVault: 1_000_000n };
  assert.equal(amountOut(sell(pool, "coin", 0n)), "amount-zero");
  assert.equal(amountOut(sell(pool, "coin", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(sell(pool, "coin", U64_MAX)), "overflow");
  assert.equal(
    amountOut(sell({ coinVault: 0n, pcVault: 9n }, "coin", 5n)),
    "insufficient-liquidity",
  );
  assert.equal(amountOut(sell({ coinVault: 9n, pcVault: 0n }, "coin", 5n)), "output-zero");
});

test("a mint that the pool does not hold is refused", () => {
  const { pool, accounts } = ammFixture({ coinVault: 1_000_000n, pcVault: 1_000_000n });
  const state = decodedState(raydiumAmmV4, pool, accounts);
  const quote = raydiumAmmV4.quoteExactIn(state, {
    inputMint: testAddress(99),
    amountIn: 5n,
    clock: CLOCK,
  });
  assert.deepEqual(quote, { kind: "unfillable", reason: "refused" });
});
