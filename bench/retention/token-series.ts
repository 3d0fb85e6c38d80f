import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { between, type Random } from "#src/platform/seeded-random.ts";
import { SAMPLE_EVERY_MS, type Sample } from "#src/track/history/sample.ts";
import { gaussian } from "../detection/flow.ts";

const SIZES_SOL = STANDARD_SIZES.map(Number);

/** How often a token is traded (TRADES_PER_STEP). */
type Trading = "busy" | "moderate" | "quiet";

const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;
/** Trades in ten seconds. A quiet token has a trade every few hours, a moderate one every few minutes. */
const TRADES_PER_STEP = {
  busy: [0.3, 1],
  moderate: [0.01, 0.05],
  quiet: [0.000_2, 0.001],
} as const;
/** One token in fifty is traded all the time, one in twenty every few minutes. */
const SHARES = { busy: 0.02, moderate: 0.07 } as const;
/** Time for which a launched token is traded like a busy one; after that most are quiet. */
const LAUNCH_MS = { least: 0.3 * MS_PER_HOUR, most: 4 * MS_PER_HOUR } as const;
const RUGGED = 0.3;
const BLOCKS_PER_DAY = 0.3;
const BLOCKED_MS = 4 * 60_000;
/** How often an unchanged sample is given, as in the tracker. */
const QUIET_MS = 300_000;

/**
 * One token of a market: a constant-product pool whose SOL changes by random trades. Gives a sample for each
 * change, and one every five minutes.
 */
export class TokenSeries {
  readonly #random: Random;
  readonly #createdMs: number;
  readonly #launchEndsMs: number;
  readonly #later: Trading;
  readonly #isRugged: boolean;
  #sol: number;
  #nextMs: number;
  #tradesAtMs: number;
  #blockedUntilMs = 0;

  /** @param isLaunch true: created now; false: it has been traded for a long time */
  constructor(random: Random, nowMs: number, isLaunch: boolean) {
    this.#random = random;
    this.#createdMs = nowMs;
    const launchMs = between(random, LAUNCH_MS.least, LAUNCH_MS.most);
    this.#launchEndsMs = isLaunch ? nowMs + launchMs : nowMs;
    this.#isRugged = isLaunch && random() < RUGGED;
    const drawn = random();
    this.#later =
      drawn < SHARES.busy ? "busy" : drawn < SHARES.moderate && !isLaunch ? "moderate" : "quiet";
    this.#sol = isLaunch ? between(random, 5, 30) : Math.exp(between(random, 1, 7));
    this.#nextMs = gridTime(nowMs + random() * QUIET_MS);
    this.#tradesAtMs = this.#nextMs;
  }

  /** The samples before a time, ascending, from where the last call ended. */
  *until(endMs: number): Generator<Sample> {
    for (; this.#nextMs < endMs; ) {
      const atMs = this.#nextMs;
      if (atMs >= this.#tradesAtMs) this.#trade(atMs);
      this.#nextMs = Math.min(gridTime(this.#tradesAtMs), atMs + QUIET_MS);
      yield this.#sampleAt(atMs);
    }
  }

  #trade(atMs: number): void {
    const random = this.#random;
    const isLaunch = atMs < this.#launchEndsMs;
    if (!isLaunch && this.#isRugged && this.#sol > 0.5) this.#sol = 0.02;
    this.#sol = Math.max(0.01, this.#sol * Math.exp(0.006 * gaussian(random)));
    if (random() < 0.002) this.#sol *= between(random, 0.6, 1.4);
    const [least, most] = TRADES_PER_STEP[isLaunch ? "busy" : this.#later];
    const meanMs = SAMPLE_EVERY_MS / between(random, least, most);
    if (random() < (BLOCKS_PER_DAY * meanMs) / MS_PER_DAY) this.#blockedUntilMs = atMs + BLOCKED_MS;
    const waitMs = Math.max(SAMPLE_EVERY_MS, -meanMs * Math.log(1 - random()));
    const nextMs = atMs + waitMs;
    // A trade right after the end of a launch, which may be its rug.
    this.#tradesAtMs =
      isLaunch && nextMs > this.#launchEndsMs ? this.#launchEndsMs + SAMPLE_EVERY_MS : nextMs;
    if (this.#blockedUntilMs > atMs)
      this.#tradesAtMs = Math.min(this.#tradesAtMs, this.#blockedUntilMs);
  }

  #sampleAt(atMs: number): Sample {
    const basis = Math.floor(this.#createdMs / 1_000) % 2 ** 32;
    if (atMs < this.#blockedUntilMs) {
      const slippagesPct = STANDARD_SIZES.map(() => null);
      return {
        ...{ atMs, c10Sol: null, depthSol: null, slippagesPct, mid: null },
        ...{ confidence: "low", basis },
      };
    }
    const sol = this.#sol;
    const slippagesPct = SIZES_SOL.map((size) =>
      size > 20 * sol ? null : (100 * size) / (sol + size),
    );
    return {
      ...{ atMs, c10Sol: sol / 9, depthSol: sol, slippagesPct, mid: sol * sol * 1e-8 },
      ...{ confidence: "high", basis },
    };
  }
}

function gridTime(atMs: number): number {
  return Math.ceil(atMs / SAMPLE_EVERY_MS) * SAMPLE_EVERY_MS;
}
