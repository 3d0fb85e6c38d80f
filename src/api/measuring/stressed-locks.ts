import Type, { type Static } from "typebox";
import type { Opening, ShareLock } from "#src/measure/questions/share-holders.ts";
import { compareBigints, minBigint } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";
import { nullable } from "../values.ts";

const OpeningTime = Type.Object({
  at: Type.String({ format: "date-time", description: "By the chain's clock" }),
  slot: nullable(
    Type.Integer(),
    "The slot, if the program counts slots; `at` is then an estimate, at 400 ms a slot",
  ),
});

/** Shares that a locker keeps from their owner. What is not known is null, and `reason` says why. */
export const StressedLock = Type.Object({
  locker: Type.String({
    description:
      "The program: jupiter-lock, streamflow, meteora-damm-v2 (vesting of a position), meteora-dlmm (a locked position), or one that is added later",
  }),
  owner: Type.String({ description: "Who can withdraw the shares once they are open" }),
  share_pct: Type.Number({
    minimum: 0,
    maximum: 100,
    description: "Share of the pool's shares that is still in the lock",
  }),
  opens_next: nullable(OpeningTime, "When the next part of the shares opens; null: not known"),
  opens_fully: nullable(OpeningTime, "When all of the shares are open; null: not known"),
  reason: nullable(
    Type.Enum(["revocable", "undecodable", "not-read"], {
      description:
        "revocable: the program lets one side end the lock early, or change its terms. undecodable: the lock's account does not have the program's format, or contradicts the amount in the lock. not-read: the node refused the search for the lock or did not answer in time, the lock was not found, or it is not among those that are read",
    }),
    "Why the lock's dates are unknown or not binding: its shares then count as withdrawable; null where the dates bind",
  ),
});

/** Maximum number of locks of a pool in an answer. */
export const MAX_LOCKS = 20;

/** The largest locks, in their original order. */
export function largestLocks(locks: readonly ShareLock[]): readonly ShareLock[] {
  if (locks.length <= MAX_LOCKS) return locks;
  const bySize = locks.toSorted((a, b) => compareBigints(b.shares, a.shares));
  const largest = new Set(bySize.slice(0, MAX_LOCKS));
  return locks.filter((lock) => largest.has(lock));
}

/** Shares in locks whose dates bind. */
export function timeLocked(locks: readonly ShareLock[]): bigint {
  return locks.reduce(
    (sum, { shares, terms }) => (terms.kind === "dated" ? sum + shares : sum),
    0n,
  );
}

export function lockOf(
  { locker, owner, terms }: ShareLock,
  sharePct: number,
): Static<typeof StressedLock> {
  const isDated = terms.kind === "dated";
  return {
    locker,
    owner,
    share_pct: sharePct,
    opens_next: isDated ? openingOf(terms.next) : null,
    opens_fully: isDated ? openingOf(terms.last) : null,
    reason: isDated ? null : terms.reason,
  };
}

/** The last second of the year 9999, with which dates in JSON end. */
const LAST_SECOND = 253_402_300_799n;

function openingOf({ at, slot }: Opening): Static<typeof OpeningTime> {
  const seconds = toNumber(minBigint(at, LAST_SECOND));
  return {
    at: new Date(seconds * 1_000).toISOString(),
    slot: slot === null ? null : toNumber(slot),
  };
}
