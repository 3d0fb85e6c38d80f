import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import { buildMarket } from "#src/track/pools/build-market.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { type OpenPool, openPool } from "#src/track/pools/open-pool.ts";
import { tokenFacts } from "#src/track/pools/token-facts.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { ScriptedChain } from "../detection/scripted-chain.ts";
import { type PlannedMarket, writeMarket } from "./market-accounts.ts";
import { PLAN_CLOCK } from "./pool-accounts.ts";
import type { MarketPlan, PlannedPool } from "./pool-plan.ts";

export const PLAN_TIME_MS = 1_000 * Number(PLAN_CLOCK.unixTimestamp);
/** As for a token that has been tracked for an hour: a short history alone would lower confidence. */
const HISTORY_SECONDS = 3_600;

/** The market as the product decodes it from account bytes, with all pools followed. */
export function marketOfPlan(plan: MarketPlan): Market {
  return marketOfAccounts(writeMarket(plan));
}

export function marketOfAccounts({ mint, accounts, pools, hops }: PlannedMarket): Market {
  const known = { get: (address: Address) => accounts.get(address) ?? null };
  const open = ({ venue: id, address, baseMint, quoteMint }: PlannedPool): OpenPool => {
    const venue = VENUES.find((candidate) => candidate.id === id);
    if (venue === undefined) throw new RangeError(`no venue ${id}`);
    const pool = openPool({ venue, address, mint: baseMint, isReserved: false }, baseMint, known);
    pool.quoteMint = quoteMint;
    return pool;
  };
  const mintFacts = decodeMint(accounts.get(mint));
  const market = buildMarket(
    {
      mint,
      mintFacts,
      pools: pools.map(open),
      hopPools: hops.map(open),
      leftOut: [],
      isSearchComplete: true,
      awaitsGraduation: false,
      clock: PLAN_CLOCK,
      slot: PLAN_CLOCK.slot,
      stateTimeMs: PLAN_TIME_MS,
      nowMs: PLAN_TIME_MS,
      historySeconds: HISTORY_SECONDS,
      exactPctByVenue: new Map(),
    },
    known,
  );
  if (mintFacts === null) throw new RangeError("no mint");
  return { ...market, token: tokenFacts(mintFacts, PLAN_CLOCK.epoch) };
}

export function assessPlan(plan: MarketPlan): Assessment {
  return assess(marketOfPlan(plan));
}

/** The same through the product's own search for pools and its choice among many. */
export async function searchPlan(plan: MarketPlan): Promise<Assessment> {
  const { mint, accounts } = writeMarket(plan);
  const chain = new ScriptedChain({ origin: "recorded", nowMs: PLAN_TIME_MS });
  chain.slot = PLAN_CLOCK.slot;
  for (const [address, account] of accounts) chain.set(address, account);
  const loaded = await loadMarket(
    { source: chain, venues: VENUES, clock: { nowMs: () => PLAN_TIME_MS } },
    mint,
  );
  if (loaded.kind === "not-found") throw new RangeError("the token was not found");
  return assess({ ...loaded.market, historySeconds: HISTORY_SECONDS });
}
