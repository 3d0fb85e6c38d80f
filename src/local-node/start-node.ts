import type { NowMs } from "#src/platform/clock.ts";
import type { Venue } from "#src/venues/venue.ts";
import { DemoMarket } from "./demo-market.ts";
import type { MarketProgram } from "./market-program.ts";
import { createLocalNode, type LocalNodeUrls } from "./node.ts";
import { readRecordedAccounts } from "./recorded-accounts.ts";
import { SLOT_MS } from "./slot-clock.ts";
import { startSlotPulse } from "./slot-pulse.ts";

/** A local node that runs by itself until it is closed. */
export type RunningNode = LocalNodeUrls & { readonly close: () => Promise<void> };

export type DemoNodeOptions = {
  readonly seed: number;
  readonly nowMs: NowMs;
  readonly programs: readonly MarketProgram[];
  readonly venues: readonly Venue<unknown>[];
  readonly extraTokens?: number;
  readonly extraTradesPerMinute?: number;
};

/** A local node on a free port of this machine, over the demo market, which follows the clock. */
export async function startDemoNode(
  options: DemoNodeOptions,
): Promise<RunningNode & { readonly demo: DemoMarket }> {
  const { nowMs } = options;
  const demo = new DemoMarket({ ...options, startMs: nowMs() });
  const node = createLocalNode({ ledger: demo.ledger });
  const urls = await node.listen();
  const timer = setInterval(() => demo.catchUp(nowMs()), SLOT_MS);
  const close = async () => {
    clearInterval(timer);
    await node.close();
  };
  return { ...urls, demo, close };
}

/**
 * A local node on a free port of this machine, over the accounts of a folder.
 *
 * @throws RecordingError where the folder holds none
 */
export async function startRecordedNode(folder: string, nowMs: NowMs): Promise<RunningNode> {
  const ledger = await readRecordedAccounts(folder, nowMs());
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const stopPulse = startSlotPulse(ledger, nowMs);
  const close = async () => {
    stopPulse();
    await node.close();
  };
  return { ...urls, close };
}
