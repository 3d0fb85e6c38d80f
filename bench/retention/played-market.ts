import { setImmediate as nextTurn } from "node:timers/promises";
import type { Random } from "#src/platform/seeded-random.ts";
import type { Database } from "#src/store/database.ts";
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
/** Tokens played between two turns of the event loop. */
const TOKENS_PER_TURN = 50;
const ROWS_PER_BATCH = 200;

type Token = { readonly mint: Address; readonly series: TokenSeries };

/** A market with a constant number of tokens, each with its series; every hour some end and others are launched. */
export class PlayedMarket {
  readonly #database: Database;
  readonly #random: Random;
  readonly #slots: Token[] = [];
  readonly mints: Address[] = [];
  nowMs: number;

  constructor(options: { database: Database; random: Random; startMs: number }) {
    this.#database = options.database;
    this.#random = options.random;
    this.nowMs = options.startMs;
  }

  start(tokens: number): void {
    for (let slot = 0; slot < tokens; slot++) this.#slots.push(this.#newToken(false));
  }

  /** The mints that are tracked now. */
  tracked(): readonly Address[] {
    return this.#slots.map(({ mint }) => mint);
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
      if (slot % TOKENS_PER_TURN === 0) await nextTurn();
      for (let hour = 0, hours: SampleHour[] = []; hour < HOURS_PER_DAY; hour++) {
        this.nowMs = dayMs + hour * MS_PER_HOUR;
        if (this.#random() < LAUNCHED_PER_HOUR) {
          rows.push(...packedRow(day, this.#slots[slot], hours));
          hours = [];
          this.#slots[slot] = this.#newToken(true);
        }
        const token = this.#slots[slot];
        if (token !== undefined) hours.push(...storedHours(token, this.nowMs + MS_PER_HOUR));
        if (hour === HOURS_PER_DAY - 1) rows.push(...packedRow(day, token, hours));
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
    for (const { mint, series } of this.#slots)
      for (const sample of series.until(untilMs)) archive.add(mint, sample, null);
    this.nowMs = untilMs;
  }

  async #launch(archive: TokenArchive): Promise<void> {
    const launched: Address[] = [];
    for (const [slot, { mint }] of this.#slots.entries()) {
      if (this.#random() >= LAUNCHED_PER_HOUR) continue;
      const token = this.#newToken(true);
      this.#slots[slot] = token;
      launched.push(token.mint);
      await archive.close(mint);
    }
    await openRecords(archive, launched);
  }

  #newToken(isLaunch: boolean): Token {
    const mint = namedAddress(`retention ${this.mints.length}`);
    this.mints.push(mint);
    return { mint, series: new TokenSeries(this.#random, this.nowMs, isLaunch) };
  }
}

async function openRecords(archive: TokenArchive, mints: readonly Address[]): Promise<void> {
  for (let start = 0; start < mints.length; start += OPENED_AT_ONCE) {
    const some = mints.slice(start, start + OPENED_AT_ONCE);
    await Promise.all(some.map((mint) => archive.open(mint, { name: null, symbol: null })));
  }
}

function packedRow(day: number, token: Token | undefined, hours: readonly SampleHour[]) {
  return token === undefined || hours.length === 0
    ? []
    : [{ mint: token.mint, data: rolledData(day, hours) }];
}

/** The samples of up to an hour, as the archive selects and packs them. */
function storedHours({ series }: Token, untilMs: number): readonly SampleHour[] {
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
