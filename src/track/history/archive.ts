import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely } from "kysely";
import { RequestBatcher } from "#src/platform/batcher.ts";
import { chunksOf } from "#src/platform/chunks.ts";
import { MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import { Listeners } from "#src/platform/listeners.ts";
import { alertsOf, type StoredAlert, type TimeRange } from "#src/store/alerts.ts";
import type { Database } from "#src/store/connection/database.ts";
import { readSampleHours, type SampleHour, writeSampleHours } from "#src/store/samples.ts";
import type { Schema } from "#src/store/schema.ts";
import { newestStoredSlot, writeStoredAnswers } from "#src/store/stored-answers.ts";
import type { TokenNames } from "#src/store/tokens.ts";
import {
  type SavedSnapshot,
  type SeenToken,
  saveSnapshots,
  storedToken,
  upsertTokens,
} from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import type { SlotTimes } from "../following/slot-times.ts";
import { blockTimeMs } from "../pools/chain-clock.ts";
import { type AssessedSnapshot, parseSnapshot } from "../snapshot-text.ts";
import { type HistoryGrid, type HistoryPoint, historyOf } from "./history.ts";
import { type KeptAnswer, keptSeriesOf, openAlertOf, savedSnapshot } from "./kept-answers.ts";
import { type PastDay, pastDayOf } from "./past-day.ts";
import { readBuckets, readHours, type StoredSeries } from "./read-series.ts";
import { RollUp } from "./roll-up.ts";
import { newOf, type Sample, sampleTimeMs } from "./sample.ts";
import { SampleBlock, unpackHour } from "./sample-block.ts";
import type { KeptSeries, OpenAlert } from "./series.ts";
import { type AnswerAt, answerAt, newestAnswer, StoredAnswers } from "./stored-answers.ts";

/** Samples are written on change, or after this long; and to disk in batches as often. */
const WRITE_EVERY_MS = 300_000;
/** Thousands of tokens may be due together: their answers are written as text, which blocks the event loop. */
const WRITTEN_AT_ONCE = 300;
/** The longest waiting that a past day is judged by, and two samples. */
const COMPARED_MS = 320_000;
/** Tokens loaded within this time are written together: a disk takes few writes a second. */
const BATCH_DELAY_MS = 25;
const MAX_BATCH = 200;
/** Time spent on rolling up and deleting old samples, in every five seconds. */
const ROLL_UP_MS = 250;
/** Of one range: at most one for each point of a history. */
const ALERTS_SHOWN = 2_000;

const NO_HOURS: readonly SampleHour[] = [];

export type ArchiveDeps = {
  readonly database: Database;
  readonly clock: WallClock;
  /** Number of days for which samples are kept; they are rolled up after a day or two. */
  readonly historyDays: number;
  /** States are kept for so many days, today included; 0: none is. */
  readonly stateDays: number;
};

/** The past day of a token that is tracked, and when the service first saw the token. */
export type ComputedDay = PastDay & { readonly mint: Address; readonly firstSeenMs: number };

export type Sampled = { readonly mint: Address; readonly sample: Sample };

type Entry = {
  readonly tokenId: bigint;
  readonly firstSeenMs: number;
  block: SampleBlock;
  /** Hours that ended and are not on disk yet. Replaced, never modified: most entries share the empty list. */
  ended: readonly SampleHour[];
  hasUnsaved: boolean;
  savedAtMs: number;
  snapshot: KeptAnswer | null;
  readonly states: StoredAnswers;
  /** Until when every sample is wanted, whether or not anything changed. */
  comparedUntilMs: number;
  /** Its token was let go: it stays until the rest is on disk. */
  isClosed: boolean;
  /** Writes under way. */
  writes: number;
};

/** What an earlier process left of a token: an alert that was on, and the levels of its series. */
export type OpenedRecord = {
  readonly openAlert: OpenAlert | null;
  readonly kept: KeptSeries | null;
};

/** The tracker's memory on disk: tokens, samples by the hour, alerts, and each token's last answer. */
export class TokenArchive {
  /** Called with each past day of a tracked token, once it is computed. */
  readonly onPastDay = new Listeners<ComputedDay>();
  /** Called with every sample of a tracked token, with its figures as the history keeps them. */
  readonly onSample = new Listeners<Sampled>();
  readonly #deps: ArchiveDeps;
  readonly #entries = new Map<Address, Entry>();
  readonly #rollUp: RollUp;
  readonly #ids: RequestBatcher<SeenToken, bigint | undefined>;

  constructor(deps: ArchiveDeps) {
    this.#deps = deps;
    this.#rollUp = new RollUp(deps);
    this.#ids = new RequestBatcher({
      maxSize: MAX_BATCH,
      maxDelayMs: BATCH_DELAY_MS,
      handle: async (tokens) => {
        const byMint = new Map(tokens.map((token) => [token.mint, token]));
        const ids = await upsertTokens(deps.database.db, [...byMint.values()]);
        return tokens.map(({ mint }) => ids.get(mint));
      },
    });
  }

  /**
   * Opens the token's record; samples are kept from then on.
   *
   * @returns what an earlier process left of it
   */
  async open(mint: Address, names: TokenNames): Promise<OpenedRecord> {
    const { database, clock } = this.#deps;
    const { db } = database;
    // Of a token that was let go a moment ago, the rest may not be on disk: its entry goes on.
    const unsaved = this.#entries.get(mint);
    if (unsaved !== undefined) unsaved.isClosed = false;
    const tokenId = await this.#remember({ mint, ...names, nowMs: clock.nowMs() });
    const hour = SampleBlock.hourOf(clock.nowMs());
    const [[stored], [newest], newestSlot, before] = await Promise.all([
      readSampleHours(db, { tokenId, fromHour: hour, toHour: hour }),
      alertsOf(db, { tokenId, limit: 1 }),
      newestStoredSlot(db, tokenId),
      storedToken(db, mint),
    ]);
    const block = new SampleBlock(hour);
    // The hour that an earlier process began goes on: its row is written again as a whole.
    if (stored !== undefined) for (const sample of unpackHour(hour, stored.data)) block.add(sample);
    const opened: Entry = {
      tokenId,
      firstSeenMs: before?.firstSeenMs ?? clock.nowMs(),
      block,
      ended: NO_HOURS,
      hasUnsaved: false,
      savedAtMs: clock.nowMs(),
      snapshot: null,
      states: new StoredAnswers(tokenId, newestSlot),
      comparedUntilMs: 0,
      isClosed: false,
      writes: 0,
    };
    // Another opening may have ended meanwhile: its entry has samples.
    if (!this.#entries.has(mint)) this.#entries.set(mint, opened);
    const isOn = newest !== undefined && newest.endedAtMs === null;
    return {
      openAlert: isOn ? openAlertOf(newest) : null,
      kept: before === null || before.snapshot === null ? null : keptSeriesOf(before.snapshot),
    };
  }

  /**
   * Keeps a sample where it says something new, or the last one is five minutes old; and the answer
   * that it was taken from, where one is given.
   */
  add(mint: Address, sample: Sample, kept: KeptAnswer | null): void {
    const entry = this.#entries.get(mint);
    if (entry === undefined) return;
    const snapshot = kept?.snapshot ?? null;
    entry.snapshot = kept ?? entry.snapshot;
    const { last } = entry.block;
    const stored = last === null || isOld(last.atMs, sample.atMs) ? sample : newOf(last, sample);
    const hour = SampleBlock.hourOf(sample.atMs);
    // An earlier hour was not read when the record was opened: writing it would replace what is on disk.
    const isLater = last === null ? hour >= entry.block.hour : sample.atMs > last.atMs;
    const figures = (isLater ? stored : null) ?? last ?? sample;
    this.onSample.emit({ mint, sample: { ...figures, atMs: sample.atMs } });
    if (snapshot !== null && this.#deps.stateDays > 0) {
      entry.states.give(snapshot);
      const isNew = isLater && stored === sample;
      entry.states.select({ atMs: this.#deps.clock.nowMs(), isNew });
    }
    if (stored === null || !isLater) return;
    if (hour !== entry.block.hour) {
      if (entry.hasUnsaved) entry.ended = entry.ended.concat(this.#hourOf(entry));
      entry.block = new SampleBlock(hour);
    }
    entry.block.add(stored);
    entry.hasUnsaved = true;
  }

  /**
   * Whether a sample of a token that did not change must be added: so that the history goes on, or because
   * its past day is compared with the next samples.
   */
  isSampleDue(mint: Address, nowMs: number): boolean {
    const entry = this.#entries.get(mint);
    if (entry === undefined) return false;
    const { lastMs } = entry.block;
    return nowMs < entry.comparedUntilMs || lastMs === null || isOld(lastMs, nowMs);
  }

  /** Notes an answer that is given from now on: what is stored of its slot must be this. */
  give(mint: Address, snapshot: AssessedSnapshot): void {
    if (this.#deps.stateDays > 0) this.#entries.get(mint)?.states.give(snapshot);
  }

  /** Writes what has waited for five minutes; `all`: whatever is not on disk yet. */
  async save(options: { readonly all: boolean } = { all: false }): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    // Without a list of all entries, which may be 100,000, every five seconds.
    const due: Entry[] = [];
    for (const entry of this.#entries.values())
      if (options.all || entry.isClosed || nowMs - entry.savedAtMs >= WRITE_EVERY_MS)
        due.push(entry);
    for (const entries of chunksOf(due, WRITTEN_AT_ONCE)) {
      await this.#write(entries, nowMs);
      await nextTurn();
    }
    await this.#writeStates(this.#entries.values());
    for (const [mint, entry] of this.#entries) this.#forgetIfWritten(mint, entry);
  }

  /**
   * Rolls up and deletes old samples and answers, for a quarter of a second at most. They are old by the local clock
   * and by the chain's: where the local one is ahead by a fault, nothing is deleted too early.
   *
   * @param chain null: accounts are recorded, and the chain's clock does not go on
   */
  async rollUp(chain: Pick<SlotTimes, "newest"> | null): Promise<void> {
    let nowMs = this.#deps.clock.nowMs();
    if (chain !== null) {
      if (chain.newest === null) return;
      nowMs = Math.min(nowMs, blockTimeMs(chain.newest));
    }
    const startMs = performance.now();
    while (performance.now() - startMs < ROLL_UP_MS) {
      if (!(await this.#rollUp.slice(nowMs))) return;
      await nextTurn();
    }
  }

  /** Writes the rest of a token that is let go; with the next save if that fails. */
  async close(mint: Address): Promise<void> {
    const entry = this.#entries.get(mint);
    if (entry === undefined) return;
    entry.isClosed = true;
    await this.#write([entry], this.#deps.clock.nowMs());
    await this.#writeStates([entry]);
    this.#forgetIfWritten(mint, entry);
  }

  /** A token that was let go is forgotten once the rest of it is on disk. */
  #forgetIfWritten(mint: Address, entry: Entry): void {
    const { isClosed, writes, hasUnsaved, ended, states } = entry;
    if (!isClosed || writes > 0 || hasUnsaved || ended.length > 0) return;
    if (states.pending.length === 0) this.#entries.delete(mint);
  }

  /** The token's past, what is not on disk yet included; empty for a token never seen. */
  async history(mint: Address, grid: HistoryGrid): Promise<readonly HistoryPoint[]> {
    const tokenId = await this.#idOf(mint);
    if (tokenId === null) return historyOf([], grid);
    const { db } = this.#deps.database;
    return historyOf(await readBuckets(db, this.#series(mint, tokenId), grid), grid);
  }

  /** What waiting cost over the token's day until the newest sample's time, and how its price came back after sales. */
  async pastDay(mint: Address): Promise<PastDay> {
    const toMs = sampleTimeMs(this.#deps.clock.nowMs());
    const range = { fromMs: toMs - MS_PER_DAY, toMs };
    const tokenId = await this.#idOf(mint);
    if (tokenId === null) return pastDayOf([], range);
    const hours = await readHours(this.#deps.database.db, this.#series(mint, tokenId), range);
    const samples = hours.flatMap(({ hour, data }) => unpackHour(hour, data));
    const day = pastDayOf(samples, range);
    const entry = this.#entries.get(mint);
    if (entry !== undefined) {
      entry.comparedUntilMs = this.#deps.clock.nowMs() + COMPARED_MS;
      this.onPastDay.emit({ ...day, mint, firstSeenMs: entry.firstSeenMs });
    }
    return day;
  }

  #series(mint: Address, tokenId: bigint): StoredSeries {
    const entry = this.#entries.get(mint);
    return { tokenId, unsaved: entry === undefined ? [] : [...entry.ended, this.#hourOf(entry)] };
  }

  /** Null for a token never seen. */
  async #idOf(mint: Address): Promise<bigint | null> {
    const entry = this.#entries.get(mint);
    return entry?.tokenId ?? (await storedToken(this.#deps.database.db, mint))?.id ?? null;
  }

  async alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]> {
    const tokenId = await this.#idOf(mint);
    if (tokenId === null) return [];
    return await alertsOf(this.#deps.database.db, { tokenId, limit: ALERTS_SHOWN, begun });
  }

  answerAt(mint: Address, slot: bigint): Promise<AnswerAt> {
    return answerAt(this.#deps.database.db, mint, slot);
  }

  lastAnswer(mint: Address): Promise<AssessedSnapshot | null> {
    return lastAnswer(this.#deps.database.db, mint);
  }

  /** The token's id in the database. */
  async #remember(token: SeenToken): Promise<bigint> {
    const id = await this.#ids.add(token);
    if (id === undefined) throw new Error(`the database returned no id for token ${token.mint}`);
    return id;
  }

  async #write(entries: readonly Entry[], nowMs: number): Promise<void> {
    const hours: SampleHour[] = [];
    const snapshots: SavedSnapshot[] = [];
    const begun: { readonly entry: Entry; readonly block: SampleBlock }[] = [];
    for (const entry of entries) {
      entry.savedAtMs = nowMs;
      if (entry.hasUnsaved) {
        hours.push(...entry.ended, this.#hourOf(entry));
        begun.push({ entry, block: entry.block });
      }
      if (entry.snapshot !== null) snapshots.push(savedSnapshot(entry.tokenId, entry.snapshot));
    }
    const { database } = this.#deps;
    for (const entry of entries) {
      // What is added while the database works is unsaved again.
      entry.hasUnsaved = false;
      entry.writes++;
    }
    try {
      if (hours.length > 0) await writeSampleHours(database, hours);
      if (snapshots.length > 0) await saveSnapshots(database.db, snapshots);
    } catch (cause) {
      for (const entry of entries) entry.hasUnsaved = true;
      for (const { entry, block } of begun) this.#keepEnded(entry, block);
      throw cause;
    } finally {
      for (const entry of entries) entry.writes--;
    }
    const written = new Set(hours);
    for (const entry of entries) entry.ended = withoutWritten(entry.ended, written);
  }

  /** Keeps a block whose write failed if a later hour has replaced it meanwhile. */
  #keepEnded(entry: Entry, block: SampleBlock): void {
    const { tokenId, ended } = entry;
    if (block === entry.block || ended.some(({ hour }) => hour === block.hour)) return;
    // The block's present content: it may have received samples after the write began.
    const kept = this.#hourOf({ tokenId, block });
    entry.ended = [...ended, kept].toSorted((a, b) => a.hour - b.hour);
  }

  /** Answers are requested by their slot (`at_slot`), once they are on disk. */
  async #writeStates(entries: Iterable<Entry>): Promise<void> {
    const writing: StoredAnswers[] = [];
    for (const { states } of entries) if (states.pending.length > 0) writing.push(states);
    if (writing.length === 0) return;
    // Copied: another answer of a token may be selected while these are written.
    const answers = writing.flatMap(({ pending }) => pending);
    await writeStoredAnswers(this.#deps.database.db, answers);
    const written = new Set(answers);
    for (const states of writing) states.written(written);
  }

  #hourOf({ tokenId, block }: Pick<Entry, "tokenId" | "block">): SampleHour {
    return { tokenId, hour: block.hour, data: block.data };
  }
}

/**
 * The newest answer on disk of a token; null where it was never measured. A process that was killed left
 * the answers by slot, and a snapshot of minutes before or none.
 */
export async function lastAnswer(
  db: Kysely<Schema>,
  mint: Address,
): Promise<AssessedSnapshot | null> {
  const stored = await storedToken(db, mint);
  if (stored === null) return null;
  const snapshot = stored.snapshot === null ? null : parseSnapshot(stored.snapshot);
  const newest = await newestAnswer(db, stored.id);
  return snapshot === null || (newest !== null && newest.assessment.slot > snapshot.assessment.slot)
    ? newest
    : snapshot;
}

function withoutWritten(
  ended: readonly SampleHour[],
  written: ReadonlySet<SampleHour>,
): readonly SampleHour[] {
  const left = ended.filter((hour) => !written.has(hour));
  return left.length === 0 ? NO_HOURS : left;
}

/** Whether the next sample is written even if no figure changed. */
function isOld(lastMs: number, nowMs: number): boolean {
  return nowMs - lastMs >= WRITE_EVERY_MS;
}
