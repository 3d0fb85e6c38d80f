import { WSOL } from "#src/units/known-addresses.ts";
import type { CoinWatcher } from "./coin-watcher.ts";
import { BOOST_AUTHORITY } from "./pump-accounts.ts";
import type { Coin } from "./pump-instructions.ts";
import { amountsOf } from "./sales.ts";
import type { Scene } from "./scene.ts";

export const SOL = 1_000_000_000n;
export const COINS = 1_000_000_000_000n;
const CURVE_SALES = ["sell", "sell_v2", "sell_v3"] as const;
const POOL_SALES = ["sell", "sell_v2"] as const;
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

/** Sales on the curve, with a buy before each second one. */
async function sellOnCurve(scene: Scene, coin: Coin, count: number): Promise<void> {
  const { market, trades, sales } = scene;
  await trades.subscribed([coin]);
  for (const [place, amountIn] of amountsOf(await market.held(coin.mint), count).entries()) {
    const [buy, args] = CURVE_BUYS[(place / 2) % CURVE_BUYS.length] ?? [null, []];
    if (buy !== null) await trades.must([coin], [market.instructions.curveTrade(buy, coin, args)]);
    const name = CURVE_SALES[place % CURVE_SALES.length] ?? "sell";
    const instruction = market.instructions.curveTrade(name, coin, [amountIn, 0n]);
    await sales.sell({ name: `curve ${name}`, coins: [coin], amountIn, instruction });
  }
}

async function sellInPool(scene: Scene, coin: Coin, count: number): Promise<void> {
  const { market, trades, sales } = scene;
  await trades.subscribed([coin]);
  const held = (await market.held(coin.mint)) / 4n;
  for (const [place, amountIn] of amountsOf(held, count).entries()) {
    const [buy, args] = POOL_BUYS[(place / 2) % POOL_BUYS.length] ?? [null, []];
    if (buy !== null) await trades.must([coin], [market.instructions.poolTrade(buy, coin, args)]);
    const name = POOL_SALES[place % POOL_SALES.length] ?? "sell";
    const instruction = market.instructions.poolTrade(name, coin, [amountIn, 0n]);
    await sales.sell({ name: `pool ${name}`, coins: [coin], amountIn, instruction });
  }
}

/** A coin that has graduated, and how long after each transaction was sent its stream reported it. */
export type Lived = { readonly coin: Coin; readonly fullMs: number; readonly migratedMs: number };

/** From create_v2 to sales after boost and sweep, while it is watched. */
export async function live(scene: Scene, watcher: CoinWatcher, name: string): Promise<Lived> {
  const { market, trades } = scene;
  const { instructions } = market;
  const coin = await market.create(name);
  await market.must([instructions.curveTrade("buy_exact_quote_in_v3", coin, [9n * SOL, 1n])]);
  await watcher.watch(coin);
  await sellOnCurve(scene, coin, 26);
  await trades.must([coin], instructions.sweep({ coin, isPool: false }));
  await sellOnCurve(scene, coin, 3);
  const completion = await market.completion(coin, COINS);
  const completedMs = performance.now();
  await market.must([completion]);
  const fullMs = (await watcher.reached(coin, "migrating", "bloqueado_dato")) - completedMs;
  const movedMs = performance.now();
  await market.migrate(coin);
  const migratedMs = (await watcher.reached(coin, "migrated", "ok")) - movedMs;
  await sellInPool(scene, coin, 36);
  await trades.must([coin], [instructions.boost(coin, SOL)], [BOOST_AUTHORITY]);
  await sellInPool(scene, coin, 4);
  await trades.must([coin], instructions.sweep({ coin, isPool: true }));
  await sellInPool(scene, coin, 3);
  return { coin, fullMs: Math.round(fullMs), migratedMs: Math.round(migratedMs) };
}

/** Sells until the pool pays no more: what one sale is refused for, smaller ones still get. */
export async function drain({ market, trades }: Scene, coin: Coin): Promise<void> {
  let amountIn = 100n * COINS;
  await market.give(coin.mint, 900n * COINS);
  while (amountIn > COINS) {
    const sale = market.instructions.poolTrade("sell", coin, [amountIn, 0n]);
    const sent = await trades.trade([coin], [sale]);
    if (sent.kind === "failed") amountIn /= 2n;
  }
}

/** Completes a coin's curve, with given quote coins unless it is quoted in SOL, and moves it into its pool. */
export async function graduate({ market }: Scene, coin: Coin): Promise<void> {
  // Given SOL would count as paid by a sale at the same time.
  if (coin.quoteMint !== WSOL) await market.give(coin.quoteMint, 900n * COINS);
  await market.must([await market.completion(coin, COINS)]);
  await market.migrate(coin);
}
