import type { TestContext } from "node:test";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { AccountVersions } from "#src/accuracy/account-versions.ts";
import { AccuracyRecord, isMismatch, type LineCrossing } from "#src/accuracy/accuracy-record.ts";
import { isReplayed, type JudgedSwap } from "#src/accuracy/judged-swap.ts";
import { mismatchLine } from "#src/accuracy/mismatch-line.ts";
import { recordingSource } from "#src/accuracy/recording-source.ts";
import { type SampleBudget, SwapJudge } from "#src/accuracy/swap-judge.ts";
import type { ChainSource, TransactionSource } from "#src/chain/chain-source.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { Tracker } from "#src/track/tracker.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { closeAfter } from "#test/support/ending.ts";
import { playedChain } from "./played-chain.ts";

const START_MS = Date.UTC(2026, 10, 20, 12);

/** The demo market with a tracker and the record of its exactness, on a clock that a test turns. */
export async function playedAccuracy(
  t: TestContext,
  {
    readTransaction,
    sample,
    hasClocks = true,
  }: {
    readonly readTransaction?: TransactionSource["readTransaction"];
    readonly sample?: SampleBudget;
    /** Whether the node notifies of the Clock sysvar. */
    readonly hasClocks?: boolean;
  } = {},
) {
  const time = { nowMs: START_MS };
  const clock = { nowMs: () => time.nowMs };
  const demo = new DemoMarket({
    seed: 1,
    startMs: START_MS,
    programs: MARKET_PROGRAMS,
    venues: VENUES,
    launchEveryMinutes: null,
  });
  const played = playedChain(demo.ledger);
  const chain = hasClocks ? played : { ...played, follow: withoutClocks(played) };
  const versions = new AccountVersions();
  const judged: JudgedSwap[] = [];
  const missed: string[] = [];
  /** Every replayed swap whose accounts were held, whole: as a mismatch would be kept. */
  const written: { readonly line: string; readonly modelled: bigint | null }[] = [];
  const crossings: (LineCrossing & { readonly venue: VenueId })[] = [];
  // One pool and one trader have to do here.
  const record = new AccuracyRecord({ pools: 1, signers: 1 });
  record.onLine((venue, crossing) => crossings.push({ venue, ...crossing }));
  const fail = (what: string, cause: unknown): void => {
    throw new Error(what, { cause });
  };
  const source = recordingSource(chain);
  const tracker = new Tracker({
    source,
    venues: VENUES,
    clock,
    database: null,
    exactPctByVenue: () => record.check(clock.nowMs()),
    onFailure: fail,
  });
  source.recordTo(versions, (address) => address === CLOCK_SYSVAR || tracker.holds(address));
  const watch = new SwapJudge({
    transactions: { ...chain, readTransaction: readTransaction ?? chain.readTransaction },
    versions,
    pools: () => tracker.pools(),
    clock,
    ...(sample === undefined ? {} : { sample }),
    onJudged: (swap, ref, ground) => {
      judged.push(swap);
      if (isReplayed(swap) && ground !== null) {
        const line = mismatchLine(swap, ref, ground);
        written.push({ line, modelled: swap.outcome.modelled });
        if (isMismatch(swap)) missed.push(line);
      }
      record.tallies.count(swap);
    },
    onFailure: fail,
  });
  closeAfter(t, async () => {
    await watch.close();
    await tracker.close();
  });
  /** Lets so much time pass, slot by slot; `eachSlot` acts while a slot lasts. */
  const play = async (seconds: number, eachSlot: () => void = () => {}): Promise<void> => {
    const endMs = time.nowMs + seconds * 1_000;
    while (time.nowMs < endMs) {
      eachSlot();
      time.nowMs += SLOT_MS;
      demo.catchUp(time.nowMs);
      tracker.tick();
      watch.tick();
      await watch.idle();
      await tracker.idle();
    }
  };
  return { demo, tracker, record, watch, chain, judged, missed, written, crossings, play, clock };
}

/** A node that does not notify of the Clock sysvar, as Surfpool does not. */
function withoutClocks(source: ChainSource): ChainSource["follow"] {
  return (events) =>
    source.follow({
      ...events,
      onUpdate: (update) => {
        if (update.address !== CLOCK_SYSVAR) events.onUpdate(update);
      },
    });
}
