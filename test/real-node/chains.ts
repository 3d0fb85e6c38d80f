import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { eventually } from "#test/support/eventually.ts";
import type { Coin } from "./pump-instructions.ts";
import { amountsOf } from "./sales.ts";
import type { Scene } from "./scene.ts";
import { COINS, graduate, SOL } from "./token-life.ts";

const WITHIN_MS = 10_000;

/** The coin that is sold, and those that it is sold through. */
export type CoinChain = { readonly kind: string; readonly coins: readonly [Coin, Coin, Coin] };

/** A coin quoted in another, bought with a tenth of what the trader has of that. */
async function createOn({ market }: Scene, name: string, quote: Coin): Promise<Coin> {
  const coin = await market.create(name, quote.mint);
  const spent = (await market.held(quote.mint)) / 10n;
  const { instructions } = market;
  await market.must([instructions.curveTrade("buy_exact_quote_in_v3", coin, [spent, 1n])]);
  return coin;
}

/** Three chains of three over one root: curve on curve, pool on curve, curve on pool. */
export async function createChains(scene: Scene): Promise<readonly CoinChain[]> {
  const { market } = scene;
  const root = await market.create("root");
  const { instructions } = market;
  await market.must([instructions.curveTrade("buy_exact_quote_in_v3", root, [40n * SOL, 1n])]);
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
async function firstAnswer({ service, calls }: Scene, { coins: [token] }: CoinChain) {
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
async function changeAtLastHop(scene: Scene, { coins }: CoinChain): Promise<number> {
  const { market, service } = scene;
  const [token, , root] = coins;
  const before = (await service.sale(token.mint, COINS)).net_lamports;
  const buy = market.instructions.curveTrade("buy_exact_quote_in_v3", root, [SOL, 1n]);
  const startMs = performance.now();
  const sending = market.must([buy]);
  await eventually(
    "a changed answer",
    async () => {
      const { net_lamports } = await service.sale(token.mint, COINS);
      return net_lamports === before ? null : net_lamports;
    },
    WITHIN_MS,
  );
  const ms = Math.round(performance.now() - startMs);
  await sending;
  return ms;
}

async function sellAlong(scene: Scene, { kind, coins }: CoinChain, count: number): Promise<void> {
  const { market, sales } = scene;
  const held = (await market.held(coins[0].mint)) / 4n;
  for (const amountIn of amountsOf(held, count)) {
    const instruction = market.instructions.chainSale(await market.hops(coins), amountIn);
    await sales.sell({ name: `chain ${kind}`, coins, amountIn, instruction });
  }
}

/** Asks for a chain the first time, and changes it at its last hop. */
export async function introduce(t: TestContext, scene: Scene, chain: CoinChain): Promise<void> {
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
async function leadsThroughPool({ service, trades }: Scene, { coins }: CoinChain): Promise<void> {
  await eventually(
    "a way through the new pool",
    async () => {
      const { routes } = await service.sale(coins[0].mint, COINS);
      return routes[0]?.legs.at(-1)?.program === "pumpswap" ? true : null;
    },
    WITHIN_MS,
  );
  await trades.subscribed(coins);
}

/** Sells along every chain, before and after the graduation of their root. */
export async function sellChains(scene: Scene, all: readonly CoinChain[]): Promise<void> {
  for (const chain of all) await sellAlong(scene, chain, 34);
  const root = all[0]?.coins[2];
  assert.ok(root !== undefined);
  await graduate(scene, root);
  for (const chain of all) {
    await leadsThroughPool(scene, chain);
    await sellAlong(scene, { ...chain, kind: `${chain.kind}, root graduated` }, 6);
  }
}
