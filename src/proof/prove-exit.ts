import type { Market } from "#src/measure/market/market.ts";
import { priceMarket } from "#src/measure/market/priced-market.ts";
import { type ExitAt, type ExitQuery, exitOn } from "#src/measure/questions/exit-at.ts";
import type { ExitRoute, RouteLeg } from "#src/measure/sale/exit-route.ts";
import { positionOf } from "#src/measure/slippage.ts";
import { type Ground, orderIn, type ProofOrder, type Prover, type SaleProof } from "./prover.ts";

/** A market with the accounts that it was decoded from. */
export type ProofGround = Ground & { readonly market: Market };

/** An exit with every sale of it executed. */
export type ExitProof = {
  /** Of the accounts that the sales were executed on. */
  readonly slot: bigint;
  readonly exit: ExitAt;
  /** In the order in which they were executed. */
  readonly sales: readonly SaleProof[];
  /** Null: not every sale could be executed. */
  readonly isEqual: boolean | null;
};

/** Pools whose refusal is executed where no route sells the position. */
const MAX_REFUSALS = 8;

/**
 * Executes the sales of an exit one after the other. Where the position can't be sold whole, it executes
 * the sale of all of it in each open pool, which then has to be refused as modelled.
 *
 * @throws as `Prover.prove`
 */
export async function proveExit(
  prover: Pick<Prover, "prove">,
  { market, ...ground }: ProofGround,
  query: ExitQuery,
): Promise<ExitProof> {
  const exit = exitOn(market, query);
  const orders =
    exit.kind === "sold" ? exit.routes.flatMap(ordersOf) : refusalsOf(market, exit.reason, query);
  const sales = await prover.prove(orders, ground);
  const isProved = sales.length > 0 && sales.every(({ isEqual }) => isEqual !== null);
  return {
    slot: market.slot,
    exit,
    sales,
    isEqual: isProved ? sales.every(({ isEqual }) => isEqual) : null,
  };
}

/** One order a leg; legs that one instruction sells through are one order. */
function ordersOf({ legs }: ExitRoute): readonly ProofOrder[] {
  const chained = legs.filter(({ isChained }) => isChained);
  const single = legs.filter(({ isChained }) => !isChained).map(orderOf);
  const [first] = chained;
  const last = chained.at(-1);
  if (first === undefined || last === undefined) return single;
  const hops = chained.map(({ venue, pool, inputMint, outputMint }) => ({
    venue,
    pool,
    inputMint,
    outputMint,
  }));
  const { outputMint, amountOut } = last;
  const modelled = { kind: "paid", amount: amountOut } as const;
  return [{ ...orderOf(first), outputMint, modelled, hops }, ...single];
}

function orderOf(leg: RouteLeg): ProofOrder {
  const { venue, pool, inputMint, outputMint, amountIn, amountOut } = leg;
  const modelled = { kind: "paid", amount: amountOut } as const;
  return { venue, pool, inputMint, outputMint, amountIn, modelled };
}

/** Only where the pools refuse the size: every other reason is ours, and no program says it. */
function refusalsOf(market: Market, reason: string, query: ExitQuery): readonly ProofOrder[] {
  if (reason !== "insufficient-liquidity") return [];
  const { midPrice, open } = priceMarket(market);
  if (midPrice === null) return [];
  const position =
    "baseUnits" in query ? query.baseUnits : positionOf(query.sizeLamports, midPrice);
  return open.slice(0, MAX_REFUSALS).map(({ pool }) => orderIn(pool, position));
}
