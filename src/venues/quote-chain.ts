import type { Address } from "#src/units/address.ts";
import type { ExactIn, UnfillableReason, Venue } from "./venue.ts";

export type ChainHop = {
  readonly venue: Venue<unknown>;
  readonly state: unknown;
  readonly inputMint: Address;
};

export type ChainQuote =
  | { readonly kind: "filled"; readonly amountOut: bigint }
  | { readonly kind: "unfillable"; readonly reason: UnfillableReason };

/** What one instruction pays that sells through all of these pools; null where no instruction does. */
export function quoteChain(
  hops: readonly ChainHop[],
  { amountIn, clock }: Omit<ExactIn, "inputMint">,
): ChainQuote | null {
  const instruction = hops[0]?.venue.chainSales?.instruction;
  if (instruction === undefined) return null;
  let amount = amountIn;
  for (const [index, { venue, state, inputMint }] of hops.entries()) {
    if (venue.chainSales?.instruction !== instruction) return null;
    const order = { inputMint, amountIn: amount, clock };
    const place = { isFirst: index === 0, isLast: index === hops.length - 1 };
    const quote = venue.chainSales.quoteHop(state, order, place);
    if (quote === null || quote.kind === "unfillable") return quote;
    amount = quote.amountOut;
  }
  return { kind: "filled", amountOut: amount };
}
