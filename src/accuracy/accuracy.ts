import type { Logger } from "pino";
import type { ChainSource, TransactionSource } from "#src/chain/chain-source.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Database } from "#src/store/database.ts";
import type { PoolRef } from "#src/track/open-pool.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { AccountVersions, keepVersions } from "./account-versions.ts";
import { AccuracyRecord, isMismatch, type VenueAccuracy } from "./accuracy-record.ts";
import { AccuracyStore } from "./accuracy-store.ts";
import { differenceBps, type JudgedSwap } from "./judged-swap.ts";
import { mismatchLine } from "./mismatch-line.ts";
import type { ReplayGround } from "./replay-swap.ts";
import { SwapWatch } from "./swap-watch.ts";

const SAVE_EVERY_MS = 5_000;
/** Every answer asks for the shares: they are counted anew at most this often. */
const CHECK_EVERY_MS = 500;

export type AccuracyDeps = {
  readonly source: ChainSource & TransactionSource;
  readonly nowMs: NowMs;
  /** Where the record is kept; null: it lasts as long as the process. */
  readonly database: Database | null;
  readonly log: Pick<Logger, "warn" | "info">;
};

/** How near our quotes come to swaps that really happened, kept for as long as the service runs. */
export interface Accuracy {
  /** The chain for the tracker: what passes through it is what swaps are replayed on. */
  readonly source: ChainSource;
  /** Share of exact replays, percent, of the venues that have any: for confidence. */
  exactPctByVenue(): ReadonlyMap<VenueId, number>;
  report(): AccuracyReport;
  /** Takes up the record that is stored, and watches the swaps of whatever is tracked until it is closed. */
  start(tracker: TrackedPools): Promise<void>;
  close(): Promise<void>;
}

export type TrackedPools = Pick<Tracker, "pools" | "holds">;

export type AccuracyReport = { readonly venues: readonly VenueAccuracy[] };

export function createAccuracy(deps: AccuracyDeps): Accuracy {
  return new LiveAccuracy(deps);
}

class LiveAccuracy implements Accuracy {
  readonly source: ChainSource;
  readonly #deps: AccuracyDeps;
  readonly #versions = new AccountVersions();
  readonly #record: AccuracyRecord;
  readonly #store: AccuracyStore | null;
  #tracker: TrackedPools | null = null;
  #watch: SwapWatch | null = null;
  #shares: ReadonlyMap<VenueId, number> = new Map();
  #sharesDueMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();

  constructor(deps: AccuracyDeps) {
    const { log, database } = deps;
    this.#store = database === null ? null : new AccuracyStore(database);
    this.#deps = deps;
    this.source = keepVersions(deps.source, this.#versions, (address) => this.#holds(address));
    this.#record = new AccuracyRecord({
      onLine: (venue, { isBelow, exactPct }) => {
        if (isBelow) log.warn({ venue, exactPct }, "replays of this venue are no longer exact");
        else log.info({ venue, exactPct }, "replays of this venue are exact again");
      },
    });
  }

  exactPctByVenue(): ReadonlyMap<VenueId, number> {
    const nowMs = this.#deps.nowMs();
    if (nowMs >= this.#sharesDueMs) {
      this.#sharesDueMs = nowMs + CHECK_EVERY_MS;
      this.#shares = this.#record.check(nowMs);
    }
    return this.#shares;
  }

  report(): AccuracyReport {
    return { venues: this.#record.report(this.#deps.nowMs()) };
  }

  async start(tracker: TrackedPools): Promise<void> {
    await this.#store?.restore(this.#record.tallies);
    this.#tracker = tracker;
    const { source, nowMs, log } = this.#deps;
    this.#watch = new SwapWatch({
      transactions: source,
      versions: this.#versions,
      pools: () => tracker.pools(),
      nowMs,
      onJudged: (swap, ref, ground) => this.#keep(swap, ref, ground),
      onFailure: (what, cause) => log.warn({ err: cause }, `accuracy failed to ${what}`),
    });
    this.#watch.start();
    this.#timer = setInterval(() => this.#tidy(), SAVE_EVERY_MS);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#watch?.close();
    this.#tidy();
    await this.#saving;
  }

  /** Stores what is new, and forgets accounts that nothing depends on any more. */
  #tidy(): void {
    const { nowMs, log } = this.#deps;
    this.#versions.retain((address) => this.#holds(address));
    this.#saving = this.#saving
      .then(() => this.#store?.save(this.#record.tallies, nowMs()))
      .catch((cause) => log.warn({ err: cause }, "accuracy failed to store its record"));
  }

  #holds(address: Address): boolean {
    return address === CLOCK_SYSVAR || this.#tracker?.holds(address) === true;
  }

  #keep(swap: JudgedSwap, ref: PoolRef, ground: ReplayGround | null): void {
    this.#record.add(swap);
    this.#sharesDueMs = 0;
    if (!isMismatch(swap)) return;
    if (ground !== null) {
      const { atMs, venue: id, signature: of } = swap;
      const execution = mismatchLine(swap, ref, ground);
      this.#store?.addMismatch({ atMs, venue: id, signature: of, execution });
    }
    const { venue, pool, signature, outcome } = swap;
    const { executed, modelled } = outcome;
    this.#deps.log.warn(
      {
        venue,
        pool,
        signature,
        slot: String(swap.slot),
        executed: String(executed),
        modelled: modelled === null ? null : String(modelled),
        bps: differenceBps(outcome),
      },
      "a swap paid something else than the model says",
    );
  }
}
