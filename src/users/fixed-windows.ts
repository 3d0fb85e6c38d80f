/** A subject's window: open from its first use until `lengthMs` later. */
export type Window = { readonly used: number; readonly resetAtMs: number };

export type WindowRule = { readonly limit: number; readonly lengthMs: number };

/** Counts of uses per subject: in this process, or together with others. */
export type Windows = {
  /** Takes one where the window has one left. */
  readonly take: (
    subject: string,
    rule: WindowRule,
    nowMs: number,
  ) => Window & { readonly allowed: boolean };
  /** Gives one back that was taken in the window that ends at `resetAtMs`. */
  readonly giveBack: (subject: string, resetAtMs: number) => void;
  /** What has been used of the open window; a closed one counts as just opened. */
  readonly peek: (subject: string, rule: WindowRule, nowMs: number) => Window;
};

/**
 * Counts uses per subject in windows that begin with a subject's first use, in memory. Holds at
 * most `capacity` subjects; beyond that the one longest in here is forgotten, in its favour.
 */
export class FixedWindows implements Windows {
  readonly #capacity: number;
  readonly #windows = new Map<string, { used: number; resetAtMs: number }>();

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  /** Takes one where the window has one left. */
  take(subject: string, rule: WindowRule, nowMs: number): Window & { readonly allowed: boolean } {
    let window = this.#windows.get(subject);
    if (window === undefined || window.resetAtMs <= nowMs) {
      this.#windows.delete(subject);
      this.#makeRoom();
      window = { used: 0, resetAtMs: nowMs + rule.lengthMs };
      this.#windows.set(subject, window);
    }
    const allowed = window.used < rule.limit;
    if (allowed) window.used++;
    return { allowed, used: window.used, resetAtMs: window.resetAtMs };
  }

  /** Gives one back that was taken in the window that ends at `resetAtMs`. */
  giveBack(subject: string, resetAtMs: number): void {
    const window = this.#windows.get(subject);
    if (window?.resetAtMs === resetAtMs && window.used > 0) window.used--;
  }

  /** What has been used of the open window; a closed one counts as just opened. */
  peek(subject: string, rule: WindowRule, nowMs: number): Window {
    const window = this.#windows.get(subject);
    return window === undefined || window.resetAtMs <= nowMs
      ? { used: 0, resetAtMs: nowMs + rule.lengthMs }
      : { used: window.used, resetAtMs: window.resetAtMs };
  }

  forget(subject: string): void {
    this.#windows.delete(subject);
  }

  get size(): number {
    return this.#windows.size;
  }

  #makeRoom(): void {
    if (this.#windows.size < this.#capacity) return;
    const { value: oldest } = this.#windows.keys().next();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}
