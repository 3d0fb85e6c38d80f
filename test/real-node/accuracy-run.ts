import { AccountVersions } from "#src/accuracy/account-versions.ts";
import type { JudgedSwap } from "#src/accuracy/judged-swap.ts";
import { SwapJudge } from "#src/accuracy/swap-judge.ts";
import type { ObservedTransaction, TransactionEvents } from "#src/chain/chain-source.ts";
import type { PoolRef } from "#src/track/pools/open-pool.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { type Hop, venueOf } from "./pump-instructions.ts";
import { type SeenExecution, VmChain } from "./vm-chain.ts";

/** A pool is judged from this many slots after it is first followed. */
const SETTLE_SLOTS = 16;
/** Rounds of asking a venue which accounts a pool needs. */
const ROUNDS = 6;

/** How transactions arrive: with their instructions, as over gRPC, or as logs alone, as over a WebSocket. */
export const FEEDS = ["instructions", "logs"] as const;
export type Feed = (typeof FEEDS)[number];

/** The accuracy record over a VM's chain: what the programs execute, the product reads and replays. */
export class AccuracyRun {
  readonly chain = new VmChain((seen) => this.#accept(seen));
  /** What the record makes of the swaps, by the feed that they arrive over. */
  readonly judged: Readonly<Record<Feed, JudgedSwap[]>> = { instructions: [], logs: [] };
  readonly #versions = new AccountVersions();
  readonly #transactions = new Map<string, ObservedTransaction>();
  readonly #pools: PoolRef[] = [];
  readonly #events: TransactionEvents[] = [];
  readonly #judges = FEEDS.map((feed) => this.#judgeOf(feed));

  #judgeOf(feed: Feed): SwapJudge {
    const nothing = () => {};
    return new SwapJudge({
      transactions: {
        readTransaction: (signature) => Promise.resolve(this.#transactions.get(signature) ?? null),
        followTransactions: ({ onTransaction, onGap }) => {
          const strip =
            feed === "logs" ? logged : (transaction: ObservedTransaction) => transaction;
          this.#events.push({
            onTransaction: (transaction) => onTransaction(strip(transaction)),
            onGap,
          });
          return { add: nothing, remove: nothing, close: () => Promise.resolve() };
        },
      },
      versions: this.#versions,
      pools: () => this.#pools,
      clock: { nowMs: () => this.chain.nowMs },
      hasInstructions: feed === "instructions",
      onJudged: (swap) => this.judged[feed].push(swap),
      onFailure: (what, cause) => {
        throw new Error(what, { cause });
      },
    });
  }

  /** Follows where the coin trades now, until its swaps are judged. */
  async follow(hop: Hop): Promise<void> {
    const { mint } = hop.coin;
    const venue = hop.isPool ? pumpSwap : pumpCurve;
    const ref: PoolRef = { venue, address: venueOf(hop).venue, mint, isReserved: true };
    this.#hold(ref);
    this.#pools.push(ref);
    for (let slot = 0; slot < SETTLE_SLOTS; slot++) await this.endSlot();
  }

  /** Ends the slot; the swaps of earlier ones are judged. */
  async endSlot(): Promise<void> {
    this.chain.endSlot();
    this.#versions.add(this.chain.update(CLOCK_SYSVAR));
    for (const judge of this.#judges) {
      judge.tick();
      await judge.idle();
    }
  }

  async close(): Promise<void> {
    for (const judge of this.#judges) await judge.close();
  }

  #hold({ venue, address: pool, mint }: PoolRef): void {
    const known: AccountSet = {
      get: (address) => this.#versions.before(this.chain.slot + 1n).get(address),
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const address of venue.accountsNeeded(pool, known, mint)) {
        this.#versions.add(this.chain.update(address));
      }
    }
  }

  #accept({ transaction, updates }: SeenExecution): void {
    for (const update of updates) this.#versions.add(update);
    this.#transactions.set(transaction.signature, transaction);
    for (const { onTransaction } of this.#events) onTransaction(transaction);
  }
}

/** As a node's subscription to logs reports it. */
function logged({ signature, slot, logs }: ObservedTransaction): ObservedTransaction {
  return { signature, slot, logs, instructions: null };
}
