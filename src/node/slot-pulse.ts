import type { WallClock } from "#src/platform/clock.ts";
import type { Ledger } from "./ledger.ts";
import { clockAt, SLOT_MS } from "./slot-clock.ts";

/**
 * Ends a slot every 400 ms, at the wall-clock time. A frozen ledger repeats its slot, so that
 * subscribers know that the connection works.
 *
 * @returns a function that stops it
 */
export function startSlotPulse(ledger: Ledger, clock: WallClock): () => void {
  const timer = setInterval(() => ledger.advance(clockAt(clock.nowMs())), SLOT_MS);
  return () => clearInterval(timer);
}
