import type { NowMs } from "#src/platform/clock.ts";
import type { Window, WindowRule, Windows } from "#src/users/fixed-windows.ts";
import { type RedisLink, RedisUnavailable } from "./redis-link.ts";
import type { RelayChannels } from "./relay-messages.ts";

const FLUSH_EVERY_MS = 50;
const CAPACITY = 100_000;

/** Adds to the window that is open, or opens one; returns what was used in it and how long it lasts. */
const ADD = `
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {used, left}`;

type Shared = {
  /** By all processes as last heard, and by this one since. */
  used: number;
  /** Taken here and not told yet; negative where more was given back. */
  untold: number;
  lengthMs: number;
  resetAtMs: number;
};

export type SharedWindowsDeps = {
  readonly link: RedisLink;
  readonly channels: Pick<RelayChannels, "usage">;
  readonly nowMs: NowMs;
};

/**
 * Windows that several processes count together: each counts at once for itself, tells Redis what it
 * took, and hears what the others did, twenty times a second. So a caller who asks all of them at
 * once may get past the limit by what the others admit within that time; without Redis each counts
 * alone (docs/scale.md states both).
 */
export class SharedWindows implements Windows {
  readonly #deps: SharedWindowsDeps;
  readonly #windows = new Map<string, Shared>();
  readonly #changed = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> | null = null;

  constructor(deps: SharedWindowsDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
  }

  take(subject: string, rule: WindowRule, nowMs: number): Window & { readonly allowed: boolean } {
    const window = this.#open(subject, rule, nowMs);
    const allowed = window.used < rule.limit;
    if (allowed) this.#count(subject, window, 1);
    return { allowed, used: Math.min(window.used, rule.limit), resetAtMs: window.resetAtMs };
  }

  giveBack(subject: string, resetAtMs: number): void {
    const window = this.#windows.get(subject);
    // The end of a window is known more exactly once Redis has told it.
    if (window === undefined || window.used === 0) return;
    if (Math.abs(window.resetAtMs - resetAtMs) < window.lengthMs) this.#count(subject, window, -1);
  }

  peek(subject: string, rule: WindowRule, nowMs: number): Window {
    const window = this.#windows.get(subject);
    if (window === undefined || window.resetAtMs <= nowMs)
      return { used: 0, resetAtMs: nowMs + rule.lengthMs };
    return { used: Math.min(window.used, rule.limit), resetAtMs: window.resetAtMs };
  }

  /** Tells what was taken here, and hears the whole. What can't be told now is told later. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #open(subject: string, { lengthMs }: WindowRule, nowMs: number): Shared {
    const held = this.#windows.get(subject);
    if (held !== undefined && held.resetAtMs > nowMs) return held;
    this.#windows.delete(subject);
    const { value: oldest } = this.#windows.keys().next();
    if (this.#windows.size >= CAPACITY && oldest !== undefined) this.#windows.delete(oldest);
    const opened = { used: 0, untold: 0, lengthMs, resetAtMs: nowMs + lengthMs };
    this.#windows.set(subject, opened);
    return opened;
  }

  #count(subject: string, window: Shared, change: 1 | -1): void {
    window.used += change;
    window.untold += change;
    this.#changed.add(subject);
  }

  async #flush(): Promise<void> {
    const subjects = [...this.#changed];
    this.#changed.clear();
    await Promise.all(subjects.map((subject) => this.#tell(subject)));
  }

  async #tell(subject: string): Promise<void> {
    const { link, channels, nowMs } = this.#deps;
    const window = this.#windows.get(subject);
    if (window === undefined || window.untold === 0) return;
    const told = window.untold;
    window.untold = 0;
    try {
      const answer = await link.evaluate(ADD, {
        keys: [channels.usage(subject)],
        args: [String(told), String(window.lengthMs)],
      });
      const [used, leftMs] = answer as [number, number];
      window.used = Math.max(0, used) + window.untold;
      window.resetAtMs = nowMs() + leftMs;
    } catch (cause) {
      if (!(cause instanceof RedisUnavailable)) throw cause;
      window.untold += told;
      this.#changed.add(subject);
    }
  }
}
