import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { createGeyserSource } from "#src/chain/geyser/geyser-source.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { systemClock } from "#src/platform/clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import { VENUES } from "#src/venues/all.ts";
import { FakeGeyser } from "#test/support/chain/fake-geyser.ts";

const DEMO_SEED = 1;

/** The demo market behind a node and a fake gRPC server, and the tracker that follows both. */
export async function openStreamMarket(options: {
  readonly commitment: "processed" | "confirmed";
  /** Called before the product connects. */
  readonly prepare: (geyser: FakeGeyser) => void;
}) {
  const clock = systemClock;
  const demo = new DemoMarket({
    ...{ seed: DEMO_SEED, startMs: clock.nowMs(), programs: MARKET_PROGRAMS, venues: VENUES },
  });
  const { ledger } = demo;
  const timer = setInterval(() => demo.catchUp(clock.nowMs()), SLOT_MS);
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const geyser = new FakeGeyser(ledger);
  await geyser.open();
  const { url } = geyser;
  options.prepare(geyser);
  const logged: string[] = [];
  const openedMs = performance.now();
  const log = (context: unknown, text?: unknown): void => {
    const seconds = ((performance.now() - openedMs) / 1_000).toFixed(1);
    logged.push(`${seconds} s: ${text} ${JSON.stringify(context)}`);
  };
  const logger = { info: log, warn: log, error: log, debug: () => undefined };
  const { commitment } = options;
  const deps = { clock, random: Math.random, logger, commitment };
  const reads = createRpcSource({ ...urls, ...deps, origin: "live" });
  const source = await createGeyserSource({ ...deps, url, token: "token", reads });
  const everything = { venues: VENUES, transactions: source };
  const tracker = new Tracker({ source, venues: VENUES, clock, database: null, everything });
  tracker.start();
  return {
    ...{ demo, ledger, geyser, source, tracker, logged, clock },
    /** Adds a line of the bench to the log. */
    note: (text: string) => log({}, text),
    close: async () => {
      clearInterval(timer);
      await tracker.close();
      await source.close();
      await reads.close();
      geyser.close();
      await node.close();
    },
  };
}

export type StreamMarket = Awaited<ReturnType<typeof openStreamMarket>>;
