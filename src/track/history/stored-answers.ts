import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Kysely } from "kysely";
import { dayOf } from "#src/platform/clock.ts";
import type { Schema } from "#src/store/schema.ts";
import {
  newestStoredSlot,
  nextStoredSlot,
  type StoredAnswer,
  storedAnswerAt,
} from "#src/store/stored-answers.ts";
import { storedToken } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { type AssessedSnapshot, parseSnapshot, snapshotText } from "../snapshot-text.ts";

/** Minimum time between stored answers of a token. */
const ANSWER_EVERY_MS = 60_000;
/** Deflate level: later answers are compressed with the first of the day as dictionary. */
const PACKING_LEVEL = 9;
/** Far above any snapshot: larger data is corrupt. */
const LONGEST_TEXT = 1024 * 1024;

const NO_ANSWERS: readonly StoredAnswer[] = [];

/**
 * Selects the answers of one token to store: the first, then one after each change, at least a minute
 * apart. Owns those not on disk yet.
 *
 * An answer is final when one of a later slot was given: it is stored only then, and only if every answer
 * given at its slot was the same. Of a slot at which two answers were given, none is stored; nor of the
 * first slot, at which an earlier process may have answered.
 */
export class StoredAnswers {
  readonly #tokenId: bigint;
  /** The newest slot of which an answer is stored or pending; null: there is none. */
  #storedSlot: bigint | null;
  #keptAtMs = Number.NEGATIVE_INFINITY;
  #isDue = true;
  /** The answer of the newest slot; null: none was given. */
  #newest: AssessedSnapshot | null = null;
  /** Another answer was given at the same slot, or may have been: it is the first slot. */
  #isAmbiguous = false;
  /** When the newest answer was selected; null: it was not. */
  #selectedAtMs: number | null = null;
  /** The day's first answer, uncompressed: the dictionary for the others of the day. */
  #base: { readonly day: number; readonly slot: bigint; readonly text: string } | null = null;
  /** Replaced, never modified: most tokens share the empty list. */
  #pending: readonly StoredAnswer[] = NO_ANSWERS;

  /** @param storedSlot the newest of the answers on disk; null if there are none */
  constructor(tokenId: bigint, storedSlot: bigint | null) {
    this.#tokenId = tokenId;
    this.#storedSlot = storedSlot;
  }

  /** The answers selected and not on disk yet. */
  get pending(): readonly StoredAnswer[] {
    return this.#pending;
  }

  /** Notes an answer that is given from now on. */
  give(snapshot: AssessedSnapshot): void {
    const { slot } = snapshot.assessment;
    const newest = this.#newest;
    if (newest !== null) {
      const { slot: newestSlot } = newest.assessment;
      if (slot < newestSlot) {
        this.#keepPending((stored) => stored.slot !== slot);
        return;
      }
      if (slot === newestSlot) {
        this.#isAmbiguous ||= !isSameAnswer(newest, snapshot);
        return;
      }
      this.#settle(newest);
    }
    this.#newest = snapshot;
    this.#isAmbiguous = newest === null;
    this.#selectedAtMs = null;
  }

  /** Selects the answer that is given now if one is due; `isNew`: something changed since the previous one. */
  select({ atMs, isNew }: { atMs: number; isNew: boolean }): void {
    this.#isDue ||= isNew;
    if (!this.#isDue || atMs - this.#keptAtMs < ANSWER_EVERY_MS) return;
    const newest = this.#newest;
    if (newest === null || this.#isAmbiguous) return;
    if (this.#storedSlot !== null && newest.assessment.slot <= this.#storedSlot) return;
    this.#selectedAtMs = atMs;
  }

  /** The newest answer is final: one of a later slot was given. */
  #settle(newest: AssessedSnapshot): void {
    const selectedAtMs = this.#selectedAtMs;
    if (this.#isAmbiguous || selectedAtMs === null) return;
    this.#isDue = false;
    this.#keptAtMs = selectedAtMs;
    this.#storedSlot = newest.assessment.slot;
    const packed = this.#packed(newest, dayOf(selectedAtMs));
    this.#pending = this.#pending.concat(packed);
  }

  /** Removes answers that are on disk now. */
  written(states: ReadonlySet<StoredAnswer>): void {
    this.#keepPending((state) => !states.has(state));
  }

  #keepPending(isKept: (answer: StoredAnswer) => boolean): void {
    const left = this.#pending.filter(isKept);
    this.#pending = left.length === 0 ? NO_ANSWERS : left;
  }

  #packed(snapshot: AssessedSnapshot, day: number): StoredAnswer {
    const { slot } = snapshot.assessment;
    const text = snapshotText(snapshot);
    const base = this.#base?.day === day ? this.#base : null;
    if (base === null) this.#base = { day, slot, text };
    return {
      tokenId: this.#tokenId,
      slot,
      day,
      baseSlot: base?.slot ?? slot,
      data: packText(text, base?.text ?? null),
    };
  }
}

/** Whether both are the same bytes to every caller: the seconds of a short history are not in them. */
function isSameAnswer(a: AssessedSnapshot, b: AssessedSnapshot): boolean {
  if (a.trend !== b.trend || a.isDeteriorating !== b.isDeteriorating) return false;
  if (a.assessment === b.assessment) return true;
  return comparableText(a) === comparableText(b);
}

function comparableText(snapshot: AssessedSnapshot): string {
  const findings = snapshot.assessment.findings.map((finding) =>
    finding.kind === "short-history" && finding.historySeconds !== null
      ? { ...finding, historySeconds: 0 }
      : finding,
  );
  return snapshotText({ ...snapshot, assessment: { ...snapshot.assessment, findings } });
}

/** The stored slots nearest to the requested one; null: none. */
export type StoredSlots = { readonly before: bigint | null; readonly after: bigint | null };

export type AnswerAt =
  | { readonly kind: "stored"; readonly snapshot: AssessedSnapshot }
  | { readonly kind: "not-stored"; readonly slots: StoredSlots };

/**
 * The answer that was given of the token at exactly this slot, from disk alone: so it is the same
 * whenever and in whichever process it is requested, until its days are over.
 */
export async function answerAt(db: Kysely<Schema>, mint: Address, slot: bigint): Promise<AnswerAt> {
  const token = await storedToken(db, mint);
  if (token === null) return { kind: "not-stored", slots: { before: null, after: null } };
  const { id: tokenId } = token;
  const [found, after] = await Promise.all([
    storedAnswerAt(db, { tokenId, slot }),
    nextStoredSlot(db, { tokenId, slot }),
  ]);
  const isExact = found?.slot === slot;
  const snapshot = isExact ? await readState(db, found) : null;
  if (snapshot !== null) return { kind: "stored", snapshot };
  // An unreadable answer is not a reason to request its slot again.
  const earlier = isExact ? await storedAnswerAt(db, { tokenId, slot: slot - 1n }) : found;
  return { kind: "not-stored", slots: { before: earlier?.slot ?? null, after } };
}

/** The newest answer that is stored of a token; null if there is none, or it cannot be read. */
export async function newestAnswer(
  db: Kysely<Schema>,
  tokenId: bigint,
): Promise<AssessedSnapshot | null> {
  const slot = await newestStoredSlot(db, tokenId);
  const stored = slot === null ? null : await storedAnswerAt(db, { tokenId, slot });
  return stored === null ? null : readState(db, stored);
}

/** Null if it was written in another format or is unreadable. */
async function readState(
  db: Kysely<Schema>,
  state: StoredAnswer,
): Promise<AssessedSnapshot | null> {
  const { tokenId, slot, baseSlot } = state;
  if (baseSlot === slot) return snapshotIn(unpackText(state.data, null));
  const base = await storedAnswerAt(db, { tokenId, slot: baseSlot });
  if (base?.slot !== baseSlot || base.baseSlot !== baseSlot) return null;
  const baseText = unpackText(base.data, null);
  return baseText === null ? null : snapshotIn(unpackText(state.data, baseText));
}

function snapshotIn(text: string | null): AssessedSnapshot | null {
  return text === null ? null : parseSnapshot(text);
}

function packText(text: string, base: string | null): Uint8Array {
  const dictionary = base === null ? {} : { dictionary: Buffer.from(base) };
  return deflateRawSync(text, { level: PACKING_LEVEL, ...dictionary });
}

function unpackText(data: Uint8Array, base: string | null): string | null {
  const dictionary = base === null ? {} : { dictionary: Buffer.from(base) };
  try {
    return inflateRawSync(data, { maxOutputLength: LONGEST_TEXT, ...dictionary }).toString();
  } catch {
    // Damaged data counts as not stored.
    return null;
  }
}
