import assert from "node:assert/strict";
import { test } from "node:test";
import { DEMO_TOKENS } from "#demo/tokens.ts";
import { openChain } from "#src/app/open-chain.ts";
import { assess } from "#src/measure/assess.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { VENUES } from "#src/venues/all.ts";
import { closeAfter } from "#test/support/ending.ts";

test("every named token of the demo market is found, searched completely, and measured", async (t) => {
  const clock = { nowMs: () => Date.UTC(2026, 10, 20) };
  const { source, examples, close } = await openChain(
    { kind: "demo" },
    { clock, random: () => 0.5 },
  );
  closeAfter(t, close);
  assert.equal(examples.length, DEMO_TOKENS.length);
  for (const { mint, symbol } of examples) {
    const loaded = await loadMarket({ source, venues: VENUES, clock }, mint);
    assert.ok(loaded.kind === "market", symbol);
    assert.ok(loaded.market.isSearchComplete, symbol);
    const { blocked, measurement } = assess(loaded.market);
    assert.equal(blocked, null, symbol);
    assert.ok(measurement !== null && measurement.depthLamports > 0n, symbol);
    assert.ok(measurement.midPrice !== null, symbol);
  }
});

test("a swap of every venue can be read back whole from the node that published it", async (t) => {
  const clock = { nowMs: () => Date.UTC(2026, 10, 20) };
  const { source, demo, close } = await openChain({ kind: "demo" }, { clock, random: () => 0.5 });
  closeAfter(t, close);
  assert.ok(demo !== null);
  const traded = new Set<string>();
  for (const mint of demo.mints) demo.script(mint, { kind: "trade", side: "buy", sol: 0.2 });
  for (const { signature, logs, instruction } of [...demo.ledger.transactions()]) {
    const read = await source.readTransaction(signature);
    assert.deepEqual(read?.logs, logs);
    assert.equal(read?.instructions?.[0]?.programId, instruction.programId);
    assert.deepEqual(read?.instructions?.[0]?.accounts, instruction.accounts);
    assert.match(logs[0] ?? "", new RegExp(`^Program ${instruction.programId} invoke \\[1\\]$`));
    traded.add(instruction.programId);
  }
  assert.equal(traded.size, VENUES.length);
});
