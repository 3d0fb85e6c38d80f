import type { DeliveryTarget, MessageWrites, QueuedMessage } from "#src/store/deliveries.ts";
import type { UserId } from "#src/store/user-id.ts";

export type MessageRules = {
  /** A message waits this long, from when its first alert was found, for others of the same market event. */
  readonly coalesceMs: number;
  /** The minimum time between two messages about one token. */
  readonly coolDownMs: number;
  /** After this many messages in the window, the next one waits until `gapMs` after the last, and collects. */
  readonly burst: { readonly messages: number; readonly windowMs: number; readonly gapMs: number };
};

/** How alerts become messages: one market event is one message. */
const MESSAGE_RULES: MessageRules = {
  coalesceMs: 100,
  coolDownMs: 60_000,
  burst: { messages: 5, windowMs: 60_000, gapMs: 9_000 },
};

/** Messages that were due longer ago than this have no influence on a plan. */
export const PLAN_WINDOW_MS = Math.max(MESSAGE_RULES.coolDownMs, MESSAGE_RULES.burst.windowMs);

/** A recorded alert that its user's channels have to receive. */
export type QueuedAlert = { readonly id: bigint; readonly userId: UserId; readonly mint: string };

/** No message is due later than this from when it was planned. */
export const LONGEST_PLAN_MS = MESSAGE_RULES.coolDownMs + MESSAGE_RULES.burst.gapMs;

export type PlannedMessage = Pick<QueuedMessage, "uid" | "isOpen" | "dueMs"> & {
  readonly mints: Set<string>;
};

export type PlanTimes = {
  readonly nowMs: number;
  /** When the alerts were found: before now, by the time that their write takes. */
  readonly foundAtMs: number;
};

/**
 * Plans the messages for new alerts: which new messages each channel gets, and in which message each
 * alert goes out. Pure: `queued` is not changed, and the uids come from `newUid`.
 */
export function planMessages(
  alerts: readonly QueuedAlert[],
  {
    targets,
    queued,
  }: { readonly targets: readonly DeliveryTarget[]; readonly queued: readonly QueuedMessage[] },
  { nowMs, foundAtMs, newUid }: PlanTimes & { readonly newUid: () => string },
): MessageWrites {
  const alertsByUser = Map.groupBy(alerts, ({ userId }) => userId);
  const queuedByChannel = Map.groupBy(queued, ({ channelId }) => channelId);
  const created: MessageWrites["created"][number][] = [];
  const links: MessageWrites["links"][number][] = [];
  for (const { channelId, userId } of targets) {
    const recent: PlannedMessage[] = (queuedByChannel.get(channelId) ?? []).map((message) => ({
      ...message,
      mints: new Set(message.mints),
    }));
    for (const { id: alertId, mint } of alertsByUser.get(userId) ?? []) {
      const plan = planMessage(recent, mint, { ...MESSAGE_RULES, nowMs, foundAtMs });
      if (plan.kind === "append") {
        plan.to.mints.add(mint);
        links.push({ uid: plan.to.uid, alertId });
        continue;
      }
      const { dueMs } = plan;
      const uid = newUid();
      recent.push({ uid, isOpen: true, dueMs, mints: new Set([mint]) });
      created.push({ uid, channelId, dueMs });
      links.push({ uid, alertId });
    }
  }
  return { created, links };
}

/**
 * The message of its channel in which one alert goes out: an open one, or a new one that is due at
 * `dueMs`. Alerts that are found together go out together; an alert about a token that had a message
 * recently waits for the cool-down; after a burst messages keep their distance, so that many alerts
 * of some tokens delay the first alert of another by the gap at most. Alerts of one token are due in
 * the order in which they were found.
 */
export function planMessage<Message extends PlannedMessage>(
  recent: readonly Message[],
  mint: string,
  { nowMs, foundAtMs, coalesceMs, coolDownMs, burst }: MessageRules & PlanTimes,
):
  | { readonly kind: "append"; readonly to: Message }
  | { readonly kind: "new"; readonly dueMs: number } {
  const open = recent.filter(({ isOpen }) => isOpen).toSorted((a, b) => a.dueMs - b.dueMs);
  const sameToken = open.find(({ mints }) => mints.has(mint));
  if (sameToken !== undefined) return { kind: "append", to: sameToken };
  const lastOfToken = recent
    .filter(({ mints }) => mints.has(mint))
    .reduce((latest, { dueMs }) => Math.max(latest, dueMs), Number.NEGATIVE_INFINITY);
  // A clock that was set back meanwhile makes no message wait longer.
  const joinedMs = Math.max(nowMs, Math.min(foundAtMs, nowMs) + coalesceMs);
  const earliestMs = Math.max(joinedMs, Math.min(lastOfToken, nowMs) + coolDownMs);
  const before = recent
    .map(({ dueMs }) => dueMs)
    .filter((dueMs) => dueMs <= earliestMs && dueMs > earliestMs - burst.windowMs);
  const isBurst = before.length >= burst.messages;
  const dueMs = isBurst ? Math.max(earliestMs, Math.max(...before) + burst.gapMs) : earliestMs;
  const [soonest] = open;
  if (soonest !== undefined && soonest.dueMs <= dueMs) return { kind: "append", to: soonest };
  return { kind: "new", dueMs };
}
