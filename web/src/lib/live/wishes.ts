/** What one tab wants to receive. */
export type Wish = { readonly mints: readonly string[]; readonly hasAlerts: boolean };

/** The smallest plans stream this many tokens at once; the tabs of further ones poll. */
export const MOST_STREAMED = 10;

/** A background tab renews its wish at least once a minute; without renewal the tab is gone. */
const FORGOTTEN_MS = 150_000;

/** The wishes of all tabs of this browser, held by the tab that has the streams. */
export class Wishes {
  readonly #byTab = new Map<string, Wish & { readonly atMs: number }>();

  set(tab: string, wish: Wish, nowMs: number): void {
    this.#byTab.set(tab, { ...wish, atMs: nowMs });
  }

  remove(tab: string): void {
    this.#byTab.delete(tab);
  }

  /** What the streams have to carry: mints in order of their tabs, the newest tab's last. */
  union(nowMs: number): Wish {
    for (const [tab, { atMs }] of this.#byTab)
      if (nowMs - atMs > FORGOTTEN_MS) this.#byTab.delete(tab);
    const wishes = [...this.#byTab.values()];
    const mints = [...new Set(wishes.flatMap((wish) => wish.mints))];
    return {
      mints: mints.slice(-MOST_STREAMED),
      hasAlerts: wishes.some(({ hasAlerts }) => hasAlerts),
    };
  }
}
