import type { BaseLogger } from "pino";
import type { NowMs } from "#src/platform/clock.ts";
import type { Channel } from "#src/store/channels.ts";
import {
  claimChannels,
  failMessage,
  finishMessage,
  type Message,
  releaseAllChannels,
  releaseChannel,
  takeMessage,
  waitingMessages,
} from "#src/store/deliveries.ts";
import type { Store } from "#src/store/schema.ts";
import type { ChannelSender } from "./channel-sender.ts";

const LOOK_EVERY_MS = 1_000;
/** Longer than any attempt: a channel is never with two workers. */
const LEASE_MS = 60_000;
/** Channels served at once: those that answer well, and those that fail or are slow, apart. */
const LANES = { quick: 64, slow: 16 } as const;
const SLOW_MS = 2_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const BACK_OFF_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600] as const;

export type AlertOutboxDeps = {
  readonly store: Store;
  readonly sender: ChannelSender;
  readonly nowMs: NowMs;
  /** In [0, 1): spreads attempts that would otherwise come together. */
  readonly random: () => number;
  readonly log: Pick<BaseLogger, "warn">;
};

/**
 * When a message is tried again after so many attempts; null: it is given up, because it would then
 * have been due for 24 hours.
 */
export function retryAtMs(
  message: { readonly attempts: number; readonly dueMs: number },
  { nowMs, random }: { readonly nowMs: number; readonly random: () => number },
): number | null {
  const last = BACK_OFF_SECONDS[BACK_OFF_SECONDS.length - 1] ?? 0;
  const seconds = BACK_OFF_SECONDS[message.attempts - 1] ?? last;
  const atMs = Math.round(nowMs + seconds * 1_000 * (0.8 + 0.4 * random()));
  return atMs > message.dueMs + GIVE_UP_AFTER_MS ? null : atMs;
}

/**
 * Sends what the rules wrote: each channel's messages one after the other in their order, and many
 * channels at once. A message is marked as delivered after its receiver took it, so that it arrives
 * at least once whenever this process dies; its id tells a receiver what it has already.
 */
export class AlertOutbox {
  readonly #deps: AlertOutboxDeps;
  readonly #running = { quick: new Set<Promise<void>>(), slow: new Set<Promise<void>>() };
  /** Attempts that turned out slow while they were made: they hold no lane of the quick ones. */
  readonly #late = new Set<Promise<void>>();
  readonly #outcomes = { delivered: 0, failed: 0, dead: 0 };
  #timer: NodeJS.Timeout | null = null;
  #wakeAt: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #isLookAsked = false;
  #isClosed = false;

  constructor(deps: AlertOutboxDeps) {
    this.#deps = deps;
  }

  /** Since the start: messages delivered, attempts that failed, and messages that were given up. */
  get outcomes(): { readonly delivered: number; readonly failed: number; readonly dead: number } {
    return this.#outcomes;
  }

  /** How many messages wait, and since when the longest of them has been due; null where none does. */
  waiting(): Promise<{ readonly count: number; readonly oldestDueMs: number | null }> {
    return waitingMessages(this.#deps.store.db);
  }

  async start(): Promise<void> {
    // The embedded database has one process at a time: what was held, a dead one held.
    if (this.#deps.store.dialect === "sqlite") await releaseAllChannels(this.#deps.store.db);
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.look();
  }

  /** Looks again in so long: something will be due then. */
  wakeIn(ms: number): void {
    this.#wakeAt ??= setTimeout(() => {
      this.#wakeAt = null;
      this.look();
    }, ms);
  }

  /** Begins to send what is due, as far as there are lanes. */
  look(): void {
    if (this.#isClosed) return;
    this.#isLookAsked = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  /** Resolves when nothing is under way and nothing more is due. */
  async idle(): Promise<void> {
    this.look();
    for (;;) {
      await this.#looking;
      const running = this.#underWay();
      if (running.length === 0 && this.#looking === null) return;
      await Promise.all(running);
    }
  }

  /** Finishes the attempts under way; what is left is there at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#wakeAt !== null) clearTimeout(this.#wakeAt);
    await this.#looking;
    await Promise.all(this.#underWay());
  }

  #underWay(): readonly Promise<void>[] {
    return [...this.#running.quick, ...this.#running.slow, ...this.#late];
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#isLookAsked && !this.#isClosed) {
      this.#isLookAsked = false;
      try {
        await this.#claim("quick");
        await this.#claim("slow");
      } catch (err) {
        this.#deps.log.warn({ err }, "what is to be sent could not be looked at");
        return;
      }
    }
  }

  async #claim(lane: "quick" | "slow"): Promise<void> {
    const { store, nowMs } = this.#deps;
    const limit = LANES[lane] - this.#running[lane].size;
    if (limit <= 0) return;
    const claim = { limit, leaseMs: LEASE_MS, nowMs: nowMs(), isSlow: lane === "slow" };
    for (const channel of await claimChannels(store, claim)) this.#serve(lane, channel);
  }

  #serve(lane: "quick" | "slow", channel: Channel): void {
    const served = this.#deliver(channel)
      .catch((err: unknown) => this.#deps.log.warn({ err }, "a delivery was not written down"))
      .finally(() => {
        clearTimeout(late);
        this.#running[lane].delete(served);
        this.#late.delete(served);
        this.look();
      });
    this.#running[lane].add(served);
    const late = setTimeout(() => {
      if (lane === "slow" || !this.#running.quick.delete(served)) return;
      this.#late.add(served);
      this.look();
    }, SLOW_MS);
  }

  async #deliver(channel: Channel): Promise<void> {
    const { store, sender, nowMs } = this.#deps;
    const beganMs = nowMs();
    const message = await takeMessage(store.db, channel.id, beganMs);
    if (message === null) {
      await releaseChannel(store.db, channel.id);
      return;
    }
    const { uid, alerts } = message;
    const sent =
      alerts.length === 0
        ? ({ kind: "sent" } as const)
        : await sender.send(channel, { kind: "alerts", uid, alerts });
    const isSlow = nowMs() - beganMs > SLOW_MS;
    const attempt = { channelId: channel.id, messageId: message.id, nowMs: nowMs(), isSlow };
    if (sent.kind === "sent") {
      await finishMessage(store.db, attempt);
      this.#outcomes.delivered++;
      return;
    }
    await this.#fail(message, { ...attempt, isSlow: true, error: sent.error });
  }

  async #fail(
    message: Message,
    attempt: Omit<Parameters<typeof failMessage>[1], "retryAtMs">,
  ): Promise<void> {
    const { store, random, log } = this.#deps;
    const retry = retryAtMs(message, { nowMs: attempt.nowMs, random });
    await failMessage(store.db, { ...attempt, retryAtMs: retry });
    this.#outcomes.failed++;
    if (retry === null) this.#outcomes.dead++;
    if (retry === null)
      log.warn(
        { channel: String(attempt.channelId), error: attempt.error },
        "an alert was given up",
      );
  }
}
