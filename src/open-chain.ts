import type { ChainSource } from "./chain/chain-source.ts";
import { createRpcSource } from "./chain/rpc-source.ts";
import type { ChainConfig } from "./config.ts";
import { DemoMarket } from "./local-node/demo-market.ts";
import type { DemoToken } from "./local-node/demo-tokens.ts";
import type { Ledger } from "./local-node/ledger.ts";
import { createLocalNode } from "./local-node/node.ts";
import { MARKET_PROGRAMS } from "./local-node/programs/all.ts";
import { readRecordedAccounts } from "./local-node/recorded-accounts.ts";
import { SLOT_MS } from "./local-node/slot-clock.ts";
import { startSlotPulse } from "./local-node/slot-pulse.ts";
import type { NowMs } from "./platform/clock.ts";
import { VENUES } from "./venues/all.ts";

/** The demo market is the same market at every start, from the first slot on. */
const DEMO_SEED = 1;

export type OpenChain = {
  readonly source: ChainSource;
  /** The demo market's named tokens; empty on any other chain. */
  readonly examples: readonly DemoToken[];
  /** Null where the node is not in this process. */
  readonly demo: DemoMarket | null;
  readonly close: () => Promise<void>;
};

export type ChainDeps = { readonly nowMs: NowMs; readonly random: () => number };

/** The node that the configuration names: a remote one, or one in this process. */
export async function openChain(config: ChainConfig, deps: ChainDeps): Promise<OpenChain> {
  switch (config.kind) {
    case "rpc": {
      const source = createRpcSource({ ...config, ...deps, origin: "live" });
      return { source, examples: [], demo: null, close: () => source.close() };
    }
    case "recorded":
      return openRecorded(config.directory, deps);
    case "demo":
      return openDemo(deps);
    default: {
      const unreachable: never = config;
      return unreachable;
    }
  }
}

async function openRecorded(directory: string, deps: ChainDeps): Promise<OpenChain> {
  const ledger = await readRecordedAccounts(directory, deps.nowMs());
  const stopPulse = startSlotPulse(ledger, deps.nowMs);
  const local = await openLocal(ledger, "recorded", deps);
  return { ...local, examples: [], demo: null, close: () => closeAfter(stopPulse, local.close) };
}

async function openDemo(deps: ChainDeps): Promise<OpenChain> {
  const demo = new DemoMarket({
    seed: DEMO_SEED,
    startMs: deps.nowMs(),
    programs: MARKET_PROGRAMS,
    venues: VENUES,
  });
  const timer = setInterval(() => demo.catchUp(deps.nowMs()), SLOT_MS);
  const local = await openLocal(demo.ledger, "demo", deps);
  const close = () => closeAfter(() => clearInterval(timer), local.close);
  return { ...local, examples: demo.namedTokens, demo, close };
}

/** The product talks to the node in its own process as to any other: over sockets. */
async function openLocal(ledger: Ledger, origin: ChainSource["origin"], deps: ChainDeps) {
  const node = createLocalNode({ ledger });
  const source = createRpcSource({ ...(await node.listen()), ...deps, origin });
  const close = async () => {
    await source.close();
    await node.close();
  };
  return { source, close };
}

async function closeAfter(stop: () => void, close: () => Promise<void>): Promise<void> {
  stop();
  await close();
}
