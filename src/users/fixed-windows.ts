import { BoundedMap } from "#src/platform/bounded-map.ts";

/** A subject's window: open from its first use until `lengthMs` later. */
export type Window = { readonly used: number; readonly resetAtMs: number };

export type WindowRule = { readonly limit: number; readonly lengthMs: number };

/** Retry-After of a use that a window refuses. */
export function secondsUntil(resetAtMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((resetAtMs - nowMs) / 1_000));
}

/** Counts of uses per subject: in this process, or shared with others. */
export type Windows = {
  /** Takes one use if the window has one left. */
  readonly take: (
    subject: string,
    rule: WindowRule,
    nowMs: number,
  ) => Window & { readonly allowed: boolean };
  /** Gives back one use that was taken in the window that ends at `resetAtMs`. */
  readonly giveBack: (subject: string, resetAtMs: number) => void;
  /** The current window; if none is open, the one that a use would open. */
  readonly peek: (subject: string, rule: WindowRule, nowMs: number) => Window;
};

/**
 * Counts uses per subject in memory, in windows that start with a subject's first use. Beyond
 * `capacity` subjects the oldest window is dropped, in its subject's favour.
 */
export class FixedWindows implements Windows {
  readonly #windows: BoundedMap<string, { used: number; resetAtMs: number }>;

  constructor(capacity = 100_000) {
    this.#windows = new BoundedMap(capacity);
  }

  take(subject: string, rule: WindowRule, nowMs: number): Window & { readonly allowed: boolean } {
    let window = this.#windows.get(subject);
    if (window === undefined || window.resetAtMs <= nowMs) {
      window = { used: 0, resetAtMs: nowMs + rule.lengthMs };
      this.#windows.set(subject, window);
    }
    const allowed = window.used < rule.limit;
    if (allowed) window.used++;
    return { allowed, used: window.used, resetAtMs: window.resetAtMs };
  }

  giveBack(subject: string, resetAtMs: number): void {
    const window = this.#windows.get(subject);
    if (window?.resetAtMs === resetAtMs && window.used > 0) window.used--;
  }

  peek(subject: string, rule: WindowRule, nowMs: number): Window {
    const window = this.#windows.get(subject);
    return window === undefined || window.resetAtMs <= nowMs
      ? { used: 0, resetAtMs: nowMs + rule.lengthMs }
      : { used: window.used, resetAtMs: window.resetAtMs };
  }

  /** Drops a subject's window: its next use opens a new one. */
  delete(subject: string): void {
    this.#windows.delete(subject);
  }
}
