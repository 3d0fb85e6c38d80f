import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import {
  type ClaimedChannel,
  claimChannels,
  releaseAllChannels,
  releaseChannel,
} from "#src/store/channel-leases.ts";
import {
  bringForward,
  type Message,
  nextDueMs,
  takeMessage,
  waitingMessages,
} from "#src/store/deliveries.ts";
import {
  endChannel,
  failMessage,
  finishMessage,
  refuseMessage,
} from "#src/store/delivery-attempts.ts";
import type { Store } from "#src/store/schema.ts";
import type { ChannelSender } from "./channel-sender.ts";
import { LONGEST_PLAN_MS } from "./plan.ts";

const POLL_EVERY_MS = 1_000;
/** A commit that was announced is over by then; a statement on SQLite that waits for it would block this thread. */
const AFTER_ANNOUNCED_MS = 20;
/** Longer than any attempt of a worker that runs: a channel never has two workers. */
const LEASE_MS = 60_000;
/** The clocks of two workers differ by no more than this. */
const CLOCKS_APART_MS = 60_000;
/** Channels served at once. Those that fail or are slow have their own lane. */
const LANES = { quick: 64, slow: 16 } as const;
const SLOW_MS = 2_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
/** A message that its receiver refuses this often is a dead letter. */
const REFUSALS_ALLOWED = 3;
const BACK_OFF_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600] as const;

export type AlertOutboxDeps = {
  readonly store: Store;
  readonly sender: ChannelSender;
  readonly clock: WallClock;
  /** In [0, 1): spreads retries over time. */
  readonly random: () => number;
  readonly log: FailureLogger;
};

/** A retry is sooner or later than its back-off by up to this share, so that not all failed ones come at once. */
const JITTER = 0.2;
/** No retry is later than this from when it was planned. */
const LONGEST_RETRY_MS = Math.max(...BACK_OFF_SECONDS) * 1_000 * (1 + JITTER);

/** When a message is sent again after `attempts` attempts; null: never, it has been due for 24 hours. */
export function retryAtMs(
  message: { readonly attempts: number; readonly dueMs: number },
  { nowMs, random }: { readonly nowMs: number; readonly random: () => number },
): number | null {
  const last = BACK_OFF_SECONDS[BACK_OFF_SECONDS.length - 1] ?? 0;
  const seconds = BACK_OFF_SECONDS[message.attempts - 1] ?? last;
  const atMs = Math.round(nowMs + seconds * 1_000 * (1 - JITTER + 2 * JITTER * random()));
  return atMs > message.dueMs + GIVE_UP_AFTER_MS ? null : atMs;
}

/**
 * Sends the queued messages: those of one channel in order, many channels at once. A message is
 * marked as delivered after its receiver accepted it, so it arrives at least once even if this
 * process is killed; receivers recognise a repeated message by its id.
 */
export class AlertOutbox {
  readonly #deps: AlertOutboxDeps;
  readonly #pollFailures: FailureLog;
  readonly #saveFailures: FailureLog;
  readonly #running = { quick: new Set<Promise<void>>(), slow: new Set<Promise<void>>() };
  /** Attempts that became slow while running: they no longer occupy the quick lane. */
  readonly #late = new Set<Promise<void>>();
  readonly #outcomes = { delivered: 0, failed: 0, dead: 0 };
  #timer: NodeJS.Timeout | null = null;
  #wake: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #polling: Promise<void> | null = null;
  #isPollDue = false;
  #isClosed = false;

  constructor(deps: AlertOutboxDeps) {
    this.#deps = deps;
    const { log } = deps;
    const next = "retrying every second";
    this.#pollFailures = new FailureLog({ log, what: "poll the alert outbox", next });
    this.#saveFailures = new FailureLog({
      log,
      what: "save the result of a delivery",
      next: "the message is sent again after its lease",
    });
  }

  /** Since the start: messages delivered, attempts that failed, and dead letters. */
  get outcomes(): { readonly delivered: number; readonly failed: number; readonly dead: number } {
    return this.#outcomes;
  }

  /** The number of queued messages, and when the oldest was due; null if there is none. */
  waiting(): Promise<{ readonly count: number; readonly oldestDueMs: number | null }> {
    return waitingMessages(this.#deps.store.db);
  }

  async start(): Promise<void> {
    const { store, clock } = this.#deps;
    // The embedded database has one process at a time: leases left over belong to a dead process.
    if (store.dialect === "sqlite") await releaseAllChannels(store.db);
    const nowMs = clock.nowMs();
    await bringForward(store.db, {
      nowMs,
      latestMs: nowMs + LONGEST_PLAN_MS,
      latestRetryMs: nowMs + LONGEST_RETRY_MS,
      latestLeaseMs: nowMs + LEASE_MS + CLOCKS_APART_MS,
    });
    this.#timer = setInterval(() => this.poll(), POLL_EVERY_MS);
    this.poll();
  }

  /** Begins to send what is due, as far as lanes are free; what is due before the next poll is sent then. */
  poll(): void {
    if (this.#isClosed) return;
    this.#isPollDue = true;
    this.#polling ??= this.#pollWhileDue().finally(() => {
      this.#polling = null;
    });
  }

  /** Messages are about to be committed: looks for them in a moment. */
  pollSoon(): void {
    if (this.#isClosed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      this.poll();
    }, AFTER_ANNOUNCED_MS);
  }

  /** Resolves when no attempt is under way and nothing is due. */
  async idle(): Promise<void> {
    this.poll();
    for (;;) {
      await this.#polling;
      const running = this.#underWay();
      if (running.length === 0 && this.#polling === null) return;
      await Promise.all(running);
    }
  }

  /** Finishes the attempts under way; the rest stays queued for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#soon !== null) clearTimeout(this.#soon);
    await this.#polling;
    if (this.#wake !== null) clearTimeout(this.#wake);
    await Promise.all(this.#underWay());
  }

  #underWay(): readonly Promise<void>[] {
    return [...this.#running.quick, ...this.#running.slow, ...this.#late];
  }

  async #pollWhileDue(): Promise<void> {
    while (this.#isPollDue && !this.#isClosed) {
      this.#isPollDue = false;
      try {
        const nowMs = this.#deps.clock.nowMs();
        await this.#claim("quick", nowMs);
        await this.#claim("slow", nowMs);
        await this.#wakeForNext(nowMs);
        this.#pollFailures.succeeded();
      } catch (cause) {
        this.#pollFailures.failed(cause);
        return;
      }
    }
  }

  async #claim(lane: "quick" | "slow", nowMs: number): Promise<void> {
    const limit = LANES[lane] - this.#running[lane].size;
    if (limit <= 0) return;
    const claim = { limit, leaseMs: LEASE_MS, nowMs, isSlow: lane === "slow" };
    for (const channel of await claimChannels(this.#deps.store, claim)) this.#serve(lane, channel);
  }

  /** A message waits a moment for other alerts: it is sent when it is due, not at the poll after that. */
  async #wakeForNext(nowMs: number): Promise<void> {
    if (this.#timer === null) return;
    const { store, clock } = this.#deps;
    const dueMs = await nextDueMs(store.db, { afterMs: nowMs, upToMs: nowMs + POLL_EVERY_MS });
    if (this.#wake !== null) clearTimeout(this.#wake);
    this.#wake = null;
    if (dueMs === null) return;
    this.#wake = setTimeout(() => this.poll(), Math.max(0, dueMs - clock.nowMs()));
  }

  #serve(lane: "quick" | "slow", channel: ClaimedChannel): void {
    const served = this.#saveFailures
      .outcomeOf(this.#deliver(channel), { channel: String(channel.id) })
      .finally(() => {
        clearTimeout(late);
        this.#running[lane].delete(served);
        this.#late.delete(served);
        this.poll();
      });
    this.#running[lane].add(served);
    const late = setTimeout(() => {
      if (lane === "slow" || !this.#running.quick.delete(served)) return;
      this.#late.add(served);
      this.poll();
    }, SLOW_MS);
  }

  async #deliver(channel: ClaimedChannel): Promise<void> {
    const { store, sender, clock } = this.#deps;
    const held = { channelId: channel.id, leaseUntilMs: channel.leaseUntilMs };
    const beganMs = clock.nowMs();
    const message = await takeMessage(store.db, channel.id, beganMs);
    if (message === null) {
      await releaseChannel(store.db, held);
      return;
    }
    const { uid, alerts } = message;
    const sent =
      alerts.length === 0
        ? ({ kind: "sent" } as const)
        : await sender.send(channel, { kind: "alerts", uid, alerts });
    const isSlow = clock.nowMs() - beganMs > SLOW_MS;
    const attempt = { ...held, messageId: message.id, nowMs: clock.nowMs(), isSlow };
    if (sent.kind === "sent") {
      await finishMessage(store.db, attempt);
      this.#outcomes.delivered++;
      return;
    }
    if (sent.kind === "gone") {
      const ended = await endChannel(store.db, { ...attempt, error: sent.error });
      if (ended === null) return;
      this.#outcomes.failed++;
      this.#noteDead({ ...attempt, error: sent.error }, "a receiver has ended", ended);
    } else if (sent.kind === "refused")
      await this.#refuse(message, { ...attempt, error: sent.error });
    else await this.#fail(message, { ...attempt, isSlow: true, error: sent.error });
  }

  async #fail(
    message: Message,
    attempt: Omit<Parameters<typeof failMessage>[1], "retryAtMs">,
  ): Promise<void> {
    const { store, random } = this.#deps;
    const retry = retryAtMs(message, { nowMs: attempt.nowMs, random });
    if (!(await failMessage(store.db, { ...attempt, retryAtMs: retry }))) return;
    this.#outcomes.failed++;
    if (retry === null) this.#noteDead(attempt, "failed to deliver a message for 24 hours");
  }

  /** The message is at fault: it is sent again later, and the channel's other messages before it. */
  async #refuse(
    message: Message,
    attempt: Omit<Parameters<typeof refuseMessage>[1], "retryAtMs">,
  ): Promise<void> {
    const { store, random } = this.#deps;
    const isLast = message.refusals + 1 >= REFUSALS_ALLOWED;
    const retry = isLast ? null : retryAtMs(message, { nowMs: attempt.nowMs, random });
    if (!(await refuseMessage(store.db, { ...attempt, retryAtMs: retry }))) return;
    this.#outcomes.failed++;
    if (retry === null) this.#noteDead(attempt, "a receiver refused a message repeatedly");
  }

  #noteDead(
    { channelId, error }: { channelId: bigint; error: string },
    what: string,
    messages = 1,
  ): void {
    this.#outcomes.dead += messages;
    const fields = { channel: String(channelId), reason: error, messages };
    this.#deps.log.warn(fields, `${what}; dead letter`);
  }
}
