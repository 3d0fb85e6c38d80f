import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Detector, Deterioration } from "#src/measure/deterioration.ts";
import { CAUSES } from "#src/measure/losses.ts";
import {
  alertsOf,
  endAlerts,
  recordAlert,
  type StoredAlert,
  type TimeRange,
} from "#src/store/alerts.ts";
import type { Database } from "#src/store/database.ts";
import {
  dropSamplesBefore,
  readSampleHours,
  type SampleHour,
  writeSampleHours,
} from "#src/store/samples.ts";
import type { Schema } from "#src/store/schema.ts";
import { dropStatesBefore, newestStateSlot, writeStates } from "#src/store/states.ts";
import {
  rememberTokens,
  type SavedSnapshot,
  type SeenToken,
  saveSnapshots,
  storedToken,
} from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { type HistoryPoint, type HistoryQuery, historyOf, stepOf } from "./history.ts";
import { differs, type Sample } from "./sample.ts";
import { SampleBlock, unpackHour } from "./sample-block.ts";
import { type AssessedSnapshot, parseSnapshot, snapshotText } from "./snapshot-text.ts";
import type { TokenNames } from "./token-names.ts";
import type { OpenAlert } from "./token-series.ts";
import { type StateAt, stateAt, TokenStates } from "./token-states.ts";

/** Samples are written on change, or after this long; and to disk in batches as often. */
const WRITE_EVERY_MS = 300_000;
/** Tokens that are loaded within this long are written as one: a disk takes few writes a second. */
const GATHER_MS = 25;
const MAX_GATHERED = 200;
const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 86_400_000;
/** Of one range: one for each point that a history has at the most. */
const ALERTS_SHOWN = 2_000;
const DETECTORS: readonly Detector[] = ["jump", "withdrawal", "drift"];

export type ArchiveDeps = {
  readonly database: Database;
  readonly nowMs: () => number;
  readonly retentionDays: number;
  /** States are kept for so many days, today included; 0: none is. */
  readonly stateDays: number;
};

export type AlertRecord = {
  readonly mint: Address;
  readonly deterioration: Deterioration;
  readonly slot: bigint;
  readonly depthBeforeSol: number | null;
  readonly depthAfterSol: number | null;
};

type Entry = {
  readonly tokenId: bigint;
  block: SampleBlock;
  /** Hours that ended and are not on disk yet. */
  ended: SampleHour[];
  hasUnsaved: boolean;
  savedAtMs: number;
  snapshot: AssessedSnapshot | null;
  readonly states: TokenStates;
};

/** Tokens that wait to be written together, by mint, and their numbers when they are. */
type Newcomers = {
  readonly tokens: Map<Address, SeenToken>;
  readonly ids: Promise<ReadonlyMap<Address, bigint>>;
};

/** The tracker's memory on disk: tokens, samples by the hour, alerts, and each token's last answer. */
export class TokenArchive {
  readonly #deps: ArchiveDeps;
  readonly #entries = new Map<Address, Entry>();
  #droppedDay = 0;
  #newcomers: Newcomers | null = null;

  constructor(deps: ArchiveDeps) {
    this.#deps = deps;
  }

  /**
   * Opens the token's record; samples are kept from then on.
   *
   * @returns an alert that was on when an earlier process ended
   */
  async open(mint: Address, names: TokenNames): Promise<OpenAlert | null> {
    const { database, nowMs } = this.#deps;
    const { db } = database;
    const tokenId = await this.#remember({ mint, ...names, nowMs: nowMs() });
    const hour = SampleBlock.hourOf(nowMs());
    const [[stored], [newest], newestSlot] = await Promise.all([
      readSampleHours(db, { tokenId, fromHour: hour, toHour: hour }),
      alertsOf(db, { tokenId, limit: 1 }),
      newestStateSlot(db, tokenId),
    ]);
    const block = new SampleBlock(hour);
    // The hour that an earlier process began goes on: its row is written again as a whole.
    if (stored !== undefined) for (const sample of unpackHour(hour, stored.data)) block.add(sample);
    this.#entries.set(mint, {
      tokenId,
      block,
      ended: [],
      hasUnsaved: false,
      savedAtMs: nowMs(),
      snapshot: null,
      states: new TokenStates(tokenId, newestSlot),
    });
    return newest === undefined || newest.endedAtMs !== null ? null : openAlertOf(newest);
  }

  /**
   * Keeps a sample where it says something new, or the last one is five minutes old; and the answer
   * that it was taken from, where one is given.
   */
  add(mint: Address, sample: Sample, snapshot: AssessedSnapshot | null): void {
    const entry = this.#entries.get(mint);
    if (entry === undefined) return;
    entry.snapshot = snapshot ?? entry.snapshot;
    const { last } = entry.block;
    const isNew =
      last === null ||
      (sample.atMs > last.atMs &&
        (sample.atMs - last.atMs >= WRITE_EVERY_MS || differs(last, sample)));
    if (snapshot !== null && this.#deps.stateDays > 0) {
      entry.states.add(snapshot, { atMs: this.#deps.nowMs(), isNew });
    }
    if (!isNew) return;
    const hour = SampleBlock.hourOf(sample.atMs);
    if (hour !== entry.block.hour) {
      if (entry.hasUnsaved) entry.ended.push(this.#hourOf(entry));
      entry.block = new SampleBlock(hour);
    }
    entry.block.add(sample);
    entry.hasUnsaved = true;
  }

  /** Writes what has waited for five minutes, in one batch; `all`: whatever is not on disk yet. */
  async save(options: { readonly all: boolean } = { all: false }): Promise<void> {
    const nowMs = this.#deps.nowMs();
    const due = [...this.#entries.values()].filter(
      (entry) => options.all || nowMs - entry.savedAtMs >= WRITE_EVERY_MS,
    );
    await this.#write(due, nowMs);
    await this.#writeStates([...this.#entries.values()]);
    const day = Math.floor(nowMs / MS_PER_DAY);
    if (day === this.#droppedDay) return;
    const { database, retentionDays, stateDays } = this.#deps;
    await dropSamplesBefore(database, day - retentionDays);
    await dropStatesBefore(database.db, day + 1 - stateDays);
    this.#droppedDay = day;
  }

  /** Writes the rest of a token that is let go. */
  async close(mint: Address): Promise<void> {
    const entry = this.#entries.get(mint);
    if (entry === undefined) return;
    this.#entries.delete(mint);
    await this.#write([entry], this.#deps.nowMs());
    await this.#writeStates([entry]);
  }

  async recordAlert(alert: AlertRecord): Promise<void> {
    const entry = this.#entries.get(alert.mint);
    if (entry === undefined) return;
    const { deterioration } = alert;
    await recordAlert(this.#deps.database.db, {
      tokenId: entry.tokenId,
      detector: deterioration.detector,
      cause: deterioration.cause?.kind ?? "unknown",
      share: deterioration.cause?.share ?? null,
      slot: alert.slot,
      startedAtMs: deterioration.sinceMs,
      before: { c10Sol: deterioration.levelSol, depthSol: alert.depthBeforeSol },
      after: { c10Sol: deterioration.c10Sol, depthSol: alert.depthAfterSol },
    });
  }

  async endAlert(mint: Address): Promise<void> {
    const entry = this.#entries.get(mint);
    if (entry === undefined) return;
    const endedAtMs = this.#deps.nowMs();
    await endAlerts(this.#deps.database.db, { tokenId: entry.tokenId, endedAtMs });
  }

  /** The token's past, what is not on disk yet included; empty for a token never seen. */
  async history(mint: Address, query: HistoryQuery): Promise<readonly HistoryPoint[]> {
    const { db } = this.#deps.database;
    const entry = this.#entries.get(mint);
    const tokenId = entry?.tokenId ?? (await storedToken(db, mint))?.id;
    if (tokenId === undefined) return [];
    // A sample holds for minutes: what held at the start may stand in the hour before.
    const fromHour = SampleBlock.hourOf(query.fromMs - MS_PER_HOUR);
    const toHour = SampleBlock.hourOf(query.toMs);
    const stored = await readSampleHours(db, { tokenId, fromHour, toHour });
    const hours = new Map(stored.map(({ hour, data }) => [hour, data]));
    const unsaved = entry === undefined ? [] : [...entry.ended, this.#hourOf(entry)];
    for (const { hour, data } of unsaved) {
      if (hour >= fromHour && hour <= toHour) hours.set(hour, data);
    }
    const grid = { fromMs: query.fromMs, stepMs: stepOf(query) };
    const samples = [...hours]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([hour, data]) => unpackHour(hour, data, grid));
    return historyOf(samples, query);
  }

  async alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]> {
    const { db } = this.#deps.database;
    const tokenId = this.#entries.get(mint)?.tokenId ?? (await storedToken(db, mint))?.id;
    if (tokenId === undefined) return [];
    return await alertsOf(db, { tokenId, limit: ALERTS_SHOWN, begun });
  }

  stateAt(mint: Address, slot: bigint): Promise<StateAt> {
    return stateAt(this.#deps.database.db, mint, slot);
  }

  lastAnswer(mint: Address): Promise<AssessedSnapshot | null> {
    return lastAnswer(this.#deps.database.db, mint);
  }

  /** The token's number, written together with those of its neighbours in time. */
  async #remember(token: SeenToken): Promise<bigint> {
    const waiting = this.#newcomers ?? this.#gather();
    waiting.tokens.set(token.mint, token);
    if (waiting.tokens.size >= MAX_GATHERED) this.#newcomers = null;
    const id = (await waiting.ids).get(token.mint);
    if (id === undefined) throw new Error(`token ${token.mint} was given no number`);
    return id;
  }

  #gather(): Newcomers {
    const tokens = new Map<Address, SeenToken>();
    const ids = delay(GATHER_MS).then(() => {
      if (this.#newcomers?.tokens === tokens) this.#newcomers = null;
      return rememberTokens(this.#deps.database.db, [...tokens.values()]);
    });
    this.#newcomers = { tokens, ids };
    return this.#newcomers;
  }

  async #write(entries: readonly Entry[], nowMs: number): Promise<void> {
    const hours: SampleHour[] = [];
    const snapshots: SavedSnapshot[] = [];
    for (const entry of entries) {
      entry.savedAtMs = nowMs;
      if (entry.hasUnsaved) hours.push(...entry.ended, this.#hourOf(entry));
      if (entry.snapshot !== null) snapshots.push(savedSnapshot(entry.tokenId, entry.snapshot));
    }
    const { database } = this.#deps;
    // What is added while the database works is unsaved again.
    for (const entry of entries) entry.hasUnsaved = false;
    try {
      if (hours.length > 0) await writeSampleHours(database, hours);
      if (snapshots.length > 0) await saveSnapshots(database.db, snapshots);
    } catch (cause) {
      for (const entry of entries) entry.hasUnsaved = true;
      throw cause;
    }
    const written = new Set(hours);
    for (const entry of entries) entry.ended = entry.ended.filter((hour) => !written.has(hour));
  }

  /** States are asked for by their slot, and can be from the moment that they are on disk. */
  async #writeStates(entries: readonly Entry[]): Promise<void> {
    const states = entries.flatMap((entry) => entry.states.pending);
    if (states.length === 0) return;
    await writeStates(this.#deps.database.db, states);
    const written = new Set(states);
    for (const entry of entries) entry.states.written(written);
  }

  #hourOf({ tokenId, block }: Entry): SampleHour {
    return { tokenId, hour: block.hour, data: block.data };
  }
}

/** The last answer that was kept of a token; null where it was never measured. */
export async function lastAnswer(
  db: Kysely<Schema>,
  mint: Address,
): Promise<AssessedSnapshot | null> {
  const stored = await storedToken(db, mint);
  return stored === null || stored.snapshot === null ? null : parseSnapshot(stored.snapshot);
}

function openAlertOf(stored: StoredAlert): OpenAlert | null {
  const detector = DETECTORS.find((name) => name === stored.detector);
  if (detector === undefined) return null;
  const kind = CAUSES.find((name) => name === stored.cause);
  return {
    detector,
    // Of an alert that an older version recorded the share was not kept; it is not told of again.
    cause: kind === undefined ? null : { kind, share: stored.share ?? 1 },
    startedAtMs: stored.startedAtMs,
    levelSol: stored.before.c10Sol,
    c10Sol: stored.after.c10Sol,
  };
}

function savedSnapshot(tokenId: bigint, snapshot: AssessedSnapshot): SavedSnapshot {
  return { tokenId, snapshot: snapshotText(snapshot), atMs: snapshot.assessment.stateTimeMs };
}
