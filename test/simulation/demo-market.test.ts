import assert from "node:assert/strict";
import { test } from "node:test";
import { createRpcSource } from "#src/chain/rpc-source.ts";
import { MARKET_PROGRAMS } from "#src/local-node/programs/all.ts";
import { startDemoNode } from "#src/local-node/start-node.ts";
import { assess } from "#src/measure/assess.ts";
import { loadMarket } from "#src/track/load-market.ts";
import { VENUES } from "#src/venues/all.ts";

test("every named token of the demo market is found, searched completely, and measured", async (t) => {
  const nowMs = () => Date.UTC(2026, 10, 20);
  const node = await startDemoNode({ seed: 1, nowMs, programs: MARKET_PROGRAMS, venues: VENUES });
  const source = createRpcSource({ ...node, origin: "demo", nowMs, random: () => 0.5 });
  t.after(async () => {
    await source.close();
    await node.close();
  });
  assert.ok(node.demo.namedTokens.length > 0);
  for (const { mint, symbol } of node.demo.namedTokens) {
    const loaded = await loadMarket({ source, venues: VENUES, nowMs }, mint);
    assert.ok(loaded.kind === "market", symbol);
    assert.ok(loaded.market.isSearchComplete, symbol);
    const { blocked, measurement } = assess(loaded.market);
    assert.equal(blocked, null, symbol);
    assert.ok(measurement !== null && measurement.depthLamports > 0n, symbol);
    assert.ok(measurement.midPrice !== null, symbol);
  }
});
