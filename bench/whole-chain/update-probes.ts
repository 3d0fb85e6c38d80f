import { setTimeout as delay } from "node:timers/promises";
import type { Address } from "#src/units/address.ts";
import { Latencies } from "../latencies.ts";
import { ask, type KeyRing } from "./ask.ts";
import type { Chain } from "./chain.ts";
import type { SentEvent } from "./chain-process.ts";

export type ProbeFigures = {
  readonly probes: number;
  readonly missed: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
};

type Tally = { probes: number; missed: number; latencies: Latencies };

/** A pool is traded again after some four seconds. */
const GIVEN_UP_AFTER_MS = 3_500;
/** Waits between two requests, by how long the answer has been awaited. */
const PAUSES = [
  { upToMs: 20, pauseMs: 1 },
  { upToMs: 200, pauseMs: 8 },
  { upToMs: Number.POSITIVE_INFINITY, pauseMs: 40 },
] as const;

/** The time from a sent update to the first answer with another depth, on pools that nothing else trades. */
export class UpdateProbes {
  readonly #url: string;
  readonly #keys: KeyRing;
  /** The depth after each token's last update; none: that update was not seen. */
  readonly #depths = new Map<Address, number | null>();
  readonly #lastSlots = new Map<Address, number>();
  readonly #tallies = { outside: newTally(), inside: newTally() };
  readonly #chain: Chain;
  #interval = newTally();
  #isOn = false;

  constructor(chain: Chain, url: string, keys: KeyRing) {
    this.#chain = chain;
    this.#url = url;
    this.#keys = keys;
    chain.onSent.push((event) => {
      if (event.kind !== "probe" || !this.#isOn) return;
      // Without an answer nothing is known of this update.
      void this.#probe(event).catch(() => this.#depths.delete(event.mint));
    });
  }

  /** Reads each probed token's depth before its first trade. */
  async start(): Promise<void> {
    for (const mint of this.#chain.ready.probes) await this.#readDepth(mint);
    this.#isOn = true;
  }

  stop(): void {
    this.#isOn = false;
  }

  get outside(): ProbeFigures {
    return figuresOf(this.#tallies.outside);
  }

  get inside(): ProbeFigures {
    return figuresOf(this.#tallies.inside);
  }

  /** Since the last call. */
  takeInterval(): ProbeFigures {
    const figures = figuresOf(this.#interval);
    this.#interval = newTally();
    return figures;
  }

  async #readDepth(mint: Address): Promise<void> {
    const { status, body } = await ask(this.#url, mint, this.#keys.next());
    if (status === 200) this.#depths.set(mint, body.depth_sol ?? null);
  }

  /**
   * After an update that was not seen, the next one counts for nothing: a changed depth may be of the one before.
   * So may that of an answer which does not claim the slot of the update before.
   */
  async #probe({ mint, slot, atMs }: SentEvent): Promise<void> {
    const tallies = [
      this.#chain.head.isBurst ? this.#tallies.inside : this.#tallies.outside,
      this.#interval,
    ];
    const before = this.#depths.get(mint);
    const lastSlot = this.#lastSlots.get(mint) ?? 0;
    this.#lastSlots.set(mint, slot);
    if (before === undefined) {
      await delay(GIVEN_UP_AFTER_MS);
      await this.#readDepth(mint);
      return;
    }
    for (;;) {
      const answer = await ask(this.#url, mint, this.#keys.next());
      const waitedMs = answer.atMs - atMs;
      const depth = answer.body.depth_sol ?? null;
      const isSeen = answer.status === 200 && depth !== before;
      if (isSeen && (answer.slot ?? 0) >= lastSlot) {
        this.#depths.set(mint, depth);
        for (const tally of tallies) {
          tally.probes++;
          tally.latencies.add(waitedMs);
        }
        return;
      }
      if (isSeen || waitedMs > GIVEN_UP_AFTER_MS) {
        for (const tally of tallies) tally.missed++;
        this.#depths.delete(mint);
        return;
      }
      await delay(PAUSES.find(({ upToMs }) => waitedMs < upToMs)?.pauseMs);
    }
  }
}

function newTally(): Tally {
  return { probes: 0, missed: 0, latencies: new Latencies() };
}

function figuresOf({ probes, missed, latencies }: Tally): ProbeFigures {
  return { probes, missed, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99) };
}
