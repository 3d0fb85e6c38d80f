import { setTimeout as delay } from "node:timers/promises";
import type { WallClock } from "./clock.ts";

/** A part that seems to take longer may be a change of the clock. */
const LONGEST_REST_MS = 500;

/**
 * Runs a long computation, each part of which ends with a `yield`, and rests after each part for as long as it took:
 * other work waits for one part at most, and has half of the thread.
 */
export async function runInParts<Result>(
  parts: Generator<void, Result>,
  clock: WallClock,
  rest: (ms: number) => Promise<void> = delay,
): Promise<Result> {
  for (;;) {
    const startedMs = clock.nowMs();
    const { done, value } = parts.next();
    if (done === true) return value;
    const tookMs = Math.max(0, clock.nowMs() - startedMs);
    await rest(Math.min(tookMs, LONGEST_REST_MS));
  }
}
