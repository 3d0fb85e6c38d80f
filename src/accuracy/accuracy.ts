import type { Logger } from "pino";
import type { AccountStarts } from "#src/chain/chain-source.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { failureReporter } from "#src/platform/failure-reporter.ts";
import type { Database } from "#src/store/connection/database.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { programDataAddress } from "#src/venues/deployed-program.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { AccuracyRecord, VenueAccuracy } from "./accuracy-record.ts";
import { DeploymentWatch } from "./deployment-watch.ts";
import { differenceBps, type ReplayedSwap } from "./judged-swap.ts";
import { restAfter } from "./pass-rest.ts";
import { ProgramDeployments, type ProgramReport } from "./program-deployments.ts";
import { ANSWER_AGES, QuotedExecuted, type QuotedWindow } from "./quoted-executed.ts";
import type { RecordingSource } from "./recording-source.ts";
import { ReplayHost } from "./replay/host.ts";
import type { FromReplay } from "./replay/messages.ts";
import { servedQuote } from "./served-quote.ts";
import { AccuracyStore, type StoredCounts } from "./store.ts";
import type { TransactionFeed } from "./transaction-feed.ts";
import { HeldWaitings, type WaitingReport } from "./waiting-counts.ts";
import { WaitingJudge } from "./waiting-judge.ts";

const SAVE_EVERY_MS = 5_000;
const UPDATE_POOLS_EVERY_MS = 1_000;
/** The past day of one tracked token, in turn, is computed this often, whether or not it is requested. */
const JUDGE_WAITING_EVERY_MS = 60_000;

export type AccuracyDeps = {
  readonly source: RecordingSource;
  readonly tracker: TrackedPools;
  readonly record: AccuracyRecord;
  /** Where the programs' own accounts are read. */
  readonly starts: AccountStarts;
  /** Where transactions are received, on a separate connection. */
  readonly transactions: TransactionFeed;
  /** True: nothing is judged; the stored record is still published. */
  readonly isOff?: boolean;
  /** Called when a venue's program was seen to be another than before. */
  readonly onUpgrade?: (venue: VenueId, deployedSlot: bigint) => void;
  readonly clock: WallClock;
  /** Where the record is stored; null: it lasts as long as the process. */
  readonly database: Database | null;
  readonly log: Pick<Logger, "error" | "warn" | "info">;
};

export type TrackedPools = Pick<
  Tracker,
  "pools" | "holds" | "onServed" | "mints" | "pastDay" | "onPastDay" | "onSample"
>;

export type AccuracyReport = {
  /** Every venue that is modelled. */
  readonly venues: readonly (VenueAccuracy & { readonly program: ProgramReport })[];
  /** How far sales fell short of answers of a given age, over the last day and thirty days. */
  readonly quoted: readonly {
    readonly ageSeconds: number;
    readonly day: QuotedWindow;
    readonly month: QuotedWindow;
  }[];
  /** How often the ranges of what waiting cost held afterwards; cells without a judgement are left out. */
  readonly waiting: readonly WaitingReport[];
};

/** Compares our quotes with executed swaps, and keeps the record for as long as the service runs. */
export class Accuracy {
  readonly #deps: AccuracyDeps;
  readonly #failed: (what: string, cause: unknown) => void;
  readonly #programs: ProgramDeployments;
  readonly #deployments: DeploymentWatch;
  readonly #counts: StoredCounts;
  readonly #store: AccuracyStore | null;
  readonly #replay: ReplayHost;
  readonly #waitingJudge: WaitingJudge;
  #timers: readonly NodeJS.Timeout[] = [];
  #listening: readonly (() => void)[] = [];
  /** Counts the tokens whose past day was computed. */
  #turn = 0;
  /** When pools are updated next, by `performance.now`. */
  #watchDueMs = 0;
  #saving: Promise<void> = Promise.resolve();

  constructor(deps: AccuracyDeps) {
    const { log, database, record, source } = deps;
    this.#store = database === null ? null : new AccuracyStore(database);
    this.#deps = deps;
    this.#failed = failureReporter(log);
    record.onLine((venue, { isBelow, exactPct }) => {
      if (!isBelow) {
        const found =
          exactPct === null
            ? "no swap of this venue was replayed for an hour; it no longer counts as inexact"
            : "replays of this venue are exact again";
        log.info({ venue, exactPct }, found);
        return;
      }
      log.error(
        { venue, exactPct },
        "replays of this venue are no longer exact; its answers get low confidence",
      );
      void this.checkPrograms();
    });
    const onFailure = this.#failed;
    this.#programs = new ProgramDeployments({
      starts: deps.starts,
      programs: VENUES,
      clock: deps.clock,
      onDeployment: (deployment) => this.#store?.addDeployment(deployment),
      onUpgrade: (venue, { slot, previousSlot }) => {
        log.error(
          { venue, deployedSlot: String(slot), previousSlot: String(previousSlot) },
          "this venue's program was upgraded",
        );
        deps.onUpgrade?.(venue, slot);
      },
      onUnknown: (venues, reason) =>
        log.warn(
          { venues, reason },
          "the deployment slots of these venues' programs are unknown; retrying every 30 seconds",
        ),
      onFailure,
    });
    this.#deployments = new DeploymentWatch({
      ...{ source, clock: deps.clock },
      addresses: VENUES.map(({ programId }) => programDataAddress(programId)),
      check: () => this.checkPrograms(),
      isKnown: () => this.#programs.reports().every(({ state }) => state.kind !== "unknown"),
    });
    this.#counts = {
      tallies: record.tallies,
      quoted: new QuotedExecuted(),
      waiting: new HeldWaitings(),
      programs: this.#programs,
    };
    this.#waitingJudge = new WaitingJudge(this.#counts.waiting);
    this.#replay = new ReplayHost({
      start: () => ({
        feed: deps.transactions,
        rows: this.#counts.tallies.rows(),
        quoted: this.#counts.quoted.rows(),
      }),
      onMessage: (message) => this.#accept(message),
      onFailure,
    });
    if (deps.isOff !== true) source.recordTo(this.#replay, (address) => this.#holds(address));
  }

  report(): AccuracyReport {
    const nowMs = this.#deps.clock.nowMs();
    const { quoted, waiting } = this.#counts;
    return {
      venues: this.#programs.reports().map((program) => ({
        ...this.#deps.record.venue(program.venue, nowMs),
        program,
      })),
      quoted: ANSWER_AGES.map((age) => ({
        ageSeconds: age,
        day: quoted.window(age, nowMs, 24),
        month: quoted.window(age, nowMs, 720),
      })),
      waiting: waiting.report(nowMs),
    };
  }

  /** Reads the programs' deployments now; this is also done at the start and at each change. Never throws. */
  checkPrograms(): Promise<void> {
    return this.#programs.check();
  }

  /** Restores the stored record, and judges the swaps of tracked pools until it is closed. */
  async start(): Promise<void> {
    const { tracker } = this.#deps;
    await this.#store?.restore(this.#counts);
    this.#deployments.start();
    if (this.#deps.isOff === true) return;
    this.#replay.start();
    this.#listening = [
      tracker.onServed((served) => {
        const quote = servedQuote(served);
        if (quote !== null) this.#replay.serve(quote);
      }),
      tracker.onPastDay((ranges) => this.#waitingJudge.compute(ranges)),
      tracker.onSample(({ mint, sample }) => this.#waitingJudge.sample(mint, sample)),
    ];
    this.#timers = [
      setInterval(() => this.#watchPools(), UPDATE_POOLS_EVERY_MS),
      setInterval(() => this.#saveAndTrim(), SAVE_EVERY_MS),
      setInterval(() => void this.#computeNextPastDay(), JUDGE_WAITING_EVERY_MS),
    ];
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const stop of this.#listening) stop();
    await this.#deployments.close();
    await this.#programs.close();
    await this.#replay.close();
    this.#save();
    await this.#saving;
  }

  /** Computes the ranges of the tracked tokens in turn, so that ranges without a caller are judged too. */
  async #computeNextPastDay(): Promise<void> {
    const { tracker } = this.#deps;
    const mints = tracker.mints();
    const mint = mints[this.#turn++ % Math.max(1, mints.length)];
    if (mint === undefined) return;
    await tracker
      .pastDay(mint)
      .catch((cause: unknown) => this.#failed("compute what waiting cost", cause));
  }

  #watchPools(): void {
    const startMs = performance.now();
    if (startMs < this.#watchDueMs) return;
    this.#replay.watch(this.#deps.tracker.pools());
    const nowMs = performance.now();
    this.#watchDueMs = nowMs + restAfter(nowMs - startMs);
  }

  /** Stores what is new, and drops accounts that nothing depends on any more. */
  #saveAndTrim(): void {
    this.#replay.retain((address) => this.#holds(address));
    this.#save();
  }

  #save(): void {
    const { clock } = this.#deps;
    this.#saving = this.#saving
      .then(() => this.#store?.save(this.#counts, clock.nowMs()))
      .catch((cause: unknown) => this.#failed("store the accuracy record", cause));
  }

  #holds(address: Address): boolean {
    return address === CLOCK_SYSVAR || this.#deps.tracker.holds(address);
  }

  #accept(message: Exclude<FromReplay, { readonly kind: "read" }>): void {
    switch (message.kind) {
      case "counted":
        this.#deps.record.replace(message.rows);
        this.#counts.quoted.replace(message.quoted);
        return;
      case "judged":
        this.#store?.addSwaps(message.swaps);
        return;
      case "mismatch":
        this.#keepMismatch(message.swap, message.execution);
        return;
      case "failure":
        this.#failed(message.what, message.cause);
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
      "a swap paid another amount than the model computes",
    );
  }
}
