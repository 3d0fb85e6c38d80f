import { setImmediate as nextTurn } from "node:timers/promises";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import type { Store } from "#src/store/schema.ts";
import { mintsToGrade } from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";
import { type WatchedEntry, watchedEntries, watchedMints } from "#src/store/watchlist.ts";
import type { MarketReport } from "#src/track/market-report.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { type AlertNotices, FindingWriter } from "./finding-writer.ts";
import { isStandardSize } from "./rules/market-reading.ts";
import {
  applyEntries,
  applyMarket,
  isOfBlock,
  NO_ENTRIES,
  type RuleFinding,
  type RuleInput,
  type TokenRules,
} from "./rules/token-rules.ts";
import { WatchedTokens } from "./watched-tokens.ts";

const RELOAD_EVERY_MS = 15_000;
const WATCH_EVERY_MS = 1_000;
/** Entries read in one turn. */
const ENTRIES_PER_PAGE = 500;
/** One turn judges markets for at most this long, so that requests are served in between. */
const TURN_BUDGET_MS = 8;

export type AlertRecorderDeps = AlertNotices & {
  readonly store: Store;
  readonly markets: Pick<Tracker, "onReport" | "setWatched">;
  readonly clock: WallClock;
  readonly newUid: () => string;
  readonly log: FailureLogger;
};

type PendingReport = RuleInput & Required<Pick<RuleInput, "takenBackSince">>;

/**
 * The one owner of alerts: receives what the tracker measures, applies the rules to it, and writes a
 * token's alert and its watchers' alerts together. Reports are received from construction on; they
 * are judged once the watchlists are loaded.
 */
export class AlertRecorder {
  readonly #deps: AlertRecorderDeps;
  readonly #writer: FindingWriter;
  readonly #watched = new WatchedTokens();
  readonly #pending = new Map<Address, PendingReport>();
  readonly #unsubscribe: () => void;
  readonly #reloadFailures: FailureLog;
  readonly #reloads: Poller;
  readonly #watches: Poller;
  #tokens = new Map<Address, TokenRules>();
  #isLoaded = false;
  #isTurnDue = false;
  #reloading: Promise<void> = Promise.resolve();
  /** Entries whose side is newer than what a reload under way reads. */
  #newerSides = new Set<bigint>();

  constructor(deps: AlertRecorderDeps) {
    this.#deps = deps;
    this.#writer = new FindingWriter(deps);
    this.#unsubscribe = deps.markets.onReport((report) => this.#receive(report));
    this.#reloadFailures = new FailureLog({
      log: deps.log,
      what: "read the watchlists",
      next: "retrying every 15 s, alerts follow the last ones read",
    });
    const timing = { failures: null, keepsProcessAlive: true };
    this.#reloads = new Poller({ run: () => this.reload(), everyMs: RELOAD_EVERY_MS, ...timing });
    this.#watches = new Poller({ run: () => this.#watch(), everyMs: WATCH_EVERY_MS, ...timing });
  }

  /** Users' alerts written since the start. */
  get recorded(): number {
    return this.#writer.recorded;
  }

  /** Loads the watchlists and begins to judge. */
  async start(): Promise<void> {
    await this.reload();
    this.#reloads.start();
    this.#watches.start();
    this.#watch();
  }

  /** Reads the watchlist of a user after a change, or every watchlist. */
  reload(userId: UserId | null = null): Promise<void> {
    const reloaded = this.#reloading.then(() => this.#reload(userId));
    this.#reloading = this.#reloadFailures.outcomeOf(reloaded);
    return this.#reloading;
  }

  /** Resolves when every report received so far is judged and on disk. */
  async idle(): Promise<void> {
    await this.#reloading;
    do await this.settled();
    while (this.#isLoaded && (this.#pending.size > 0 || !this.#writer.isEmpty));
  }

  /** Resolves when what is due now was judged and its write has ended, however it ended. */
  async settled(): Promise<void> {
    await this.#reloading;
    this.#turn();
    await this.#writer.write();
  }

  /** Judges and writes what was received; nothing uses the database after it, also if it can't be written. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([this.#reloads.close(), this.#watches.close()]);
    await this.#reloading;
    // A change of a token's alert is never reported again, a market is.
    if (this.#isLoaded) this.#judgeChanged();
    this.#pending.clear();
    await this.#writer.close();
  }

  #receive({ snapshot, market, alertChange, chainMs, takenBackSince }: MarketReport): void {
    const { mint } = snapshot.assessment;
    this.#watched.noteSeen(mint);
    if (alertChange === null && !this.#tokens.has(mint)) return;
    const pending = this.#pending.get(mint);
    const since = earliest(pending?.takenBackSince ?? null, takenBackSince ?? null);
    const earlier = (pending?.alertChanges ?? []).filter(
      // Void before it was written: its end, which is among the changes, ends nothing.
      ({ kind, slot }) => kind === "off" || takenBackSince === undefined || slot < takenBackSince,
    );
    const alertChanges = alertChange === null ? earlier : [...earlier, alertChange];
    const entries = this.#tokens.get(mint)?.entries ?? [];
    const needsMarket = entries.some(({ sizeLamports }) => !isStandardSize(sizeLamports));
    // Built now: a market of a later moment would not be the one that the snapshot is of.
    const report = { snapshot, market: needsMarket ? market() : null, alertChanges, chainMs };
    this.#pending.set(mint, { ...report, takenBackSince: since });
    this.#scheduleTurn();
  }

  #scheduleTurn(): void {
    if (this.#isTurnDue || !this.#isLoaded) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#turn();
      if (this.#pending.size > 0) this.#scheduleTurn();
    });
  }

  #turn(): void {
    if (!this.#isLoaded) return;
    const startedMs = this.#deps.clock.nowMs();
    this.#judgeChanged();
    for (const [mint, report] of this.#pending) {
      if (this.#deps.clock.nowMs() - startedMs >= TURN_BUDGET_MS) break;
      this.#judge(mint, report);
    }
  }

  /** Tokens whose own alert changed come first. */
  #judgeChanged(): void {
    for (const [mint, report] of this.#pending)
      if (report.alertChanges.length > 0) this.#judge(mint, report);
  }

  #judge(mint: Address, report: PendingReport): void {
    this.#pending.delete(mint);
    const before = this.#tokens.get(mint) ?? NO_ENTRIES;
    const { state, findings } = applyMarket(before, report);
    if (state.entries.length > 0) this.#tokens.set(mint, state);
    for (const id of findings.flatMap(changedSides)) this.#newerSides.add(id);
    // First: what was found in the slots that replaced the dropped ones holds.
    if (report.takenBackSince !== null)
      this.#writer.add([{ kind: "taken-back", mint, sinceSlot: report.takenBackSince }]);
    this.#writer.add(findings);
  }

  async #reload(userId: UserId | null): Promise<void> {
    const { db } = this.#deps.store;
    await this.#writer.settled();
    this.#newerSides = this.#writer.unwrittenEntries();
    const entries = await this.#readEntries(userId);
    this.#tokens = applyEntries(this.#tokens, { userId, entries, newerSides: this.#newerSides });
    if (userId === null) this.#isLoaded = true;
    if (this.#pending.size > 0) this.#scheduleTurn();
    this.#watched.want([...(await watchedMints(db)), ...(await mintsToGrade(db))]);
    if (userId !== null) this.#watch();
  }

  /** In pages, with other work between them: ten thousand entries at once block the event loop. */
  async #readEntries(userId: UserId | null): Promise<readonly WatchedEntry[]> {
    const { db } = this.#deps.store;
    const limit = ENTRIES_PER_PAGE;
    const entries: WatchedEntry[] = [];
    for (;;) {
      const afterId = entries.at(-1)?.id ?? null;
      const page = await watchedEntries(db, { userId, afterId, limit });
      entries.push(...page);
      if (page.length < limit) return entries;
      await nextTurn();
    }
  }

  #watch(): void {
    this.#deps.markets.setWatched(this.#watched.next(this.#deps.clock.nowMs()));
  }
}

function earliest(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return minBigint(a, b);
}

function changedSides(finding: RuleFinding): readonly bigint[] {
  if (finding.kind === "taken-back") return [];
  if (finding.kind === "side") return [finding.entryId];
  return finding.found
    .filter((each) => each.isCrossing || isOfBlock(each))
    .map(({ alert }) => alert.entryId);
}
