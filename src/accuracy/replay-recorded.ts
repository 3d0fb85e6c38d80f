import type { Address } from "#src/units/address.ts";
import { SWAP_READERS, VENUES } from "#src/venues/all.ts";
import { quoteChain } from "#src/venues/quote-chain.ts";
import type { Venue } from "#src/venues/venue.ts";
import type { SaleHop } from "#src/venues/venue-sale.ts";
import type { RecordedExecution } from "./recorded-execution.ts";

/** What our model pays for a recorded order: an amount, or null with the reason. */
export type RecordedReplay = { readonly amountOut: bigint | null; readonly reason: string | null };

type Opened = { readonly venue: Venue<unknown>; readonly state: unknown };

/** Replays one recorded execution with the code that serves answers. Never throws. */
export function replay(execution: RecordedExecution): RecordedReplay {
  return execution.route === undefined
    ? replaySale(execution)
    : replayRoute(execution, execution.route);
}

function replaySale(execution: RecordedExecution): RecordedReplay {
  const opened = open(execution, execution);
  if ("reason" in opened) return refused(opened.reason);
  const { venue, state } = opened;
  const { inputMint, amountIn, clock } = execution;
  const order = { inputMint, amountIn, clock };
  const quote = venue.quoteExactIn(state, order);
  if (quote.kind === "unfillable")
    return { amountOut: quote.partlyPaid ?? null, reason: quote.reason };
  const reader = execution.isReportedOutput
    ? SWAP_READERS.find((known) => known.venue === venue)
    : undefined;
  const amountOut = reader?.reportedOutput?.(state, order) ?? quote.amountOut;
  return { amountOut, reason: null };
}

/** As the one instruction that sold through all pools of the route. */
function replayRoute(
  { amountIn, clock, ...execution }: RecordedExecution,
  route: readonly SaleHop[],
): RecordedReplay {
  const hops: (Opened & { readonly inputMint: Address })[] = [];
  for (const hop of route) {
    const opened = open(execution, hop);
    if ("reason" in opened) return refused(opened.reason);
    hops.push({ ...opened, inputMint: hop.inputMint });
  }
  const sale = quoteChain(hops, { amountIn, clock });
  if (sale === null) return refused("no instruction sells through these pools");
  return sale.kind === "filled"
    ? { amountOut: sale.amountOut, reason: null }
    : refused(sale.reason);
}

/** The decoder needs the coin, which a curve's bytes do not contain: either of the two mints may be it. */
function open(
  { accounts }: Pick<RecordedExecution, "accounts">,
  { venue: id, pool, inputMint, outputMint }: SaleHop,
): Opened | { readonly reason: string } {
  const venue = VENUES.find((known) => known.id === id);
  if (venue === undefined) return { reason: "venue not modelled" };
  const quoteMint = venue.outline(pool, accounts, inputMint)?.mintB;
  const coin = quoteMint === inputMint ? outputMint : inputMint;
  const decoded = venue.decode(pool, accounts, coin);
  if (decoded.kind === "unusable") return { reason: `${decoded.reason}: ${decoded.detail}` };
  return { venue, state: decoded.state };
}

function refused(reason: string): RecordedReplay {
  return { amountOut: null, reason };
}
