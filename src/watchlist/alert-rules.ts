import type { BaseLogger } from "pino";
import type { NowMs } from "#src/platform/clock.ts";
import {
  type MissedDeterioration,
  openDeteriorations,
  recordUserAlerts,
} from "#src/store/record-alerts.ts";
import type { Store } from "#src/store/schema.ts";
import { mintsToGrade, type NewUserAlert } from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";
import {
  noteSlippageSides,
  type WatchedEntry,
  watchedEntries,
  watchedMints,
} from "#src/store/watchlist.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { AlertEvent } from "#src/track/token-observer.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { deteriorationAlert, deteriorationName, slippageAlert } from "./find-alerts.ts";
import { type RecentReadings, readMarket, withReading } from "./market-reading.ts";
import { applySlippage, type SlippageSide } from "./slippage-rule.ts";
import { WatchedTokens } from "./watched-tokens.ts";

const RELOAD_EVERY_MS = 15_000;
const WATCH_EVERY_MS = 1_000;
/** One turn reads markets for at most this long, so that requests are served in between. */
const TURN_BUDGET_MS = 8;
const ALERTS_A_TRANSACTION = 200;
const RETRY_MS = 1_000;
/** Sides are written so long after the first of them: thousands at once, after a start. */
const SIDES_WAIT_MS = 500;
/** A token's alert older than this is not told of any more after a restart. */
const MISSED_WITHIN_MS = 3_600_000;
const GRADE_AFTER_MS = 30 * 60_000;

/** How alerts become messages: a market event is one message (store/message-plan.ts). */
export const MESSAGE_RULES = {
  coalesceMs: 250,
  coolDownMs: 60_000,
  burst: { messages: 5, windowMs: 60_000 },
} as const;

export type AlertRulesDeps = {
  readonly store: Store;
  readonly markets: Pick<Tracker, "market" | "onSnapshot" | "onAlert" | "setWatched">;
  readonly nowMs: NowMs;
  readonly newUid: () => string;
  /** Alerts are on disk, and messages beside them. */
  readonly onRecorded: () => void;
  readonly log: Pick<BaseLogger, "warn">;
};

type Entry = Omit<WatchedEntry, "isSlippageHigh"> & { side: SlippageSide };

/** What is to be written, in the order in which it was found. */
type Finding =
  | { readonly kind: "side"; readonly entryId: bigint; readonly isHigh: boolean }
  | { readonly kind: "alert"; readonly alert: NewUserAlert };

/**
 * Judges every fresh answer about a watched token by the rules of method.md section 6, for each entry
 * at its own size, and writes what it finds: alerts together with the messages they go out in.
 */
export class AlertRules {
  readonly #deps: AlertRulesDeps;
  readonly #entries = new Map<Address, Map<bigint, Entry>>();
  readonly #recent = new Map<Address, RecentReadings>();
  readonly #snapshots = new Map<Address, AssessedSnapshot>();
  readonly #tokens = new WatchedTokens();
  readonly #fresh = new Map<Address, AssessedSnapshot>();
  #events: AlertEvent[] = [];
  #findings: Finding[] = [];
  #isTurnDue = false;
  #recorded = 0;
  #writing: Promise<void> | null = null;
  #writeTimer: NodeJS.Timeout | null = null;
  #reloading: Promise<void> = Promise.resolve();
  /** Entries whose side is newer than what the list that is being read again says of it. */
  #changedSides = new Set<bigint>();
  #stops: (() => void)[] = [];

  constructor(deps: AlertRulesDeps) {
    this.#deps = deps;
  }

  /** Alerts written since the start. */
  get recorded(): number {
    return this.#recorded;
  }

  /** Begins to judge. Alerts that a process before this one found and did not write are written. */
  async start(): Promise<void> {
    const { store, markets, nowMs } = this.#deps;
    await this.reload();
    for (const missed of await openDeteriorations(store.db, nowMs() - MISSED_WITHIN_MS))
      this.#findMissed(missed);
    this.#write();
    const reloading = setInterval(() => void this.reload(), RELOAD_EVERY_MS);
    const watching = setInterval(() => this.#watch(), WATCH_EVERY_MS);
    this.#stops = [
      () => clearInterval(reloading),
      () => clearInterval(watching),
      markets.onSnapshot((snapshot) => this.#hear(snapshot)),
      markets.onAlert((event) => this.#hearEvent(event)),
    ];
    this.#watch();
  }

  /** Reads the lists again: one user's after a change of theirs, and everybody's now and then. */
  reload(userId: UserId | null = null): Promise<void> {
    this.#reloading = this.#reloading
      .then(() => this.#reload(userId))
      .catch((err: unknown) => this.#deps.log.warn({ err }, "could not read the watchlists"));
    return this.#reloading;
  }

  /** Resolves when everything heard so far is judged and on disk. */
  async idle(): Promise<void> {
    await this.#reloading;
    while (this.#fresh.size > 0 || this.#events.length > 0 || this.#findings.length > 0) {
      this.#turn();
      this.#write();
      await this.#writing;
    }
    await this.#writing;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#reloading;
    this.#fresh.clear();
    this.#write();
    await this.#writing;
  }

  #hear(snapshot: AssessedSnapshot): void {
    const { mint } = snapshot.assessment;
    this.#tokens.noteSeen(mint);
    if (!this.#entries.has(mint)) return;
    this.#fresh.set(mint, snapshot);
    this.#takeTurn();
  }

  #hearEvent(event: AlertEvent): void {
    if (event.kind !== "on" || !this.#entries.has(event.mint)) return;
    this.#events.push(event);
    this.#takeTurn();
  }

  #takeTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#turn();
      if (this.#fresh.size > 0) this.#takeTurn();
    });
  }

  #turn(): void {
    const startedMs = this.#deps.nowMs();
    const events = this.#events.splice(0);
    // The answer that an event came with is judged together with it: they are one market event.
    for (const { mint } of events) this.#judge(mint);
    for (const mint of this.#fresh.keys()) {
      if (this.#deps.nowMs() - startedMs >= TURN_BUDGET_MS) break;
      this.#judge(mint);
    }
    for (const event of events) this.#judgeEvent(event);
    if (this.#findings.some(({ kind }) => kind === "alert")) this.#write();
    else if (this.#findings.length > 0) this.#writeSoon();
  }

  #judge(mint: Address): void {
    const snapshot = this.#fresh.get(mint);
    const entries = this.#entries.get(mint);
    this.#fresh.delete(mint);
    if (snapshot === undefined || entries === undefined) return;
    const { markets, nowMs } = this.#deps;
    const sizes = new Set(Array.from(entries.values(), ({ sizeLamports }) => sizeLamports));
    const reading = readMarket(snapshot.assessment, sizes, () => markets.market(mint));
    const recent = withReading(this.#recent.get(mint) ?? null, reading, nowMs());
    this.#recent.set(mint, recent);
    this.#snapshots.set(mint, snapshot);
    for (const entry of entries.values()) {
      const seen = reading.bySize.get(entry.sizeLamports) ?? { kind: "unknown" };
      const { side, turnedOn } = applySlippage(entry.side, seen);
      if (side === entry.side) continue;
      entry.side = side;
      this.#changedSides.add(entry.id);
      if (turnedOn === null) {
        this.#findings.push({ kind: "side", entryId: entry.id, isHigh: side === "high" });
        continue;
      }
      const scene = { snapshot, recent, market: markets.market(mint), nowMs: nowMs() };
      const alert = slippageAlert(watchedEntry(entry), turnedOn, scene);
      this.#findings.push({ kind: "alert", alert });
    }
  }

  #judgeEvent(event: AlertEvent): void {
    const { markets, nowMs } = this.#deps;
    const { mint } = event;
    const snapshot = this.#snapshots.get(mint);
    const recent = this.#recent.get(mint);
    if (snapshot === undefined || recent === undefined) return;
    const scene = { snapshot, recent, market: markets.market(mint), nowMs: nowMs() };
    for (const entry of this.#entries.get(mint)?.values() ?? []) {
      const alert = deteriorationAlert(watchedEntry(entry), event, scene);
      this.#findings.push({ kind: "alert", alert });
    }
  }

  /** What can still be said of an alert that nobody was told of. */
  #findMissed({ mint, startedAtMs, ...missed }: MissedDeterioration): void {
    for (const entry of this.#entries.get(mint)?.values() ?? []) {
      if (entry.createdAtMs > startedAtMs) continue;
      this.#findings.push({
        kind: "alert",
        alert: {
          dedupe: deteriorationName(entry.id, startedAtMs),
          entryId: entry.id,
          userId: entry.userId,
          mint,
          tokenName: null,
          tokenSymbol: null,
          sizeLamports: entry.sizeLamports,
          kind: "deterioration",
          cause: missed.cause,
          share: missed.share,
          slot: missed.slot,
          slippagePct: { before: null, after: null },
          c10Sol: missed.c10Sol,
          depthSol: missed.depthSol,
          position: null,
          sinceMs: startedAtMs,
        },
      });
    }
  }

  #writeSoon(): void {
    this.#writeTimer ??= setTimeout(() => this.#write(), SIDES_WAIT_MS);
  }

  #write(): void {
    if (this.#writeTimer !== null) clearTimeout(this.#writeTimer);
    this.#writeTimer = null;
    if (this.#writing !== null || this.#findings.length === 0) return;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  /** Writes in order; what can't be written now is tried again, before anything that came later. */
  async #writeAll(): Promise<void> {
    while (this.#findings.length > 0) {
      const batch = nextBatch(this.#findings);
      try {
        await this.#writeBatch(batch);
        this.#findings.splice(0, batch.length);
      } catch (err) {
        this.#deps.log.warn({ err, alerts: batch.length }, "alerts could not be written");
        setTimeout(() => this.#write(), RETRY_MS).unref();
        return;
      }
    }
  }

  async #writeBatch(batch: readonly Finding[]): Promise<void> {
    const { store, nowMs, newUid, onRecorded } = this.#deps;
    const alerts = batch.flatMap((finding) => (finding.kind === "alert" ? [finding.alert] : []));
    if (alerts.length === 0) {
      const sides = new Map(
        batch.flatMap((found) => (found.kind === "side" ? [[found.entryId, found.isHigh]] : [])),
      );
      for (const isHigh of [false, true]) {
        const ids = [...sides].filter(([, side]) => side === isHigh).map(([id]) => id);
        await noteSlippageSides(store.db, ids, isHigh);
      }
      return;
    }
    const times = { ...MESSAGE_RULES, gradeAfterMs: GRADE_AFTER_MS, nowMs: nowMs(), newUid };
    const recorded = await recordUserAlerts(store, alerts, times);
    this.#recorded += recorded.length;
    if (recorded.length > 0) onRecorded();
  }

  async #reload(userId: UserId | null): Promise<void> {
    const { store } = this.#deps;
    await this.#writing;
    // What is not on disk yet is newer than what is read from there.
    this.#changedSides = new Set(this.#findings.map(entryOf));
    const entries = await watchedEntries(store.db, userId);
    const before = new Map<bigint, Entry>();
    for (const [mint, known] of this.#entries) {
      for (const entry of known.values()) {
        before.set(entry.id, entry);
        if (userId === null || entry.userId === userId) known.delete(entry.id);
      }
      if (known.size === 0) this.#entries.delete(mint);
    }
    for (const entry of entries) this.#take(entry, before.get(entry.id));
    for (const mint of this.#recent.keys()) {
      if (this.#entries.has(mint)) continue;
      this.#recent.delete(mint);
      this.#snapshots.delete(mint);
    }
    const mints = [...(await watchedMints(store.db)), ...(await mintsToGrade(store.db))];
    this.#tokens.want(mints);
    if (userId !== null) this.#watch();
  }

  #take({ isSlippageHigh, ...entry }: WatchedEntry, before: Entry | undefined): void {
    const isNewer =
      before !== undefined &&
      before.sizeLamports === entry.sizeLamports &&
      this.#changedSides.has(entry.id);
    const stored = isSlippageHigh === null ? null : isSlippageHigh ? "high" : "low";
    const entries = this.#entries.get(entry.mint) ?? new Map<bigint, Entry>();
    entries.set(entry.id, { ...entry, side: isNewer ? before.side : stored });
    this.#entries.set(entry.mint, entries);
  }

  #watch(): void {
    this.#deps.markets.setWatched(this.#tokens.next(this.#deps.nowMs()));
  }
}

function watchedEntry({ side, ...entry }: Entry): WatchedEntry {
  return { ...entry, isSlippageHigh: side === null ? null : side === "high" };
}

function entryOf(finding: Finding): bigint {
  return finding.kind === "side" ? finding.entryId : finding.alert.entryId;
}

/** The first findings that can be written together: as many sides, or alerts, as come in a row. */
function nextBatch(findings: readonly Finding[]): readonly Finding[] {
  const [first] = findings;
  const end = findings.findIndex(
    ({ kind }, index) => kind !== first?.kind || index >= ALERTS_A_TRANSACTION,
  );
  return end === -1 ? findings.slice() : findings.slice(0, end);
}
