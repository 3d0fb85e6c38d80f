import assert from "node:assert/strict";
import { test } from "node:test";
import { clockAccount } from "#src/node/slot-clock.ts";
import { CLOCK_SYSVAR, WSOL } from "#src/units/known-addresses.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { pumpCurveSwaps } from "#src/venues/pump-curve/events.ts";
import { costExactOut } from "#src/venues/pump-curve/quote.ts";
import { curveFixture } from "#test/support/pools/pump-pools.ts";
import { AccountVersions } from "./account-versions.ts";
import { type ReportedSwap, replayOnState, stateBefore } from "./replay-swap.ts";

const CLOCK = { slot: 9n, unixTimestamp: 1_790_000_000n, epoch: 0n };
const WANTED = 7n;

/** A purchase of seven base units for so much, replayed on a fresh curve. */
function replayed(amountIn: (cost: bigint) => bigint) {
  const { pool, mintA, accounts } = curveFixture();
  const versions = new AccountVersions();
  for (const [address, account] of accounts) versions.add({ address, account, slot: 1n });
  versions.add({ address: CLOCK_SYSVAR, account: clockAccount(CLOCK), slot: 9n });
  const ref = { venue: pumpCurve, address: pool, mint: mintA, isReserved: true };
  const decoded = pumpCurve.decode(pool, accounts, mintA);
  assert.ok(decoded.kind === "pool");
  const order = { inputMint: WSOL, amountOut: WANTED, clock: CLOCK };
  const cost = costExactOut(decoded.state, order);
  assert.ok(typeof cost === "bigint");
  const base = { reader: pumpCurveSwaps, ref, slot: 9n, versions, blockTime: null };
  const found = replayOnState(
    {
      ...base,
      swap: {
        kind: "reported",
        pool,
        input: { side: "b" },
        amountIn: amountIn(cost),
        amountOut: WANTED,
        isExactOut: true,
        unixTimestamp: null,
        before: null,
      },
    },
    stateBefore(base),
  );
  assert.ok(found.kind === "replayed");
  return found.modelled ?? assert.fail("refused");
}

test("a hop of an instruction over several pools is kept with no ground: verify would trade it alone", () => {
  const { pool, mintA, accounts } = curveFixture();
  const versions = new AccountVersions();
  for (const [address, account] of accounts) versions.add({ address, account, slot: 1n });
  versions.add({ address: CLOCK_SYSVAR, account: clockAccount(CLOCK), slot: 9n });
  const ref = { venue: pumpCurve, address: pool, mint: mintA, isReserved: true };
  const base = { reader: pumpCurveSwaps, ref, slot: 9n, versions, blockTime: null };
  const purchase = {
    ...({ kind: "reported", pool, input: { side: "b" }, amountIn: 1_000_000_000n } as const),
    ...{ amountOut: 1n, unixTimestamp: null, before: null },
  };
  const replayedAs = (swap: ReportedSwap) => {
    const found = replayOnState({ ...base, swap }, stateBefore(base));
    assert.ok(found.kind === "replayed");
    return found;
  };
  const alone = replayedAs(purchase);
  const hop = replayedAs({ ...purchase, place: { isFirst: false, isLast: true } });
  assert.notEqual(hop.modelled, alone.modelled);
  assert.notEqual(alone.ground, null);
  assert.equal(hop.ground, null);
});

test("an order that named its output is exact only if the program charged the modelled cost", () => {
  assert.equal(
    replayed((cost) => cost),
    WANTED,
  );
  assert.ok(replayed((cost) => cost + 1n) > WANTED);
  assert.ok(replayed((cost) => cost - 1n) < WANTED);
});
