import { setImmediate as nextTurn } from "node:timers/promises";
import type { Random } from "#src/platform/seeded-random.ts";
import type { Database } from "#src/store/connection/database.ts";
import { replaceByRolled } from "#src/store/rolled-samples.ts";
import type { SampleHour } from "#src/store/samples.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import type { TokenArchive } from "#src/track/history/archive.ts";
import { rolledData } from "#src/track/history/roll-up.ts";
import { newOf, type Sample } from "#src/track/history/sample.ts";
import { SampleBlock } from "#src/track/history/sample-block.ts";
import type { Address } from "#src/units/address.ts";
import { namedAddress } from "../detection/plain-pool-venue.ts";
import { TokenSeries } from "./token-series.ts";

const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;
const HOURS_PER_DAY = 24;
/** New tokens in an hour, as a share of all tracked ones; the same number of tokens ends. */
const LAUNCHED_PER_HOUR = 0.01;
/** How often an unchanged sample is stored, as in the archive. */
const KEPT_EVERY_MS = 300_000;
/** Records opened at once: each makes four queries, and waiting for a connection times out soon. */
const OPENED_AT_ONCE = 10;
/** Series played between two turns of the event loop. */
const SERIES_PER_TURN = 50;
const ROWS_PER_BATCH = 200;

/** The tokens that share a series. */
type Tokens = { readonly mints: readonly Address[]; readonly series: TokenSeries };

/** A market with a constant number of tokens; every hour some end and others are launched. */
export class PlayedMarket {
  readonly #database: Database;
  readonly #random: Random;
  readonly #tokensOfSeries: number;
  readonly #slots: Tokens[] = [];
  #seenTokens = 0;
  nowMs: number;

  /** @param options.tokensOfSeries  how many tokens share each series */
  constructor(options: {
    database: Database;
    random: Random;
    startMs: number;
    tokensOfSeries: number;
  }) {
    this.#database = options.database;
    this.#random = options.random;
    this.#tokensOfSeries = options.tokensOfSeries;
    this.nowMs = options.startMs;
  }

  start(tokens: number): void {
    const series = tokens / this.#tokensOfSeries;
    for (let slot = 0; slot < series; slot++) this.#slots.push(this.#newTokens(false));
  }

  /** The mints that are tracked now. */
  tracked(): readonly Address[] {
    return this.#slots.flatMap(({ mints }) => mints);
  }

  /** The number of tokens that were ever tracked. */
  get seenTokens(): number {
    return this.#seenTokens;
  }

  /**
   * Plays a day and stores only its rolled form, by the functions of the roll-up. The result is that of the
   * service.
   *
   * @returns the number of rows written
   */
  async playRolledDay(): Promise<number> {
    const day = this.nowMs / MS_PER_DAY;
    const rows: { readonly mint: Address; readonly data: Uint8Array }[] = [];
    const dayMs = this.nowMs;
    for (const slot of this.#slots.keys()) {
      if (slot % SERIES_PER_TURN === 0) await nextTurn();
      for (let hour = 0, hours: SampleHour[] = []; hour < HOURS_PER_DAY; hour++) {
        this.nowMs = dayMs + hour * MS_PER_HOUR;
        if (this.#random() < LAUNCHED_PER_HOUR) {
          rows.push(...packedRows(day, this.#slots[slot], hours));
          hours = [];
          this.#slots[slot] = this.#newTokens(true);
        }
        const tokens = this.#slots[slot];
        if (tokens !== undefined) hours.push(...storedHours(tokens, this.nowMs + MS_PER_HOUR));
        if (hour === HOURS_PER_DAY - 1) rows.push(...packedRows(day, tokens, hours));
      }
    }
    this.nowMs = dayMs + MS_PER_DAY;
    for (let start = 0; start < rows.length; start += ROWS_PER_BATCH)
      await this.#store(day, rows.slice(start, start + ROWS_PER_BATCH));
    return rows.length;
  }

  async #store(day: number, rows: readonly { mint: Address; data: Uint8Array }[]): Promise<void> {
    const names = { name: null, symbol: null, nowMs: 0 };
    const seen = rows.map(({ mint }) => ({ mint, ...names }));
    const ids = await upsertTokens(this.#database.db, seen);
    await replaceByRolled(this.#database, {
      day,
      range: { afterId: 0n, toId: 0n },
      rows: rows.map(({ mint, data }) => ({ tokenId: ids.get(mint) ?? 0n, data })),
    });
  }

  /** Opens the records of all tracked tokens. */
  async openAll(archive: TokenArchive): Promise<void> {
    await openRecords(archive, this.tracked());
  }

  /** Plays time through the archive, which keeps the samples; at whole hours tokens end and begin. */
  async play(archive: TokenArchive, untilMs: number): Promise<void> {
    if (this.nowMs % MS_PER_HOUR === 0) await this.#launch(archive);
    for (const { mints, series } of this.#slots)
      for (const sample of series.until(untilMs))
        for (const mint of mints) archive.add(mint, sample, null);
    this.nowMs = untilMs;
  }

  async #launch(archive: TokenArchive): Promise<void> {
    const launched: Address[] = [];
    for (const [slot, { mints }] of this.#slots.entries()) {
      if (this.#random() >= LAUNCHED_PER_HOUR) continue;
      const tokens = this.#newTokens(true);
      this.#slots[slot] = tokens;
      launched.push(...tokens.mints);
      for (const mint of mints) await archive.close(mint);
    }
    await openRecords(archive, launched);
  }

  #newTokens(isLaunch: boolean): Tokens {
    const mints = Array.from({ length: this.#tokensOfSeries }, () =>
      namedAddress(`retention ${this.#seenTokens++}`),
    );
    return { mints, series: new TokenSeries(this.#random, this.nowMs, isLaunch) };
  }
}

async function openRecords(archive: TokenArchive, mints: readonly Address[]): Promise<void> {
  for (let start = 0; start < mints.length; start += OPENED_AT_ONCE) {
    const some = mints.slice(start, start + OPENED_AT_ONCE);
    await Promise.all(some.map((mint) => archive.open(mint, { name: null, symbol: null })));
  }
}

function packedRows(day: number, tokens: Tokens | undefined, hours: readonly SampleHour[]) {
  if (tokens === undefined || hours.length === 0) return [];
  const data = rolledData(day, hours);
  return tokens.mints.map((mint) => ({ mint, data }));
}

/** The samples of up to an hour, as the archive selects and packs them. */
function storedHours({ series }: Tokens, untilMs: number): readonly SampleHour[] {
  let block: SampleBlock | null = null;
  for (const sample of series.until(untilMs)) {
    block ??= new SampleBlock(SampleBlock.hourOf(sample.atMs));
    const stored = newSample(block.last, sample);
    if (stored !== null) block.add(stored);
  }
  return block === null ? [] : [{ tokenId: 0n, hour: block.hour, data: block.data }];
}

function newSample(last: Sample | null, sample: Sample): Sample | null {
  const isOld = last === null || sample.atMs - last.atMs >= KEPT_EVERY_MS;
  return isOld ? sample : newOf(last, sample);
}
