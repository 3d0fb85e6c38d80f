import { USDC, WSOL } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";

/**
 * The pools of a route as one instruction sells through the first of them: as many as it can, at least
 * two, down to SOL or USDC. The rest is sold one by one. Null where no instruction sells so.
 */
export function chainedPools(pools: readonly QuotablePool[]): readonly QuotablePool[] | null {
  const instruction = pools[0]?.chain?.instruction;
  if (instruction === undefined) return null;
  let end = pools.findIndex(({ chain }) => chain?.instruction !== instruction);
  if (end === -1) end = pools.length;
  for (; end >= 2; end--) {
    const placed = placedPools(pools.slice(0, end));
    if (placed !== null) return [...placed, ...pools.slice(end)];
  }
  return null;
}

function placedPools(pools: readonly QuotablePool[]): readonly QuotablePool[] | null {
  const paid = pools.at(-1)?.quoteMint;
  if (paid !== WSOL && paid !== USDC) return null;
  const placed: QuotablePool[] = [];
  for (const [index, { chain }] of pools.entries()) {
    const place = { isFirst: index === 0, isLast: index === pools.length - 1 };
    const hop = chain?.at(place) ?? null;
    if (hop === null) return null;
    placed.push(hop);
  }
  return placed;
}
