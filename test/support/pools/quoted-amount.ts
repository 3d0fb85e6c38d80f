import type { Quote } from "#src/venues/venue.ts";

/** What a quote pays, or why it pays nothing. */
export function amountOut(quote: Quote<unknown>): bigint | string {
  return quote.kind === "filled" ? quote.amountOut : quote.reason;
}
