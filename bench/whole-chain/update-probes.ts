import { setTimeout as delay } from "node:timers/promises";
import type { Address } from "#src/units/address.ts";
import { Latencies } from "../support/latencies.ts";
import { type Asked, ask, type KeyRing } from "./ask.ts";
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
  /** The depth after each token's newest update; none: that was not seen yet. */
  readonly #depths = new Map<Address, number | null>();
  readonly #newestSlots = new Map<Address, number>();
  readonly #tallies = { outside: newTally(), inside: newTally() };
  readonly #chain: Chain;
  #interval = newTally();
  #isOn = false;

  constructor(chain: Chain, url: string, keys: KeyRing) {
    this.#chain = chain;
    this.#url = url;
    this.#keys = keys;
    chain.onSent.push((event) => {
      if (event.kind === "probe" && this.#isOn) void this.#probe(event).catch(() => undefined);
    });
  }

  /** Reads each probed token's depth before its first trade. */
  async start(): Promise<void> {
    for (const mint of this.#chain.ready.probes) {
      const answer = await ask(this.#url, mint, this.#keys.next());
      this.#depths.set(mint, depthOf(answer));
    }
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

  /**
   * An update counts if the one before it was seen before it was sent. Otherwise a changed depth may be of the one
   * before, and the depth is read again once an answer has this update.
   */
  async #probe({ mint, slot, atMs }: SentEvent): Promise<void> {
    const tallies = [
      this.#chain.head.isBurst ? this.#tallies.inside : this.#tallies.outside,
      this.#interval,
    ];
    const before = this.#depths.get(mint);
    this.#depths.delete(mint);
    this.#newestSlots.set(mint, slot);
    if (before === undefined) {
      await delay(GIVEN_UP_AFTER_MS);
      const answer = await ask(this.#url, mint, this.#keys.next());
      if (answer.status === 200 && (answer.slot ?? 0) >= slot) this.#keepDepth(mint, slot, answer);
      return;
    }
    for (;;) {
      const answer = await ask(this.#url, mint, this.#keys.next());
      const waitedMs = answer.atMs - atMs;
      if (answer.status === 200 && depthOf(answer) !== before) {
        this.#keepDepth(mint, slot, answer);
        for (const tally of tallies) {
          tally.probes++;
          tally.latencies.add(waitedMs);
        }
        return;
      }
      if (waitedMs > GIVEN_UP_AFTER_MS) {
        for (const tally of tallies) tally.missed++;
        return;
      }
      await delay(PAUSES.find(({ upToMs }) => waitedMs < upToMs)?.pauseMs);
    }
  }

  /** The answer may have a newer update or not, if one was sent meanwhile. */
  #keepDepth(mint: Address, slot: number, answer: Asked): void {
    if (this.#newestSlots.get(mint) === slot) this.#depths.set(mint, depthOf(answer));
  }
}

function depthOf({ body }: Asked): number | null {
  return body.depth_sol ?? null;
}

function newTally(): Tally {
  return { probes: 0, missed: 0, latencies: new Latencies() };
}

function figuresOf({ probes, missed, latencies }: Tally): ProbeFigures {
  return { probes, missed, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99) };
}
