import type { WallClock } from "./clock.ts";
import { Poller } from "./poller.ts";

/** A smaller step only delays what is due by as much. */
const LEAST_STEP_MS = 5_000;
const CHECK_EVERY_MS = 1_000;

export type TwoClocks = {
  readonly wall: WallClock;
  /** Never set back. */
  readonly monotonic: WallClock;
};

/**
 * Resolves once the wall clock is set back by five seconds or more between two checks, with that step in
 * milliseconds. A clock that is slewed, or set forward, does not count. Its timer keeps no process alive.
 */
export function clockSetBack({ wall, monotonic }: TwoClocks): Promise<number> {
  return new Promise((resolve) => {
    const ahead = (): number => monotonic.nowMs() - wall.nowMs();
    let before = ahead();
    const check = (): void => {
      const now = ahead();
      const stepMs = now - before;
      before = now;
      if (stepMs < LEAST_STEP_MS) return;
      poller.stop();
      resolve(stepMs);
    };
    const poller = new Poller({ run: check, everyMs: CHECK_EVERY_MS, failures: null });
    poller.start();
  });
}
