import type { NowMs } from "#src/platform/clock.ts";
import type { Ledger } from "./ledger.ts";
import { clockAt, SLOT_MS } from "./slot-clock.ts";

/**
 * Ends a slot every 400 ms, with the wall clock's time. A ledger that stands still is told too: its
 * node repeats the slot, so that whoever listens knows the link to be alive.
 *
 * @returns what stops it
 */
export function startSlotPulse(ledger: Ledger, nowMs: NowMs): () => void {
  const timer = setInterval(() => ledger.advance(clockAt(nowMs())), SLOT_MS);
  return () => clearInterval(timer);
}
