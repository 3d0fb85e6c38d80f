import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sqlitePlace } from "#test/support/databases.ts";
import { Endings } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { sharedPath } from "#test/support/executions.ts";
import { startTestService } from "#test/support/service.ts";
import { AskedService } from "./asked-service.ts";
import { type CountingProxy, startCountingProxy } from "./counting-proxy.ts";
import { pumpPrograms } from "./programs.ts";
import { type Coin, PumpNode, type Sent } from "./pump-node.ts";
import { amountsOf, Sales } from "./sales.ts";
import { surfpool } from "./surfpool.ts";

const SLOT_MS = 100;
const CURVE_SALES = ["sell", "sell_v2", "sell_v3"] as const;
const POOL_SALES = ["sell", "sell_v2"] as const;
const SOL = 1_000_000_000n;
const COINS = 1_000_000_000_000n;
/** Every way to buy, with what it asks for: coins for at most so much, or as many as so much buys. */
const CURVE_BUYS = [
  ["buy", [4n * COINS, 900n * SOL]],
  ["buy_exact_sol_in", [SOL / 2n, 1n]],
  ["buy_v2", [3n * COINS, 900n * SOL]],
  ["buy_exact_quote_in_v2", [SOL / 3n, 1n]],
  ["buy_v3", [5n * COINS, 900n * SOL]],
  ["buy_exact_quote_in_v3", [SOL / 4n, 1n]],
] as const;
const POOL_BUYS = [
  ["buy", [COINS, 900n * SOL]],
  ["buy_exact_quote_in", [2n * SOL, 1n]],
  ["buy_v2", [2n * COINS, 900n * SOL]],
  ["buy_exact_quote_in_v2", [SOL, 1n]],
] as const;

type Scene = {
  readonly market: PumpNode;
  readonly service: AskedService;
  readonly sales: Sales;
  readonly calls: CountingProxy;
};

/** Pump's own programs on a node of other authors, and a service that follows it; null: skipped. */
async function openScene(t: TestContext): Promise<Scene | null> {
  const accounts = sharedPath(t, "mainnet");
  if (accounts === null) return null;
  const node = surfpool({ slotMs: SLOT_MS });
  const programs = await pumpPrograms();
  for (const part of [node, programs]) {
    if (part.kind === "here") continue;
    t.skip(part.reason);
    return null;
  }
  if (node.kind === "absent" || programs.kind === "absent") return null;
  const endings = new Endings();
  t.after(() => endings.close());
  const started = await node.start(endings);
  const market = new PumpNode(started, programs.folder, accounts);
  await market.prepare();
  const calls = await startCountingProxy(endings, started.rpcUrl);
  const service = await startTestService(endings, sqlitePlace(t), {
    SOLANA_RPC_URL: calls.url,
    SOLANA_WS_URL: started.wsUrl,
    TRUST_PROXY: "1",
  });
  const asked = new AskedService(service.url);
  return { market, service: asked, sales: new Sales(market, asked), calls };
}

function mustBeDone(sent: Sent): void {
  if (sent.kind === "failed") throw new Error(sent.reason);
}

/** Sales on the curve, with a buy before each second one. */
async function sellOnCurve({ market, sales }: Scene, coin: Coin, count: number): Promise<void> {
  for (const [place, amountIn] of amountsOf(await market.held(coin.mint), count).entries()) {
    const [buy, args] = CURVE_BUYS[(place / 2) % CURVE_BUYS.length] ?? [null, []];
    if (buy !== null) mustBeDone(await market.trade([coin], [market.curveTrade(buy, coin, args)]));
    const name = CURVE_SALES[place % CURVE_SALES.length] ?? "sell";
    const instruction = market.curveTrade(name, coin, [amountIn, 0n]);
    await sales.sell({ name: `curve ${name}`, coins: [coin], amountIn, instruction });
  }
}

async function sellInPool({ market, sales }: Scene, coin: Coin, count: number): Promise<void> {
  await market.subscribed([coin]);
  const held = (await market.held(coin.mint)) / 4n;
  for (const [place, amountIn] of amountsOf(held, count).entries()) {
    const [buy, args] = POOL_BUYS[(place / 2) % POOL_BUYS.length] ?? [null, []];
    if (buy !== null) mustBeDone(await market.trade([coin], [market.poolTrade(buy, coin, args)]));
    const name = POOL_SALES[place % POOL_SALES.length] ?? "sell";
    const instruction = market.poolTrade(name, coin, [amountIn, 0n]);
    await sales.sell({ name: `pool ${name}`, coins: [coin], amountIn, instruction });
  }
}

/** Buys what the curve still has and more, so that the buy goes on in the pool that comes. */
async function complete({ market }: Scene, coin: Coin): Promise<Sent> {
  const amount = (await market.left(coin)) + COINS;
  return market.send([market.curveTrade("buy_v3", coin, [amount, 1n << 62n])]);
}

/** Milliseconds until the service answers with that phase, and the alerts that it raised meanwhile. */
async function phaseAfter({ service }: Scene, { mint }: Coin, phase: string) {
  const startMs = performance.now();
  const isAlert = await eventually(
    `the phase ${phase}`,
    async () => {
      const { fase, alerta_deterioro } = await service.token(mint);
      return fase === phase ? { alert: alerta_deterioro } : null;
    },
    10_000,
  );
  return { ms: Math.round(performance.now() - startMs), ...isAlert };
}

/** From create_v2 to sales after boost and sweep. */
async function live(scene: Scene, name: string) {
  const { market } = scene;
  const coin = await market.create(name);
  mustBeDone(await market.send([market.curveTrade("buy_exact_quote_in_v3", coin, [9n * SOL, 1n])]));
  await sellOnCurve(scene, coin, 26);
  mustBeDone(await market.sweep(coin, "curve"));
  await sellOnCurve(scene, coin, 3);
  mustBeDone(await complete(scene, coin));
  const migrating = await phaseAfter(scene, coin, "migrating");
  mustBeDone(await market.migrate(coin));
  const migrated = await phaseAfter(scene, coin, "migrated");
  await sellInPool(scene, coin, 36);
  mustBeDone(await market.boost(coin, SOL));
  await sellInPool(scene, coin, 4);
  mustBeDone(await market.sweep(coin, "pool"));
  await sellInPool(scene, coin, 3);
  assert.ok(!migrating.alert && !migrated.alert, `${name}: a false alarm at graduation`);
  return { migratingMs: migrating.ms, migratedMs: migrated.ms };
}

type Chain = { readonly kind: string; readonly coins: readonly Coin[] };

/** A coin quoted in another, bought with a fiftieth of what the trader has of that. */
async function createOn({ market }: Scene, name: string, quote: Coin): Promise<Coin> {
  const coin = await market.create(name, quote.mint);
  const spent = (await market.held(quote.mint)) / 10n;
  mustBeDone(await market.send([market.curveTrade("buy_exact_quote_in_v3", coin, [spent, 1n])]));
  return coin;
}

/** Completes a coin's curve with given quote coins, and moves it into its pool. */
async function graduate(scene: Scene, coin: Coin): Promise<void> {
  await scene.market.give(coin.quoteMint, 900_000_000_000_000n);
  mustBeDone(await complete(scene, coin));
  mustBeDone(await scene.market.migrate(coin));
}

/** Three chains of three over one root: curve on curve, pool on curve, curve on pool. */
async function createChains(scene: Scene): Promise<readonly Chain[]> {
  const { market } = scene;
  const root = await market.create("root");
  mustBeDone(
    await market.send([market.curveTrade("buy_exact_quote_in_v3", root, [40n * SOL, 1n])]),
  );
  const [a, b, c] = [
    await createOn(scene, "middle a", root),
    await createOn(scene, "middle b", root),
    await createOn(scene, "middle c", root),
  ];
  await graduate(scene, c);
  const [x, y, z] = [
    await createOn(scene, "top a", a),
    await createOn(scene, "top b", b),
    await createOn(scene, "top c", c),
  ];
  await graduate(scene, y);
  return [
    { kind: "curve on curve", coins: [x, a, root] },
    { kind: "pool on curve", coins: [y, b, root] },
    { kind: "curve on pool", coins: [z, c, root] },
  ];
}

/** The first answer about a chain, with the calls that the service needed for it. */
async function firstAnswer({ service, calls }: Scene, { coins: [token] }: Chain) {
  assert.ok(token !== undefined);
  const before = calls.counts();
  const startMs = performance.now();
  const answer = await service.sale(token.mint, COINS);
  const ms = Math.round(performance.now() - startMs);
  const used = [...calls.counts()].flatMap(([method, count]) => {
    const more = count - (before.get(method) ?? 0);
    return more > 0 ? [`${method} ${more}`] : [];
  });
  return { answer, ms, used: used.join(", ") };
}

/** Milliseconds from sending a trade at the last hop to an answer that it changed. */
async function changeAtLastHop({ market, service }: Scene, { coins }: Chain): Promise<number> {
  const [token, root] = [coins[0], coins.at(-1)];
  assert.ok(token !== undefined && root !== undefined);
  const before = (await service.sale(token.mint, COINS)).net_lamports;
  const buy = market.curveTrade("buy_exact_quote_in_v3", root, [SOL, 1n]);
  const startMs = performance.now();
  const sending = market.send([buy]);
  await eventually(
    "a changed answer",
    async () => {
      const { net_lamports } = await service.sale(token.mint, COINS);
      return net_lamports === before ? null : net_lamports;
    },
    10_000,
  );
  const ms = Math.round(performance.now() - startMs);
  mustBeDone(await sending);
  return ms;
}

async function sellAlong(scene: Scene, { kind, coins }: Chain, count: number): Promise<void> {
  const { market, sales } = scene;
  const [coin] = coins;
  assert.ok(coin !== undefined);
  const held = (await market.held(coin.mint)) / 4n;
  for (const amountIn of amountsOf(held, count)) {
    const instruction = await market.chainSale(coins, amountIn);
    await sales.sell({ name: `chain ${kind}`, coins, amountIn, instruction });
  }
}

async function introduce(t: TestContext, scene: Scene, chain: Chain): Promise<void> {
  const first = await firstAnswer(scene, chain);
  const legs = first.answer.routes[0]?.legs ?? [];
  assert.deepEqual(
    legs.map((leg) => leg.input_mint),
    chain.coins.map(({ mint }) => mint),
  );
  assert.ok(legs.every(({ instruction }) => instruction === "pump multi_hop_swap"));
  const changedMs = await changeAtLastHop(scene, chain);
  t.diagnostic(
    `${chain.kind}: first answer ${first.ms} ms, calls ${first.used}; changed ${changedMs} ms after a trade at the last hop`,
  );
}

/** Until the service sells through the pool that the chain's last coin graduated to. */
async function leadsThroughPool({ service, market }: Scene, { coins }: Chain): Promise<void> {
  const [token] = coins;
  assert.ok(token !== undefined);
  await eventually(
    "a way through the new pool",
    async () => {
      const { routes } = await service.sale(token.mint, COINS);
      return routes[0]?.legs.at(-1)?.program === "pumpswap" ? true : null;
    },
    10_000,
  );
  await market.subscribed(coins);
}

async function sellChains(scene: Scene, all: readonly Chain[]): Promise<void> {
  for (const chain of all) await sellAlong(scene, chain, 34);
  const root = all[0]?.coins.at(-1);
  assert.ok(root !== undefined);
  mustBeDone(await complete(scene, root));
  mustBeDone(await scene.market.migrate(root));
  for (const chain of all) {
    await leadsThroughPool(scene, chain);
    await sellAlong(scene, { ...chain, kind: `${chain.kind}, root graduated` }, 6);
  }
}

test("what the service answers for pump's coins is what pump's programs pay, over their whole life", async (t) => {
  const scene = await openScene(t);
  if (scene === null) return;
  const startMs = performance.now();
  const all = await createChains(scene);
  for (const chain of all) await introduce(t, scene, chain);
  const lives = Promise.all(["one", "two", "three"].map((name) => live(scene, name)));
  const [times] = await Promise.all([lives, sellChains(scene, all)]);
  const { exact, refusedByBoth, byInstruction } = scene.sales.counts;
  for (const { migratingMs, migratedMs } of times) {
    t.diagnostic(`full curve known after ${migratingMs} ms, its pool after ${migratedMs} ms`);
  }
  t.diagnostic(`${exact} sales exact, ${refusedByBoth} that both refused or that pay nothing`);
  t.diagnostic(JSON.stringify(Object.fromEntries(byInstruction)));
  t.diagnostic(`${Math.round((performance.now() - startMs) / 1000)} s`);
  assert.ok(exact >= 300, `${exact}`);
});
