import type { BackgroundWork } from "#src/platform/background-work.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { isStable } from "#src/units/known-addresses.ts";
import { hopsOf, searchWaitMs } from "../following/followed-tokens.ts";
import type { LiveState, PoolGroup } from "../following/live-state.ts";
import { removeHop } from "./hop-groups.ts";

/** Quote mints that no token leads through are dropped. */
const CHECK_EVERY_MS = 60_000;

export type HopSearchesDeps = {
  readonly state: LiveState;
  readonly background: BackgroundWork;
  readonly clock: WallClock;
  readonly search: (group: PoolGroup) => Promise<void>;
};

/** Drops quote mints that no token leads through, and searches the others again where it is due, one at a time. */
export class HopSearches {
  readonly #deps: HopSearchesDeps;
  #dueMs = 0;

  constructor(deps: HopSearchesDeps) {
    this.#deps = deps;
  }

  sweep(nowMs: number): void {
    if (nowMs < this.#dueMs) return;
    this.#dueMs = nowMs + CHECK_EVERY_MS;
    const { state, background } = this.#deps;
    const used = new Set<PoolGroup>();
    for (const token of state.tokens.values()) {
      for (const hop of hopsOf(state, token)) used.add(hop);
    }
    const due: PoolGroup[] = [];
    for (const group of state.hops.values()) {
      if (used.has(group)) {
        if (nowMs - group.searchedAtMs >= searchWaitMs(group)) due.push(group);
      } else if (!isStable(group.mint) && nowMs - group.searchedAtMs >= CHECK_EVERY_MS) {
        removeHop(state, group);
      }
    }
    const [oldest] = due.toSorted((a, b) => a.searchedAtMs - b.searchedAtMs);
    if (oldest === undefined) return;
    oldest.searchedAtMs = nowMs;
    oldest.searches++;
    background.run("search a quote mint's pools", this.#search(oldest));
  }

  /** A search that fails is due again with the next check. */
  async #search(group: PoolGroup): Promise<void> {
    const { search, clock } = this.#deps;
    try {
      await search(group);
    } catch (cause) {
      group.searches = Math.max(0, group.searches - 1);
      group.searchedAtMs = clock.nowMs() - searchWaitMs(group);
      throw cause;
    }
  }
}
