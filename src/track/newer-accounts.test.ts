import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { CLOCK_SYSVAR, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { meteoraDammV1 } from "#src/venues/meteora-damm-v1/adapter.ts";
import { orcaWhirlpool } from "#src/venues/orca-whirlpool/adapter.ts";
import { ORACLE, WHIRLPOOL } from "#src/venues/orca-whirlpool/layout.ts";
import { oracleAddress } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import { sqrtPriceAtTick } from "#src/venues/orca-whirlpool/tick-math.ts";
import { closeAfter } from "#test/support/ending.ts";
import { dammV1Fixture, dammV1State, vaultShare } from "#test/support/pools/meteora-pools.ts";
import { whirlpoolFixture } from "#test/support/pools/whirlpools.ts";
import { loadMarket } from "./pools/load-market.ts";
import { Tracker } from "./tracker.ts";

const NOW_SECONDS = 1_800_000_000n;
const { pool, mintA, accounts } = whirlpoolFixture({
  mintB: WSOL,
  tickSpacing: 64,
  sqrtPriceX64: sqrtPriceAtTick(0),
  positions: [{ lower: -64 * 60, upper: 64 * 60, liquidity: 1n << 50n }],
  adaptiveFee: {
    ...{ filterPeriod: 30n, decayPeriod: 600n, reductionFactor: 500, controlFactor: 4_000 },
    ...{ maxAccumulator: 350_000, groupSize: 64, majorSwapThresholdTicks: 64 },
    ...{ lastReferenceUpdate: NOW_SECONDS - 10n, lastMajorSwap: NOW_SECONDS - 10n },
    ...{ volatilityReference: 0, groupReference: 0, accumulator: 0 },
  },
});
const oracle = oracleAddress({ pool, programId: orcaWhirlpool.programId });

function writtenAt(account: Account | undefined, offset: number, seconds: bigint): Account {
  assert.ok(account);
  const data = Buffer.from(account.data);
  data.writeBigUInt64LE(seconds, offset);
  return { ...account, data };
}

/** A chain with the pool, and its last swap at that time. */
function chainWithSwapAt(seconds: bigint): ScriptedChain {
  const chain = new ScriptedChain({ nowMs: Number(NOW_SECONDS) * 1_000 });
  swapAt(chain, seconds);
  return chain;
}

/** Every account is delivered in the slot, so that the pool waits for none of them. */
function swapAt(chain: ScriptedChain, seconds: bigint): void {
  for (const [address, account] of accounts) chain.set(address, account);
  const { rewardLastUpdatedTimestamp } = WHIRLPOOL;
  chain.set(pool, writtenAt(accounts.get(pool), rewardLastUpdatedTimestamp, seconds));
  const { lastReferenceUpdateTimestamp } = ORACLE;
  chain.set(oracle, writtenAt(accounts.get(oracle), lastReferenceUpdateTimestamp, seconds));
}

const depsOf = (chain: ScriptedChain) => ({
  ...{ source: chain, venues: [orcaWhirlpool], clock: { nowMs: () => chain.nowMs } },
});

function trackerOf(t: TestContext, chain: ScriptedChain) {
  const tracker = new Tracker({ ...depsOf(chain), database: null, everything: null });
  closeAfter(t, () => tracker.close());
  return tracker;
}

test("a swap that arrives before the clock of its slot does not make its pool unsellable", async (t) => {
  const chain = chainWithSwapAt(NOW_SECONDS - 10n);
  const tracker = trackerOf(t, chain);
  const ladder = async () => {
    const outcome = await tracker.snapshot(mintA);
    assert.ok(outcome.kind === "assessed");
    return outcome.assessment.measurement?.retail.slippagesPct;
  };
  const before = await ladder();
  assert.ok(before?.some((pct) => pct !== null));
  chain.delivery = ({ address }) => (address === CLOCK_SYSVAR ? "held" : "now");
  chain.advance(5);
  swapAt(chain, BigInt(Math.floor(chain.nowMs / 1_000)));
  tracker.tick();
  assert.deepEqual(await ladder(), before);
});

test("a report of a DAMM v1 vault that arrives before the clock of its slot does not make its pools unsellable", async () => {
  const plain = dammV1State();
  const lastReport = NOW_SECONDS + 1n;
  const state = dammV1State({ a: { ...plain.a, lastReport }, b: vaultShare(WSOL) });
  const fixture = dammV1Fixture(state);
  const chain = new ScriptedChain({ nowMs: Number(NOW_SECONDS) * 1_000 });
  for (const [address, account] of fixture.accounts) chain.set(address, account);
  chain.set(plain.a.mint, mintAccount({ supply: 1n << 60n, decimals: 6, slot: 1n }));
  const loaded = await loadMarket({ ...depsOf(chain), venues: [meteoraDammV1] }, plain.a.mint);
  assert.ok(loaded.kind === "market");
  const [sold] = loaded.market.pools;
  assert.ok((sold?.quote(1_000_000n) ?? 0n) > 0n);
});

test("a proof executes at a clock that no account of its market is newer than", async (t) => {
  const chain = chainWithSwapAt(NOW_SECONDS + 1n);
  const tracker = trackerOf(t, chain);
  await tracker.snapshot(mintA);
  assert.equal(tracker.saleGround(mintA)?.clock.unixTimestamp, NOW_SECONDS + 1n);
  const loaded = await loadMarket(depsOf(chain), mintA);
  assert.ok(loaded.kind === "market");
  assert.equal(loaded.clock.unixTimestamp, NOW_SECONDS + 1n);
  const [sold] = loaded.market.pools;
  assert.notEqual(sold?.quote(1_000_000n), null);
});

test("accounts older than the clock leave it as it is", async (t) => {
  const chain = chainWithSwapAt(NOW_SECONDS - 10n);
  const tracker = trackerOf(t, chain);
  await tracker.snapshot(mintA);
  assert.equal(tracker.saleGround(mintA)?.clock.unixTimestamp, NOW_SECONDS);
});
