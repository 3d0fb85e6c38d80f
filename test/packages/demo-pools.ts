import { readConfig } from "#src/app/config.ts";
import { openChain } from "#src/app/open-chain.ts";
import { systemClock } from "#src/platform/clock.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";

/** The addresses of a token's pools on a node. */
export async function demoPools(
  rpcUrl: string,
  mint: string,
): Promise<readonly [string, ...string[]]> {
  const deps = { clock: systemClock, random: () => 0 };
  const { source, close } = await openChain(readConfig({ SOLANA_RPC_URL: rpcUrl }).chain, deps);
  try {
    const loaded = await loadMarket({ source, venues: VENUES, clock: systemClock }, address(mint));
    if (loaded.kind === "not-found") throw new Error(`${mint} has no pool`);
    const [first, ...rest] = loaded.market.pools.map((pool) => pool.address);
    if (first === undefined) throw new Error(`no pool of ${mint} can be priced`);
    return [first, ...rest];
  } finally {
    await close();
  }
}
