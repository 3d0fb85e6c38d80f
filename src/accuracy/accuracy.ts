import type { Logger } from "pino";
import type { AccountStarts, ChainSource } from "#src/chain/chain-source.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Database } from "#src/store/database.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { keepVersions } from "./account-versions.ts";
import { AccuracyRecord, type VenueAccuracy } from "./accuracy-record.ts";
import { AccuracyStore, type Kept } from "./accuracy-store.ts";
import { differenceBps, type ReplayedSwap } from "./judged-swap.ts";
import { type ProgramReport, ProgramWatch } from "./program-watch.ts";
import { ANSWER_AGES, QuotedExecuted, type QuotedWindow } from "./quoted-executed.ts";
import type { FromReplay } from "./replay-messages.ts";
import { ReplayWorker } from "./replay-worker.ts";
import { servedAnswer } from "./served-answer.ts";
import type { TransactionFeed } from "./transaction-feed.ts";

const SAVE_EVERY_MS = 5_000;
const WATCH_EVERY_MS = 1_000;
/** An upgrade is noticed within this time, swaps or none. */
const CHECK_PROGRAMS_EVERY_MS = 60_000;
/** Every answer asks for the shares: they are counted anew at most this often. */
const CHECK_EVERY_MS = 500;

export type AccuracyDeps = {
  readonly source: ChainSource;
  /** Where the programs' own accounts are read. */
  readonly starts: AccountStarts;
  /** Where transactions are heard, on a connection of their own. */
  readonly transactions: TransactionFeed;
  readonly nowMs: NowMs;
  /** Where the record is kept; null: it lasts as long as the process. */
  readonly database: Database | null;
  readonly log: Pick<Logger, "error" | "warn" | "info">;
};

/** How near our quotes come to swaps that really happened, kept for as long as the service runs. */
export interface Accuracy {
  /** The chain for the tracker: what passes through it is what swaps are replayed on. */
  readonly source: ChainSource;
  /** Share of exact replays, percent, of the venues that have any: for confidence. */
  exactPctByVenue(): ReadonlyMap<VenueId, number>;
  report(): AccuracyReport;
  /** Reads now when the programs were deployed: done at the start and every minute too. Never throws. */
  checkPrograms(): Promise<void>;
  /** Takes up the record that is stored, and watches the swaps of whatever is tracked until it is closed. */
  start(tracker: TrackedPools): Promise<void>;
  close(): Promise<void>;
}

export type TrackedPools = Pick<Tracker, "pools" | "holds" | "onServed">;

export type AccuracyReport = {
  /** Every venue that is modelled. */
  readonly venues: readonly (VenueAccuracy & { readonly program: ProgramReport })[];
  /** What an answer's age costs, over the last day and thirty days. */
  readonly quoted: readonly {
    readonly ageSeconds: number;
    readonly day: QuotedWindow;
    readonly month: QuotedWindow;
  }[];
};

export function createAccuracy(deps: AccuracyDeps): Accuracy {
  return new LiveAccuracy(deps);
}

class LiveAccuracy implements Accuracy {
  readonly source: ChainSource;
  readonly #deps: AccuracyDeps;
  readonly #record: AccuracyRecord;
  readonly #programs: ProgramWatch;
  readonly #kept: Kept;
  readonly #store: AccuracyStore | null;
  readonly #replay: ReplayWorker;
  #tracker: TrackedPools | null = null;
  #shares: ReadonlyMap<VenueId, number> = new Map();
  #sharesDueMs = 0;
  #timers: readonly NodeJS.Timeout[] = [];
  #stopServed: (() => void) | null = null;
  #saving: Promise<void> = Promise.resolve();

  constructor(deps: AccuracyDeps) {
    const { log, database } = deps;
    this.#store = database === null ? null : new AccuracyStore(database);
    this.#deps = deps;
    this.#record = new AccuracyRecord({
      onLine: (venue, { isBelow, exactPct }) => {
        if (!isBelow) {
          const found =
            exactPct === null
              ? "replays of this venue were not exact, and for an hour there was none"
              : "replays of this venue are exact again";
          log.info({ venue, exactPct }, found);
          return;
        }
        log.error({ venue, exactPct }, "replays of this venue are no longer exact");
        void this.checkPrograms();
      },
    });
    this.#programs = new ProgramWatch({
      starts: deps.starts,
      programs: VENUES,
      nowMs: deps.nowMs,
      onDeployment: (deployment) => this.#store?.addDeployment(deployment),
      onUpgrade: (venue, { slot, previousSlot }) =>
        log.error(
          { venue, deployedSlot: String(slot), previousSlot: String(previousSlot) },
          "this venue's program was upgraded",
        ),
      onUnknown: (venue, reason) =>
        log.warn({ venue, reason }, "it is not known when this venue's program was deployed"),
      onFailure: (what, cause) => log.warn({ err: cause }, `accuracy failed to ${what}`),
    });
    this.#kept = {
      tallies: this.#record.tallies,
      quoted: new QuotedExecuted(),
      programs: this.#programs,
    };
    this.#replay = new ReplayWorker({
      start: () => ({
        feed: deps.transactions,
        rows: this.#kept.tallies.rows(),
        quoted: this.#kept.quoted.rows(),
      }),
      onTold: (message) => this.#hear(message),
      onFailure: (what, cause) => log.warn({ err: cause }, `accuracy failed to ${what}`),
    });
    this.source = keepVersions(deps.source, this.#replay, (address) => this.#holds(address));
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
    const nowMs = this.#deps.nowMs();
    const { quoted } = this.#kept;
    return {
      venues: this.#programs.reports().map((program) => ({
        ...this.#record.venue(program.venue, nowMs),
        program,
      })),
      quoted: ANSWER_AGES.map((age) => ({
        ageSeconds: age,
        day: quoted.window(age, nowMs, 24),
        month: quoted.window(age, nowMs, 720),
      })),
    };
  }

  checkPrograms(): Promise<void> {
    return this.#programs.check();
  }

  async start(tracker: TrackedPools): Promise<void> {
    await this.#store?.restore(this.#kept);
    void this.checkPrograms();
    this.#tracker = tracker;
    this.#replay.start();
    this.#stopServed = tracker.onServed((served) => {
      const answer = servedAnswer(served);
      if (answer !== null) this.#replay.serve(answer);
    });
    this.#timers = [
      setInterval(() => this.#replay.watch(tracker.pools()), WATCH_EVERY_MS),
      setInterval(() => this.#tidy(), SAVE_EVERY_MS),
      setInterval(() => void this.checkPrograms(), CHECK_PROGRAMS_EVERY_MS),
    ];
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopServed?.();
    await this.#programs.close();
    await this.#replay.close();
    this.#save();
    await this.#saving;
  }

  /** Stores what is new, and forgets accounts that nothing depends on any more. */
  #tidy(): void {
    this.#replay.retain((address) => this.#holds(address));
    this.#save();
  }

  #save(): void {
    const { nowMs, log } = this.#deps;
    this.#saving = this.#saving
      .then(() => this.#store?.save(this.#kept, nowMs()))
      .catch((cause) => log.warn({ err: cause }, "accuracy failed to store its record"));
  }

  #holds(address: Address): boolean {
    return address === CLOCK_SYSVAR || this.#tracker?.holds(address) === true;
  }

  #hear(message: Exclude<FromReplay, { readonly kind: "read" }>): void {
    switch (message.kind) {
      case "counted":
        this.#kept.tallies.replace(message.rows);
        this.#kept.quoted.replace(message.quoted);
        this.#sharesDueMs = 0;
        return;
      case "judged":
        this.#store?.addSwaps(message.swaps);
        return;
      case "mismatch":
        this.#keepMismatch(message.swap, message.execution);
        return;
      case "failure":
        this.#deps.log.warn({ err: message.cause }, `accuracy failed to ${message.what}`);
        return;
      default:
        assertNever(message);
    }
  }

  #keepMismatch(swap: ReplayedSwap, execution: string | null): void {
    const { venue, pool, signature, outcome, atMs } = swap;
    if (execution !== null) this.#store?.addMismatch({ atMs, venue, signature, execution });
    const { executed, modelled } = outcome;
    const deployedSlot = this.#programs.deployedSlotAt(venue, swap.slot);
    this.#deps.log.warn(
      {
        venue,
        pool,
        signature,
        slot: String(swap.slot),
        executed: String(executed),
        modelled: modelled === null ? null : String(modelled),
        bps: differenceBps(outcome),
        deployedSlot: deployedSlot === null ? null : String(deployedSlot),
      },
      "a swap paid something else than the model says",
    );
  }
}
