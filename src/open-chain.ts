import type { TransactionFeed } from "./accuracy/transaction-feed.ts";
import type { ChainLogger } from "./chain/chain-logger.ts";
import type { AccountStarts, ChainSource, TransactionSource } from "./chain/chain-source.ts";
import { createGeyserSource, GeyserUnavailable } from "./chain/geyser-source.ts";
import { createRpcSource } from "./chain/rpc-source.ts";
import type { ChainConfig, Config } from "./config.ts";
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
  readonly source: ChainSource & TransactionSource;
  /** Where the programs' own accounts are read, which are too large to be read whole. */
  readonly starts: AccountStarts;
  /** Where another thread hears the transactions of the same chain. */
  readonly transactions: TransactionFeed;
  /** The demo market's named tokens; empty on any other chain. */
  readonly examples: readonly DemoToken[];
  /** Null where the node is not in this process. */
  readonly demo: DemoMarket | null;
  /** Where the source tells of every change of whole programs, so that every token can be tracked. */
  readonly everything: { readonly transactions: TransactionSource } | null;
  readonly close: () => Promise<void>;
};

export type ChainDeps = {
  readonly nowMs: NowMs;
  readonly random: () => number;
  readonly logger?: ChainLogger;
  /** Where subscriptions run, where they don't run over the node's WebSocket. */
  readonly geyser?: Config["geyser"];
};

/** The node that the configuration names: a remote one, or one in this process. */
export async function openChain(config: ChainConfig, deps: ChainDeps): Promise<OpenChain> {
  switch (config.kind) {
    case "rpc":
      return { ...(await openRemote(config, deps)), examples: [], demo: null };
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

async function openRemote(
  urls: { readonly httpUrl: string; readonly wsUrl: string },
  deps: ChainDeps,
): Promise<Pick<OpenChain, "source" | "starts" | "transactions" | "everything" | "close">> {
  const rpc = createRpcSource({ ...urls, ...deps, origin: "live" });
  const { geyser = null } = deps;
  const overRpc = {
    source: rpc,
    starts: rpc,
    transactions: { httpUrl: urls.httpUrl, wsUrl: urls.wsUrl, geyser: null },
    everything: null,
    close: rpc.close,
  };
  if (geyser === null) return overRpc;
  try {
    const source = await createGeyserSource({ ...geyser, ...deps, reads: rpc });
    const close = async () => {
      await source.close();
      await rpc.close();
    };
    const transactions = { httpUrl: urls.httpUrl, wsUrl: urls.wsUrl, geyser };
    const everything = { transactions: source };
    return { source, starts: rpc, transactions, everything, close };
  } catch (error) {
    if (!(error instanceof GeyserUnavailable)) throw error;
    deps.logger?.warn({ err: error }, "no gRPC here; following over the node's WebSocket");
    return overRpc;
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
  const urls = await node.listen();
  const source = createRpcSource({ ...urls, ...deps, origin });
  const close = async () => {
    await source.close();
    await node.close();
  };
  const transactions = { ...urls, geyser: null };
  return { source, starts: source, transactions, everything: null, close };
}

async function closeAfter(stop: () => void, close: () => Promise<void>): Promise<void> {
  stop();
  await close();
}
