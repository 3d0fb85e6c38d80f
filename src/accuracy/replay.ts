import { VENUES } from "#src/venues/all.ts";
import { SWAP_READERS } from "./events/all.ts";
import type { RecordedExecution } from "./recorded-execution.ts";

/** What our model pays for a recorded order: an amount, or null and why. */
export type Replay = { readonly amountOut: bigint | null; readonly reason: string | null };

/** Replays one recorded execution with the code that serves answers. Never throws. */
export function replay(execution: RecordedExecution): Replay {
  const venue = VENUES.find(({ id }) => id === execution.venue);
  if (venue === undefined) return { amountOut: null, reason: "venue not modelled" };
  const decoded = venue.decode(execution.pool, execution.accounts);
  if (decoded.kind === "unusable") {
    return { amountOut: null, reason: `${decoded.reason}: ${decoded.detail}` };
  }
  const { inputMint, amountIn, clock } = execution;
  const order = { inputMint, amountIn, clock };
  const quote = venue.quoteExactIn(decoded.state, order);
  if (quote.kind === "unfillable")
    return { amountOut: quote.partlyPaid ?? null, reason: quote.reason };
  const reader = execution.isTold ? SWAP_READERS.find((known) => known.venue === venue) : undefined;
  const amountOut = reader?.told?.(decoded.state, order) ?? quote.amountOut;
  return { amountOut, reason: null };
}
