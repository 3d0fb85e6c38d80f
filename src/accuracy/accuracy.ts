import type { Logger } from "pino";
import type { ChainSource, TransactionSource } from "#src/chain/chain-source.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { AccountVersions, keepVersions } from "./account-versions.ts";
import { AccuracyRecord, isMismatch, type VenueAccuracy } from "./accuracy-record.ts";
import { differenceBps, type JudgedSwap } from "./judged-swap.ts";
import { SwapWatch } from "./swap-watch.ts";

/** Every answer asks for the shares: they are counted anew at most this often. */
const CHECK_EVERY_MS = 500;

export type AccuracyDeps = {
  readonly source: ChainSource & TransactionSource;
  readonly nowMs: NowMs;
  readonly log: Pick<Logger, "warn" | "info">;
};

/** How near our quotes come to swaps that really happened, kept for as long as the service runs. */
export interface Accuracy {
  /** The chain for the tracker: what passes through it is what swaps are replayed on. */
  readonly source: ChainSource;
  /** Share of exact replays, percent, of the venues that have any: for confidence. */
  exactPctByVenue(): ReadonlyMap<VenueId, number>;
  report(): AccuracyReport;
  /** Watches the swaps of whatever is tracked, until it is closed. */
  start(tracker: Pick<Tracker, "pools">): void;
  close(): Promise<void>;
}

export type AccuracyReport = { readonly venues: readonly VenueAccuracy[] };

export function createAccuracy(deps: AccuracyDeps): Accuracy {
  return new LiveAccuracy(deps);
}

class LiveAccuracy implements Accuracy {
  readonly source: ChainSource;
  readonly #deps: AccuracyDeps;
  readonly #versions = new AccountVersions();
  readonly #record: AccuracyRecord;
  #watch: SwapWatch | null = null;
  #shares: ReadonlyMap<VenueId, number> = new Map();
  #sharesDueMs = 0;

  constructor(deps: AccuracyDeps) {
    const { log } = deps;
    this.#deps = deps;
    this.source = keepVersions(deps.source, this.#versions);
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

  start(tracker: Pick<Tracker, "pools">): void {
    const { source, nowMs, log } = this.#deps;
    this.#watch = new SwapWatch({
      transactions: source,
      versions: this.#versions,
      pools: () => tracker.pools(),
      nowMs,
      onJudged: (swap) => this.#keep(swap),
      onFailure: (what, cause) => log.warn({ err: cause }, `accuracy failed to ${what}`),
    });
    this.#watch.start();
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  #keep(swap: JudgedSwap): void {
    this.#record.add(swap);
    this.#sharesDueMs = 0;
    if (!isMismatch(swap)) return;
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
