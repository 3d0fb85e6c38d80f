import type { NowMs } from "#src/platform/clock.ts";
import type { Window, WindowRule, Windows } from "#src/users/fixed-windows.ts";
import { type RedisLink, RedisUnavailable } from "./redis-link.ts";
import type { RelayChannels } from "./relay-messages.ts";

const FLUSH_EVERY_MS = 50;
const CAPACITY = 100_000;
/** Callers told of in one message: Redis does nothing else while it adds them up. */
const TOLD_AT_ONCE = 500;

/** Adds to each window that is open, or opens one for the rest of its time; returns uses and rest in turns. */
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

type Shared = {
  /** By all processes as last heard, and by this one since. */
  used: number;
  /** By this process alone. */
  own: number;
  /** Taken here and not told yet; negative where more was given back. */
  untold: number;
  lengthMs: number;
  resetAtMs: number;
};

type Telling = { readonly subject: string; readonly window: Shared; readonly told: number };

export type SharedWindowsDeps = {
  readonly link: Pick<RedisLink, "evaluate">;
  readonly channels: Pick<RelayChannels, "usage">;
  readonly nowMs: NowMs;
};

/**
 * Windows that several processes count together: each counts at once for itself, tells Redis what it
 * took, and hears what the others did, twenty times a second. So a caller who asks all of them at
 * once may get past the limit by what the others admit within that time; without Redis each counts
 * alone, and never admits more than the limit itself (docs/scale.md states both).
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
    const opened = { used: 0, own: 0, untold: 0, lengthMs, resetAtMs: nowMs + lengthMs };
    this.#windows.set(subject, opened);
    return opened;
  }

  #count(subject: string, window: Shared, change: 1 | -1): void {
    window.used += change;
    window.own += change;
    window.untold += change;
    this.#changed.add(subject);
  }

  async #flush(): Promise<void> {
    const tellings = this.#untold(this.#deps.nowMs());
    const messages: Promise<void>[] = [];
    for (let start = 0; start < tellings.length; start += TOLD_AT_ONCE)
      messages.push(this.#tell(tellings.slice(start, start + TOLD_AT_ONCE)));
    await Promise.all(messages);
  }

  /** What is over is told to nobody: Redis may have opened the next window already. */
  #untold(nowMs: number): readonly Telling[] {
    const tellings: Telling[] = [];
    for (const subject of this.#changed) {
      const window = this.#windows.get(subject);
      if (window === undefined || window.untold === 0 || window.resetAtMs <= nowMs) continue;
      tellings.push({ subject, window, told: window.untold });
      window.untold = 0;
    }
    this.#changed.clear();
    return tellings;
  }

  async #tell(tellings: readonly Telling[]): Promise<void> {
    const { link, channels, nowMs } = this.#deps;
    const toldMs = nowMs();
    try {
      const answer = await link.evaluate(ADD, {
        keys: tellings.map(({ subject }) => channels.usage(subject)),
        args: tellings.flatMap(({ window, told }) => [
          String(told),
          String(Math.max(1, window.resetAtMs - toldMs)),
        ]),
      });
      const heard = answer as readonly number[];
      const heardMs = nowMs();
      for (const [place, { window }] of tellings.entries()) {
        const used = heard[2 * place] ?? 0;
        const resetAtMs = heardMs + (heard[2 * place + 1] ?? 0);
        // Redis may have lost what was told, and another process have opened a later window there:
        // this one still knows what it took itself, and when that is over.
        window.used = Math.max(window.own, used + window.untold);
        window.resetAtMs = Math.min(window.resetAtMs, resetAtMs);
      }
    } catch (cause) {
      if (!(cause instanceof RedisUnavailable)) throw cause;
      for (const { subject, window, told } of tellings) {
        window.untold += told;
        this.#changed.add(subject);
      }
    }
  }
}
