import { BoundedMap } from "#src/platform/bounded-map.ts";
import { chunksOf } from "#src/platform/chunks.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { Poller } from "#src/platform/poller.ts";
import type { Window, WindowRule, Windows } from "#src/users/fixed-windows.ts";
import type { RedisLink } from "./redis-link.ts";
import { RelayUnavailable } from "./relay-link.ts";
import type { RelayTopics } from "./relay-messages.ts";

const FLUSH_EVERY_MS = 50;
const MAX_WINDOWS = 100_000;
/** Callers in one script call: Redis runs nothing else meanwhile. */
const MAX_PER_MESSAGE = 500;

/** Adds to each open window, or opens one for its remaining time. Returns uses and remaining time alternately. */
const ADD = `
local answers = {}
for place, key in ipairs(KEYS) do
  local used = redis.call('INCRBY', key, ARGV[2 * place - 1])
  local left = redis.call('PTTL', key)
  if left < 0 then
    left = tonumber(ARGV[2 * place])
    redis.call('PEXPIRE', key, left)
  end
  answers[2 * place - 1] = used
  answers[2 * place] = left
end
return answers`;

type SharedWindow = {
  /** By all processes as of the last reply, plus by this one since. */
  used: number;
  /** By this process alone. */
  own: number;
  /** The most that Redis ever returned for the others: what they give back counts only in the next window. */
  others: number;
  /** Taken here and not sent to Redis yet; negative if more was given back. */
  unsent: number;
  lengthMs: number;
  resetAtMs: number;
};

type UsageUpdate = {
  readonly subject: string;
  readonly window: SharedWindow;
  readonly sent: number;
};

export type SharedWindowsDeps = {
  readonly link: Pick<RedisLink, "evaluate">;
  readonly topics: Pick<RelayTopics, "usage">;
  readonly clock: WallClock;
};

/**
 * Windows counted by several processes together. Each process counts locally at once, and exchanges counts
 * with Redis 20 times a second. A caller who uses all processes at once may exceed the limit by what the
 * others admit within that time. Without Redis each process counts alone and admits at most the limit
 * (docs/scale.md states both).
 */
export class SharedWindows implements Windows {
  readonly #deps: SharedWindowsDeps;
  readonly #windows = new BoundedMap<string, SharedWindow>(MAX_WINDOWS);
  readonly #changed = new Set<string>();
  readonly #flushes: Poller;

  constructor(deps: SharedWindowsDeps) {
    this.#deps = deps;
    const run = () => this.#flush();
    this.#flushes = new Poller({ run, everyMs: FLUSH_EVERY_MS, failures: null });
    this.#flushes.start();
  }

  take(subject: string, rule: WindowRule, nowMs: number): Window & { readonly allowed: boolean } {
    const window = this.#open(subject, rule, nowMs);
    const allowed = window.used < rule.limit;
    if (allowed) this.#count(subject, window, 1);
    return { allowed, used: Math.min(window.used, rule.limit), resetAtMs: window.resetAtMs };
  }

  giveBack(subject: string, resetAtMs: number): void {
    const window = this.#windows.get(subject);
    // Redis may have corrected the end of the window since.
    if (window === undefined || window.used === 0) return;
    if (Math.abs(window.resetAtMs - resetAtMs) < window.lengthMs) this.#count(subject, window, -1);
  }

  peek(subject: string, rule: WindowRule, nowMs: number): Window {
    const window = this.#windows.get(subject);
    if (window === undefined || window.resetAtMs <= nowMs)
      return { used: 0, resetAtMs: nowMs + rule.lengthMs };
    return { used: Math.min(window.used, rule.limit), resetAtMs: window.resetAtMs };
  }

  /** Sends local counts and receives the totals. Counts that can't be sent now are sent later. */
  flush(): Promise<void> {
    return this.#flushes.runNow();
  }

  async close(): Promise<void> {
    await this.#flushes.close();
    await this.flush();
  }

  #open(subject: string, { lengthMs }: WindowRule, nowMs: number): SharedWindow {
    const held = this.#windows.get(subject);
    if (held !== undefined && held.resetAtMs > nowMs) return held;
    const opened = { used: 0, own: 0, others: 0, unsent: 0, lengthMs, resetAtMs: nowMs + lengthMs };
    this.#windows.set(subject, opened);
    return opened;
  }

  #count(subject: string, window: SharedWindow, change: 1 | -1): void {
    window.used += change;
    window.own += change;
    window.unsent += change;
    this.#changed.add(subject);
  }

  async #flush(): Promise<void> {
    const updates = this.#takeUnsent(this.#deps.clock.nowMs());
    await Promise.all(chunksOf(updates, MAX_PER_MESSAGE).map((some) => this.#send(some)));
  }

  /** Skips expired windows: Redis may already hold the next one. */
  #takeUnsent(nowMs: number): readonly UsageUpdate[] {
    const updates: UsageUpdate[] = [];
    for (const subject of this.#changed) {
      const window = this.#windows.get(subject);
      if (window === undefined || window.unsent === 0 || window.resetAtMs <= nowMs) continue;
      updates.push({ subject, window, sent: window.unsent });
      window.unsent = 0;
    }
    this.#changed.clear();
    return updates;
  }

  async #send(updates: readonly UsageUpdate[]): Promise<void> {
    const { link, topics, clock } = this.#deps;
    const sentMs = clock.nowMs();
    try {
      const answer = await link.evaluate(ADD, {
        keys: updates.map(({ subject }) => topics.usage(subject)),
        args: updates.flatMap(({ window, sent }) => [
          String(sent),
          String(Math.max(1, window.resetAtMs - sentMs)),
        ]),
      });
      const reply = answer as readonly number[];
      const receivedMs = clock.nowMs();
      for (const [place, { window }] of updates.entries()) {
        const used = reply[2 * place] ?? 0;
        const resetAtMs = receivedMs + (reply[2 * place + 1] ?? 0);
        // Redis may have lost its data, and another process may have opened a later window there. This
        // process still knows its own uses, what it learned of the others', and the end of its window.
        window.others = Math.max(window.others, used - (window.own - window.unsent));
        window.used = window.own + window.others;
        window.resetAtMs = Math.min(window.resetAtMs, resetAtMs);
      }
    } catch (cause) {
      if (!(cause instanceof RelayUnavailable)) throw cause;
      for (const { subject, window, sent } of updates) {
        window.unsent += sent;
        this.#changed.add(subject);
      }
    }
  }
}
