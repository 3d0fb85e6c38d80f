import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { VENUES } from "#src/venues/all.ts";
import { closeAfter, type Ending } from "../ending.ts";

/** The demo market behind a node of its own, whose tokens the test can make things happen to. */
export type DemoNode = {
  readonly market: DemoMarket;
  /** What points a service at it. */
  readonly environment: { readonly SOLANA_RPC_URL: string; readonly SOLANA_WS_URL: string };
};

export async function startDemoNode(ending: Ending): Promise<DemoNode> {
  const market = new DemoMarket({
    seed: 1,
    startMs: Date.now(),
    programs: MARKET_PROGRAMS,
    venues: VENUES,
  });
  const node = createLocalNode({ ledger: market.ledger });
  const { httpUrl, wsUrl } = await node.listen();
  const timer = setInterval(() => market.catchUp(Date.now()), SLOT_MS);
  closeAfter(ending, async () => {
    clearInterval(timer);
    await node.close();
  });
  return { market, environment: { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl } };
}
