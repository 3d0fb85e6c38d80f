import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Kysely } from "kysely";
import type { Schema } from "#src/store/schema.ts";
import { nextStateSlot, type StoredState, stateBy } from "#src/store/states.ts";
import { storedToken } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { type AssessedSnapshot, parseSnapshot, snapshotText } from "./snapshot-text.ts";

/** States of a token are at least so far apart, however much happens. */
export const STATE_EVERY_MS = 60_000;
/** For so long a state speaks for the slots after it: as long as a sample does, at 0.4 s a slot. */
export const STATE_HOLDS_SLOTS = 825n;
/** A small text beside a long one that it is packed against. */
const PACKING_LEVEL = 9;
/** Far above any snapshot: bytes that unpack to more are not ours. */
const LONGEST_TEXT = 1024 * 1024;
const MS_PER_DAY = 86_400_000;

/**
 * Which answers of one token are kept: the first that it is told of, then one whenever something has
 * moved, a minute apart at the least. Owns what is kept and not on disk yet. Slots only ascend, so that what is on
 * disk up to a slot never changes afterwards.
 */
export class TokenStates {
  readonly #tokenId: bigint;
  #newestSlot: bigint | null;
  #keptAtMs = Number.NEGATIVE_INFINITY;
  #isDue = true;
  /** The day's first state, whole, that the others of the day are packed against. */
  #base: { readonly day: number; readonly slot: bigint; readonly text: string } | null = null;
  #pending: StoredState[] = [];

  /** @param newestSlot of the states on disk; null where there are none */
  constructor(tokenId: bigint, newestSlot: bigint | null) {
    this.#tokenId = tokenId;
    this.#newestSlot = newestSlot;
  }

  /** Kept, and not on disk yet. */
  get pending(): readonly StoredState[] {
    return this.#pending;
  }

  /** Takes in an answer, and whether anything moved since the one before. */
  add(snapshot: AssessedSnapshot, { atMs, isNew }: { atMs: number; isNew: boolean }): void {
    this.#isDue ||= isNew;
    const { slot } = snapshot.assessment;
    if (!this.#isDue || atMs - this.#keptAtMs < STATE_EVERY_MS) return;
    if (this.#newestSlot !== null && slot <= this.#newestSlot) return;
    this.#isDue = false;
    this.#keptAtMs = atMs;
    this.#newestSlot = slot;
    this.#pending.push(this.#packed(snapshot, Math.floor(atMs / MS_PER_DAY)));
  }

  /** These are on disk now. */
  written(states: ReadonlySet<StoredState>): void {
    this.#pending = this.#pending.filter((state) => !states.has(state));
  }

  #packed(snapshot: AssessedSnapshot, day: number): StoredState {
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

/** Which slots are stored around the one that was asked for; null: none. */
export type StoredSlots = { readonly before: bigint | null; readonly after: bigint | null };

export type StateAt =
  | { readonly kind: "stored"; readonly snapshot: AssessedSnapshot }
  | { readonly kind: "not-stored"; readonly slots: StoredSlots };

/**
 * The newest answer that was stored of the token at or before a slot, at most `STATE_HOLDS_SLOTS`
 * before it. From disk alone, and only where no later writing can come between: of that very slot,
 * or with a later one on disk. So it is the same whenever and in whichever process it is asked for,
 * until its days of keeping are over.
 */
export async function stateAt(db: Kysely<Schema>, mint: Address, slot: bigint): Promise<StateAt> {
  const token = await storedToken(db, mint);
  if (token === null) return { kind: "not-stored", slots: { before: null, after: null } };
  const { id: tokenId } = token;
  const [found, after] = await Promise.all([
    stateBy(db, { tokenId, slot }),
    nextStateSlot(db, { tokenId, slot }),
  ]);
  const slots = { before: found?.slot ?? null, after };
  const isSettled = found !== null && (found.slot === slot || after !== null);
  if (!isSettled || slot - found.slot > STATE_HOLDS_SLOTS) return { kind: "not-stored", slots };
  const snapshot = await readState(db, found);
  return snapshot === null ? { kind: "not-stored", slots } : { kind: "stored", snapshot };
}

/** Null where it was written by a version that wrote otherwise, or can't be read. */
async function readState(db: Kysely<Schema>, state: StoredState): Promise<AssessedSnapshot | null> {
  const { tokenId, slot, baseSlot } = state;
  if (baseSlot === slot) return snapshotIn(unpackText(state.data, null));
  const base = await stateBy(db, { tokenId, slot: baseSlot });
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
    // Bytes that were damaged say nothing.
    return null;
  }
}
