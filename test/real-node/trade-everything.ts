import assert from "node:assert/strict";
import { countSwap, emptyTally, type Tally } from "#src/accuracy/tally.ts";
import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { type AccuracyRun, FEEDS, type Feed } from "./accuracy-run.ts";
import { BOOST_AUTHORITY } from "./pump-accounts.ts";
import { type Coin, type Hop, venueOf } from "./pump-instructions.ts";
import type { PumpMarket } from "./pump-market.ts";
import { COINS, SOL } from "./token-life.ts";
import type { Instruction, Signer } from "./transaction.ts";

const SEED = 1;
const NO_LIMIT = 1n << 62n;
/** Of a slot's trades so many end it. */
const ENDS_SLOT = 0.4;
/** The first version of each knows no other quote than SOL. */
const CURVE_SALES = ["sell", "sell_v2", "sell_v3"];
const POOL_SALES = ["sell", "sell_v2"];
/** These name the coins that are bought; the others what is spent. */
const CURVE_ORDERS = ["buy", "buy_v2", "buy_v3"];
const POOL_ORDERS = ["buy", "buy_v2"];
const CURVE_PURCHASES = ["buy_exact_sol_in", "buy_exact_quote_in_v2", "buy_exact_quote_in_v3"];
const POOL_PURCHASES = ["buy_exact_quote_in", "buy_exact_quote_in_v2"];
const CHAIN_SALE = "multi_hop_swap, sale";
const CHAIN_PURCHASE = "multi_hop_swap, purchase";
const BOOST = "boost_buy_and_burn";
const FILLING = ", filling the curve";

const INSTRUCTIONS = [
  ...[...CURVE_SALES, ...CURVE_ORDERS, ...CURVE_PURCHASES, CHAIN_SALE, CHAIN_PURCHASE].map(
    (name) => `pump-curve ${name}`,
  ),
  ...[...POOL_SALES, ...POOL_ORDERS, ...POOL_PURCHASES, CHAIN_SALE, CHAIN_PURCHASE, BOOST].map(
    (name) => `pumpswap ${name}`,
  ),
];

/** What the record says of an instruction's swaps in one venue, by feed. */
export type InstructionTally = {
  readonly instruction: string;
  /** The purchases that complete a curve: they are few. */
  readonly isFilling: boolean;
  readonly tallies: Readonly<Record<Feed, Tally>>;
};

/** Trades by every instruction until so many swaps of each were judged. @returns what the record says */
export async function tradeEverything(
  run: AccuracyRun,
  market: PumpMarket,
  wanted: number,
): Promise<readonly InstructionTally[]> {
  const trader = new RandomTrader(run, market, wanted);
  const stage = await createCoins(run, market);
  for (let round = 0; trader.lacks(INSTRUCTIONS); round++) {
    assert.ok(round < 4 * wanted, "the programs refuse too much");
    await trader.tradeOnce(stage, round);
    if (round % 25 === 24) await trader.sweep(stage);
  }
  for (const name of [...CURVE_ORDERS, ...CURVE_PURCHASES]) await trader.fillCurves(name);
  for (let slot = 0; slot < 10; slot++) await run.endSlot();
  return trader.tallies();
}

type Stage = { readonly single: readonly Hop[]; readonly chains: readonly (readonly Hop[])[] };

/** Coins on curves and in pools, quoted in SOL and in each other, with and without special fees. */
async function createCoins(run: AccuracyRun, market: PumpMarket): Promise<Stage> {
  const { instructions } = market;
  const buy = (coin: Coin, spent: bigint) =>
    market.must([instructions.curveTrade("buy_exact_quote_in_v3", coin, [spent, 1n])]);
  const create = async (name: string, quote: Coin | null, traits = {}) => {
    const coin = await market.create(name, quote?.mint ?? WSOL, traits);
    await buy(coin, quote === null ? 20n * SOL : (await market.held(quote.mint)) / 50n);
    return coin;
  };
  const graduated = async (coin: Coin, completing = "buy_v3") => {
    if (coin.quoteMint !== WSOL) await market.give(coin.quoteMint, 900n * COINS);
    await market.must([await market.completion(coin, COINS, completing)]);
    await market.migrate(coin);
    return coin;
  };
  const root = await create("root", null);
  const middle = await create("middle", root);
  const top = await create("top", middle);
  const pooledRoot = await graduated(await create("pooled root", null));
  const pooledOnCurve = await graduated(await create("pooled on curve", root));
  const onPool = await create("on pool", pooledRoot);
  const cashback = await create("cashback", null);
  await market.makeCashback(cashback);
  const pooledCashback = await create("pooled cashback", null);
  await market.makeCashback(pooledCashback);
  const special = [
    cashback,
    await create("own fee", null, { creatorFeeBps: 200n }),
    await graduated(pooledCashback, "buy_v2"),
    await graduated(await create("pooled own fee", null, { creatorFeeBps: 200n })),
  ];
  const single = await market.hops([
    root,
    middle,
    top,
    pooledRoot,
    pooledOnCurve,
    onPool,
    ...special,
  ]);
  for (const hop of single) await run.follow(hop);
  const chains = await Promise.all(
    [
      [top, middle, root],
      [middle, root],
      [pooledOnCurve, root],
      [onPool, pooledRoot],
    ].map((coins) => market.hops(coins)),
  );
  return { single, chains };
}

/** One who trades at random by every instruction that lacks swaps. */
class RandomTrader {
  readonly #run: AccuracyRun;
  readonly #market: PumpMarket;
  readonly #wanted: number;
  readonly #random: Random = seededRandom(SEED);
  readonly #names = new Map<string, string>();
  readonly #rows = new Map<string, InstructionTally>();
  readonly #counted: Record<Feed, number> = { instructions: 0, logs: 0 };
  #created = 0;
  refusals = new Map<string, number>();

  constructor(run: AccuracyRun, market: PumpMarket, wanted: number) {
    this.#run = run;
    this.#market = market;
    this.#wanted = wanted;
  }

  /** At most one trade by each instruction; the programs refuse a part of them. */
  async tradeOnce({ single, chains }: Stage, round: number): Promise<void> {
    for (const isPool of [false, true]) {
      const hops = single.filter((hop) => hop.isPool === isPool);
      const venue = isPool ? "pumpswap" : "pump-curve";
      const lacking = (names: readonly string[]) =>
        names.filter((name) => this.lacks([`${venue} ${name}`]));
      for (const name of lacking(isPool ? POOL_SALES : CURVE_SALES)) {
        await this.#sell(name, this.#pick(hops, name));
      }
      for (const name of lacking(isPool ? POOL_ORDERS : CURVE_ORDERS)) {
        await this.#order(name, this.#pick(hops, name));
      }
      for (const name of lacking(isPool ? POOL_PURCHASES : CURVE_PURCHASES)) {
        await this.#purchase(name, this.#pick(hops, name));
      }
    }
    await this.#tradeChain(chains[round % chains.length] ?? []);
    if (this.lacks([`pumpswap ${BOOST}`])) {
      const { coin } = this.#pick(
        single.filter(({ isPool }) => isPool),
        BOOST,
      );
      const boost = this.#market.instructions.boost(coin, this.#part(SOL / 10n));
      await this.#send(BOOST, boost, [BOOST_AUTHORITY]);
    }
  }

  async #tradeChain(hops: readonly Hop[]): Promise<void> {
    const { instructions } = this.#market;
    const venues = ["pump-curve", "pumpswap"];
    if (this.lacks(venues.map((venue) => `${venue} ${CHAIN_SALE}`))) {
      const held = await this.#market.held(hops[0]?.coin.mint ?? WSOL);
      await this.#send(CHAIN_SALE, instructions.chainSale(hops, this.#part(held / 20n)));
    }
    if (this.lacks(venues.map((venue) => `${venue} ${CHAIN_PURCHASE}`))) {
      await this.#send(CHAIN_PURCHASE, instructions.chainPurchase(hops, this.#part(SOL)));
    }
  }

  async #sell(name: string, hop: Hop): Promise<void> {
    const amount = this.#part((await this.#market.held(hop.coin.mint)) / 20n);
    await this.#send(name, this.#trade(name, hop, [amount, 0n]));
  }

  async #order(name: string, hop: Hop): Promise<void> {
    await this.#send(name, this.#trade(name, hop, [this.#part(await this.#stock(hop)), NO_LIMIT]));
  }

  async #purchase(name: string, hop: Hop): Promise<void> {
    const held = await this.#market.held(hop.coin.quoteMint);
    const most = hop.coin.quoteMint === WSOL ? SOL : held / 100n;
    await this.#send(name, this.#trade(name, hop, [this.#part(most), 1n]));
  }

  /** A hundredth of what there is to buy. */
  async #stock(hop: Hop): Promise<bigint> {
    if (!hop.isPool) return (await this.#market.left(hop.coin)).realToken / 100n;
    const vault = await this.#market.chain.account(venueOf(hop).baseVault);
    return (vault?.data.readBigUInt64LE(64) ?? 0n) / 100n;
  }

  #trade(name: string, { coin, isPool }: Hop, args: readonly bigint[]): Instruction {
    const { instructions } = this.#market;
    return isPool
      ? instructions.poolTrade(name, coin, args)
      : instructions.curveTrade(name, coin, args);
  }

  /** Pays out the fees that trades have left. */
  async sweep({ single }: Stage): Promise<void> {
    for (const hop of single) await this.#market.send(this.#market.instructions.sweep(hop));
  }

  /** New coins whose curves are completed by one purchase each. */
  async fillCurves(name: string): Promise<void> {
    const market = this.#market;
    for (let coins = 0; coins < 5; coins++) {
      const coin = await market.create(`a curve to fill ${this.#created++}`);
      await market.must([
        market.instructions.curveTrade("buy_exact_quote_in_v3", coin, [this.#part(40n * SOL), 1n]),
      ]);
      await this.#run.follow({ coin, isPool: false });
      const { realToken } = await market.left(coin);
      const args = CURVE_ORDERS.includes(name)
        ? [realToken + this.#part(COINS), NO_LIMIT]
        : [200n * SOL, 1n];
      await this.#send(`${name}${FILLING}`, market.instructions.curveTrade(name, coin, args));
    }
  }

  async #send(name: string, instruction: Instruction, signers?: readonly Signer[]): Promise<void> {
    const sent = await this.#market.send([instruction], signers);
    if (sent.kind === "done") this.#names.set(sent.signature, name);
    else
      this.refusals.set(
        `${name}: ${sent.reason.slice(0, 150)}`,
        (this.refusals.get(`${name}: ${sent.reason.slice(0, 150)}`) ?? 0) + 1,
      );
    if (this.#random() < ENDS_SLOT) await this.#run.endSlot();
  }

  /** Whether fewer swaps than wanted were judged of one of the instructions. */
  lacks(instructions: readonly string[]): boolean {
    this.#count();
    return instructions.some((instruction) => {
      const tallies = this.#rows.get(instruction)?.tallies;
      return FEEDS.some((feed) => (tallies?.[feed].seen ?? 0) < this.#wanted);
    });
  }

  /** Sorted by instruction. */
  tallies(): readonly InstructionTally[] {
    this.#count();
    return [...this.#rows.values()].toSorted((a, b) => a.instruction.localeCompare(b.instruction));
  }

  /** Counts what was judged since the last time. */
  #count(): void {
    for (const feed of FEEDS) {
      for (const swap of this.#run.judged[feed].slice(this.#counted[feed])) {
        this.#counted[feed]++;
        const name = this.#names.get(swap.signature);
        assert.ok(name !== undefined, `a swap that was not sent: ${swap.signature}`);
        const instruction = `${swap.venue} ${name}`;
        const row = this.#rows.get(instruction) ?? {
          instruction,
          isFilling: name.endsWith(FILLING),
          tallies: { instructions: emptyTally(), logs: emptyTally() },
        };
        this.#rows.set(instruction, row);
        countSwap(row.tallies[feed], swap);
        if (swap.outcome.kind === "replayed" && swap.outcome.modelled !== swap.outcome.executed)
          console.log(name, swap);
      }
    }
  }

  #pick(hops: readonly Hop[], name: string): Hop {
    const knowsQuotes = hops[0]?.isPool === true || /_v[23]$/.test(name);
    const able = hops.filter(({ coin }) => knowsQuotes || coin.quoteMint === WSOL);
    const hop = able[Math.floor(this.#random() * able.length)];
    assert.ok(hop !== undefined);
    return hop;
  }

  /** From dust to all of it. */
  #part(most: bigint): bigint {
    const part = BigInt(Math.floor(Number(most) * 10 ** (-9 * this.#random() ** 2)));
    return part > 0n ? part : 1n;
  }
}
