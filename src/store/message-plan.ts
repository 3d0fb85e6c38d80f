/** A message of a channel that was due lately or is yet to be. */
export type RecentMessage = {
  /** Null: it is made in this very transaction. */
  readonly id: bigint | null;
  readonly uid: string;
  /** Nobody has begun to send it: alerts can still be added. */
  readonly isOpen: boolean;
  readonly dueMs: number;
  readonly mints: Set<string>;
};

export type MessageRules = {
  /** A message waits for so long for other alerts of the same event. */
  readonly coalesceMs: number;
  /** The least time between two messages about one token. */
  readonly coolDownMs: number;
  /** At most so many messages in so long a time; what comes then is collected in the next. */
  readonly burst: { readonly messages: number; readonly windowMs: number };
};

/**
 * In which message of its channel an alert goes out: one that still waits, or a new one that is due
 * at `dueMs`. A market event is one message: what comes together goes together, a token that was
 * written about lately waits, and so does everything where many messages went out already. Alerts of
 * one token never overtake each other: they are due in the order in which they come.
 */
export function planMessage(
  recent: readonly RecentMessage[],
  mint: string,
  { nowMs, coalesceMs, coolDownMs, burst }: MessageRules & { readonly nowMs: number },
):
  | { readonly kind: "append"; readonly to: RecentMessage }
  | { readonly kind: "new"; dueMs: number } {
  const open = recent.filter(({ isOpen }) => isOpen).toSorted((a, b) => a.dueMs - b.dueMs);
  const aboutIt = open.find(({ mints }) => mints.has(mint));
  if (aboutIt !== undefined) return { kind: "append", to: aboutIt };
  const lastAboutIt = recent
    .filter(({ mints }) => mints.has(mint))
    .reduce((latest, { dueMs }) => Math.max(latest, dueMs), Number.NEGATIVE_INFINITY);
  const inWindow = recent
    .map(({ dueMs }) => dueMs)
    .filter((dueMs) => dueMs > nowMs - burst.windowMs)
    .toSorted((a, b) => b - a);
  const beforeBurst = inWindow[burst.messages - 1] ?? Number.NEGATIVE_INFINITY;
  const dueMs = Math.max(
    nowMs + coalesceMs,
    lastAboutIt + coolDownMs,
    beforeBurst + burst.windowMs,
  );
  const [soonest] = open;
  if (soonest !== undefined && soonest.dueMs <= dueMs) return { kind: "append", to: soonest };
  return { kind: "new", dueMs };
}
