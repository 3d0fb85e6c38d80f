import type { WallClock } from "#src/platform/clock.ts";
import {
  type AssessedSnapshot,
  agedAssessment,
  type Renewal,
  renew,
} from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";

/** The tracker re-measures after this time; an assessment is aged again here after the same time. */
const AGED_FOR_MS = 1_000;
/** A token without a request for this time is dropped. */
const UNUSED_AFTER_MS = 15 * 60_000;

/** Names an edition: see `News`. */
export type EditionId = {
  readonly term: bigint;
  /** Null: the snapshot came as a reply, and no renewal is known to be of it. */
  readonly edition: number | null;
};

type HeldSnapshot = EditionId & {
  snapshot: AssessedSnapshot;
  /** The snapshot, aged to `agedAtMs`. */
  aged: AssessedSnapshot;
  agedAtMs: number;
  usedAtMs: number;
};

export type HeldSnapshotsDeps = {
  /** True if the accounts are recorded: then assessments do not age. */
  readonly isFrozen: boolean;
  readonly clock: WallClock;
};

/** The newest snapshot of each token that this process serves, aged by the rule of the tracker. */
export class HeldSnapshots {
  readonly #deps: HeldSnapshotsDeps;
  readonly #held = new Map<Address, HeldSnapshot>();

  constructor(deps: HeldSnapshotsDeps) {
    this.#deps = deps;
  }

  has(mint: Address): boolean {
    return this.#held.has(mint);
  }

  mints(): Iterable<Address> {
    return this.#held.keys();
  }

  /** The snapshot with its present age, marked as used; null if none is held. */
  latest(mint: Address): AssessedSnapshot | null {
    const held = this.#held.get(mint);
    if (held === undefined) return null;
    const nowMs = this.#deps.clock.nowMs();
    held.usedAtMs = nowMs;
    return this.#aged(held, nowMs);
  }

  /** Marks the token as used. @returns whether it is held */
  touch(mint: Address): boolean {
    const held = this.#held.get(mint);
    if (held === undefined) return false;
    held.usedAtMs = this.#deps.clock.nowMs();
    return true;
  }

  /** @returns whether the snapshot was accepted: it is the first, or newer than the held one */
  hold(snapshot: AssessedSnapshot, { term, edition }: EditionId): boolean {
    const nowMs = this.#deps.clock.nowMs();
    const { mint, stateTimeMs } = snapshot.assessment;
    const held = this.#held.get(mint);
    const isOlder = held !== undefined && stateTimeMs < held.snapshot.assessment.stateTimeMs;
    // The messages of one tracker are in order; their state time may go back when a pool is found late.
    if (isOlder && held.term !== term) return false;
    const usedAtMs = held?.usedAtMs ?? nowMs;
    this.#held.set(mint, { snapshot, term, edition, aged: snapshot, agedAtMs: nowMs, usedAtMs });
    return true;
  }

  /** The held snapshot, renewed; null if another edition of the token is held. */
  renew(mint: Address, renewal: Renewal, { term, edition }: EditionId): AssessedSnapshot | null {
    const held = this.#held.get(mint);
    if (held === undefined || held.term !== term || held.edition !== edition) return null;
    held.snapshot = renew(held.snapshot, renewal);
    held.aged = held.snapshot;
    held.agedAtMs = this.#deps.clock.nowMs();
    return held.snapshot;
  }

  /** Whether the held snapshot is of another tracker and newer: this one has not caught up with it yet. */
  isAhead(mint: Address, { stateTimeMs }: Renewal, term: bigint): boolean {
    const held = this.#held.get(mint);
    if (held === undefined || held.term === term) return false;
    return held.snapshot.assessment.stateTimeMs > stateTimeMs;
  }

  /** Drops tokens that were not used for a quarter of an hour, except those in use now. @returns the dropped tokens */
  removeUnused(isInUse: (mint: Address) => boolean): readonly Address[] {
    const before = this.#deps.clock.nowMs() - UNUSED_AFTER_MS;
    const dropped: Address[] = [];
    for (const [mint, { usedAtMs }] of this.#held) {
      if (usedAtMs >= before || isInUse(mint)) continue;
      this.#held.delete(mint);
      dropped.push(mint);
    }
    return dropped;
  }

  #aged(held: HeldSnapshot, nowMs: number): AssessedSnapshot {
    if (this.#deps.isFrozen || nowMs - held.agedAtMs < AGED_FOR_MS) return held.aged;
    const { snapshot } = held;
    held.aged = { ...snapshot, assessment: agedAssessment(snapshot.assessment, nowMs) };
    held.agedAtMs = nowMs;
    return held.aged;
  }
}
