import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import type { DemoToken } from "#demo/tokens.ts";
import type { TransactionFeed } from "#src/accuracy/transaction-feed.ts";
import { type ChainLogger, hostOf } from "#src/chain/chain-logger.ts";
import type {
  AccountSlices,
  AccountStarts,
  ChainSource,
  TransactionSource,
} from "#src/chain/chain-source.ts";
import { GeyserUnavailable } from "#src/chain/geyser/geyser-client.ts";
import { createGeyserSource } from "#src/chain/geyser/geyser-source.ts";
import { MAINNET_GENESIS } from "#src/chain/mainnet-genesis.ts";
import { createRpcSource, type NodeReport } from "#src/chain/rpc/rpc-source.ts";
import type { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { readRecordedAccounts } from "#src/node/recorded-accounts.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { startSlotPulse } from "#src/node/slot-pulse.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { StreamedPrograms } from "#src/track/loading/new-token-feed.ts";
import { VENUES } from "#src/venues/all.ts";
import type { ChainConfig, Config } from "./config.ts";

/** A constant: the demo market is the same after every start. */
const DEMO_SEED = 1;

export type OpenChain = {
  readonly source: ChainSource & TransactionSource;
  /** Reads only the start of an account: the accounts of programs are too large. */
  readonly starts: AccountStarts;
  /** Reads the code of programs, in parts. */
  readonly slices: AccountSlices;
  /** Where the accuracy thread subscribes to the transactions of the same chain. */
  readonly transactions: TransactionFeed;
  /** The demo market's named tokens; empty on any other chain. */
  readonly examples: readonly DemoToken[];
  /** Null unless this process runs the demo market. */
  readonly demo: DemoMarket | null;
  /** Set if the source reports every change of whole programs, so that every token can be tracked. */
  readonly everything: StreamedPrograms | null;
  /** What an operator may want to know of the node. */
  readonly node: NodeReport;
  readonly close: () => Promise<void>;
};

export type ChainDeps = {
  readonly clock: WallClock;
  readonly random: () => number;
  readonly logger?: ChainLogger;
  /** The gRPC stream for subscriptions; without it they use the node's WebSocket. */
  readonly geyser?: Config["geyser"];
  readonly commitment?: Config["commitment"];
};

/** Connects to the configured node: a remote one, or one in this process. */
export async function openChain(config: ChainConfig, deps: ChainDeps): Promise<OpenChain> {
  switch (config.kind) {
    case "rpc":
      return { ...(await openRemote(config, deps)), examples: [], demo: null };
    case "recorded":
      return openRecorded(config.directory, deps);
    case "demo":
      return openDemo(deps);
    default:
      return assertNever(config);
  }
}

async function openRemote(
  urls: Omit<ChainConfig & { readonly kind: "rpc" }, "kind">,
  deps: ChainDeps,
): Promise<Omit<OpenChain, "examples" | "demo">> {
  const rpc = createRpcSource({ ...urls, ...deps, origin: "live" });
  void reportChain(rpc, urls, deps.logger);
  const { geyser = null } = deps;
  const overRpc = {
    source: rpc,
    starts: rpc,
    slices: rpc,
    transactions: { httpUrl: urls.httpUrl, wsUrl: urls.wsUrl, geyser: null },
    everything: null,
    node: rpc,
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
    const venues = VENUES.filter(({ id }) => geyser.programs.includes(id));
    const everything = venues.length === 0 ? null : { venues, transactions: source };
    return {
      ...{ starts: rpc, slices: rpc, transactions, everything, node: rpc, close },
      source,
    };
  } catch (error) {
    if (!(error instanceof GeyserUnavailable)) throw error;
    deps.logger?.warn(
      { reason: error.message },
      "gRPC stream unavailable; subscribing over the node's WebSocket",
    );
    const { message: reason } = error;
    const sinceMs = deps.clock.nowMs();
    const streamInUse = () =>
      ({ configured: "grpc", inUse: "websocket", reason, sinceMs }) as const;
    return { ...overRpc, source: { ...rpc, streamInUse } };
  }
}

/** Compares the chains of the nodes, and logs if they are not mainnet. */
async function reportChain(
  node: NodeReport,
  { httpUrl, fallbackUrls = [] }: Omit<ChainConfig & { readonly kind: "rpc" }, "kind">,
  logger: ChainLogger | undefined,
): Promise<void> {
  const hashes = await node.compareChains();
  const place = hashes.findIndex((hash) => hash !== null);
  const genesis = hashes[place];
  if (genesis === undefined || genesis === MAINNET_GENESIS) return;
  const host = hostOf([httpUrl, ...fallbackUrls][place] ?? httpUrl);
  logger?.warn(
    { host, genesis },
    "the node's chain is not Solana mainnet: its tokens and pools are answered, mainnet's are not",
  );
}

async function openRecorded(directory: string, deps: ChainDeps): Promise<OpenChain> {
  const ledger = await readRecordedAccounts(directory, deps.clock.nowMs());
  const stopPulse = startSlotPulse(ledger, deps.clock);
  const local = await openLocal(ledger, "recorded", deps);
  return { ...local, examples: [], demo: null, close: () => closeAfter(stopPulse, local.close) };
}

async function openDemo(deps: ChainDeps): Promise<OpenChain> {
  const demo = new DemoMarket({
    seed: DEMO_SEED,
    startMs: deps.clock.nowMs(),
    programs: MARKET_PROGRAMS,
    venues: VENUES,
  });
  const timer = setInterval(() => demo.catchUp(deps.clock.nowMs()), SLOT_MS);
  const local = await openLocal(demo.ledger, "demo", deps);
  const close = () => closeAfter(() => clearInterval(timer), local.close);
  return { ...local, examples: demo.namedTokens, demo, close };
}

/** Connects to the node in this process as to any other node: over sockets. */
async function openLocal(ledger: Ledger, origin: ChainSource["origin"], deps: ChainDeps) {
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const source = createRpcSource({ ...urls, ...deps, origin });
  const close = async () => {
    await source.close();
    await node.close();
  };
  const transactions = { ...urls, geyser: null };
  const reads = { source, starts: source, slices: source };
  return { ...reads, transactions, everything: null, node: source, close };
}

async function closeAfter(stop: () => void, close: () => Promise<void>): Promise<void> {
  stop();
  await close();
}
