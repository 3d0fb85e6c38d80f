import type { TestContext } from "node:test";
import { type DatabasePlace, sqlitePlace } from "#test/support/databases/databases.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { type RunningService, startTestService } from "#test/support/processes/service.ts";
import { AskedService } from "./asked-service.ts";
import { type CountingProxy, startCountingProxy } from "./counting-proxy.ts";
import { nodeChain } from "./node-chain.ts";
import { NotifiedTrades } from "./notified-trades.ts";
import { pumpPrograms } from "./programs.ts";
import { PumpMarket } from "./pump-market.ts";
import { Sales } from "./sales.ts";
import { surfpool } from "./surfpool.ts";

const SLOT_MS = 100;

export type Scene = {
  readonly market: PumpMarket;
  readonly trades: NotifiedTrades;
  readonly service: AskedService;
  readonly sales: Sales;
  readonly calls: CountingProxy;
  readonly running: RunningService;
  readonly place: DatabasePlace;
};

/** Pump's own programs on a node of other authors, and a service that follows it; null: skipped. */
export async function openScene(t: TestContext): Promise<Scene | null> {
  const accounts = sharedPath(t, "mainnet");
  if (accounts === null) return null;
  const node = surfpool({ slotMs: SLOT_MS });
  const programs = await pumpPrograms();
  for (const part of [node, programs]) {
    if (part.kind === "here") continue;
    t.skip(part.reason);
    return null;
  }
  if (node.kind === "absent" || programs.kind === "absent") return null;
  const started = await node.start(t);
  const market = new PumpMarket(nodeChain(started), programs.folder, accounts);
  await market.prepare();
  const trades = new NotifiedTrades(started, market);
  const calls = await startCountingProxy(t, started.rpcUrl);
  const place = sqlitePlace(t);
  const running = await startTestService(t, place, {
    SOLANA_RPC_URL: calls.url,
    SOLANA_WS_URL: started.wsUrl,
    TRUST_PROXY: "1",
  });
  const service = new AskedService(running.url);
  const sales = new Sales(trades, service);
  return { market, trades, service, sales, calls, running, place };
}
