import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createChains, introduce, sellChains } from "./chains.ts";
import { CoinWatcher } from "./coin-watcher.ts";
import { openScene, type Scene } from "./scene.ts";
import { drain, type Lived, live } from "./token-life.ts";

/** What a stream says of a coin that graduates: never another order, never a step back. */
const GRADUATION = [
  ["on-curve", "ok"],
  ["migrating", "bloqueado_dato"],
  ["migrated", "ok"],
];

async function assertGraduation(
  t: TestContext,
  watcher: CoinWatcher,
  { coin, fullMs, migratedMs }: Lived,
): Promise<void> {
  const changes = watcher.changes(coin);
  assert.deepEqual(
    changes.map(({ fase, state }) => [fase, state]),
    GRADUATION,
  );
  assert.equal(watcher.alertedMs(coin), null, "the stream raised an alarm");
  assert.deepEqual(await watcher.alerts(coin), []);
  t.diagnostic(
    `${coin.mint}: migrating ${fullMs} ms after the last purchase, migrated ${migratedMs} ms after the migration, no alert`,
  );
}

function tellSales(t: TestContext, { sales }: Scene): void {
  const { exact, refusedByBoth, byInstruction } = sales.counts;
  t.diagnostic(`${exact} sales exact, ${refusedByBoth} that both refused or that pay nothing`);
  t.diagnostic(JSON.stringify(Object.fromEntries(byInstruction)));
  assert.ok(exact >= 300, `${exact}`);
}

test("what the service answers for pump's coins is what pump's programs pay, over their whole life", async (t) => {
  const scene = await openScene(t);
  if (scene === null) return;
  const startMs = performance.now();
  const watcher = await CoinWatcher.open(t, scene.running, scene.place);
  const all = await createChains(scene);
  for (const chain of all) await introduce(t, scene, chain);
  const lives = Promise.all(["one", "two", "three"].map((name) => live(scene, watcher, name)));
  const [coins] = await Promise.all([lives, sellChains(scene, all)]);
  for (const lived of coins) await assertGraduation(t, watcher, lived);
  const [drained] = coins;
  assert.ok(drained !== undefined);
  await drain(scene, drained.coin);
  const kinds = await watcher.alerted(drained.coin);
  t.diagnostic(`alerts once the pool is sold empty: ${kinds.join(", ")}`);
  tellSales(t, scene);
  t.diagnostic(`${Math.round((performance.now() - startMs) / 1000)} s`);
});
