import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { closeAfter } from "#test/support/ending.ts";
import { FaultyLink } from "./faulty-link.ts";
import { lagBehind } from "./lagging-ledger.ts";
import { ledgerSource } from "./ledger-source.ts";

const START_MS = Date.UTC(2026, 10, 20);
/**
 * A slot lasts for some rounds of the event loop: at least 10 ms, a fortieth of a real slot. The node, the link
 * and the tracker share the loop, so that on a slow machine the market is as slow as the tracker.
 */
const ROUNDS_PER_SLOT = 5;
const ROUND_MS = 2;
const PATIENCE_SLOTS = 800n;
const LINK_TIMING = { silentAfterMs: 400, firstWaitMs: 5, longestWaitMs: 50, settleMs: 1 };

/** A tracker that follows a busy market through a link which can fail, and the truth beside it. */
async function startScene(t: TestContext) {
  const venues = ["pumpswap", "raydium-cpmm", "raydium-clmm"];
  const programs = MARKET_PROGRAMS.filter(({ venue }) => venues.includes(venue));
  const demo = new DemoMarket({
    seed: 5,
    startMs: START_MS,
    programs,
    venues: VENUES,
    launchEveryMinutes: null,
  });
  let ticks = 0;
  const clock = { nowMs: () => START_MS + ticks * SLOT_MS };
  const node = createLocalNode({ ledger: demo.ledger });
  const link = new FaultyLink(await node.listen());
  await link.open();
  const source = createRpcSource({
    ...link.urls,
    origin: "demo",
    clock: { nowMs: () => performance.now() },
    random: () => 0.5,
    retry: { attempts: 2, firstWaitMs: 5, longestWaitMs: 20 },
    linkTiming: LINK_TIMING,
    staleWaitMs: 1,
  });
  const tracker = new Tracker({ source, venues: VENUES, clock, database: null });
  const mints = demo.namedTokens.slice(0, 4).map(({ mint }) => mint);
  for (const mint of mints) await tracker.snapshot(mint);
  tracker.setWatched(mints);
  tracker.start();
  let isPlaying = true;
  const play = async (): Promise<void> => {
    while (isPlaying) {
      ticks++;
      demo.tick();
      for (let round = 0; round < ROUNDS_PER_SLOT; round++) await delay(ROUND_MS);
    }
  };
  const played = play();
  closeAfter(t, async () => {
    isPlaying = false;
    await played;
    link.thaw();
    await tracker.close();
    await source.close();
    await link.cut();
    await node.close();
  });

  const truth = ledgerSource(demo.ledger);
  async function isCurrent(mint: Address): Promise<boolean> {
    const loaded = await loadMarket({ source: truth, venues: VENUES, clock }, mint);
    const held = tracker.latest(mint);
    if (loaded.kind !== "market" || held?.kind !== "assessed") return false;
    return figures(assess(loaded.market)) === figures(held.assessment);
  }

  /** Slot by slot, until every token is what it is on the chain. */
  async function healed(): Promise<void> {
    const behind = new Set(mints);
    const givesUpAt = demo.ledger.clock.slot + PATIENCE_SLOTS;
    while (behind.size > 0) {
      assert.ok(demo.ledger.clock.slot < givesUpAt, `never caught up: ${[...behind].join(", ")}`);
      await slotsToPass(1);
      for (const mint of behind) {
        if (await isCurrent(mint)) behind.delete(mint);
      }
    }
  }

  function slotsToPass(count: number): Promise<void> {
    const end = demo.ledger.clock.slot + BigInt(count);
    return new Promise((resolve) => {
      const stop = demo.ledger.listen({
        onAccount: () => {},
        onTransaction: () => {},
        onSlot: (slot) => {
          if (slot < end) return;
          stop();
          resolve();
        },
      });
    });
  }

  return { demo, link, tracker, mints, healed, slotsToPass };
}

function figures({ measurement }: Assessment): string {
  return JSON.stringify(
    measurement === null
      ? null
      : [measurement.depthLamports, measurement.midPrice, measurement.pro, measurement.retail],
    (_key, value) => (typeof value === "bigint" ? `${value}` : value),
  );
}

test("repeated kills and restarts of the node leave the same state", async (t) => {
  const { link, healed, slotsToPass } = await startScene(t);
  await healed();
  for (let round = 0; round < 3; round++) {
    await link.cut();
    await slotsToPass(15);
    await link.open();
    await slotsToPass(15);
  }
  await healed();
});

test("while the node is frozen answers are marked as stale, and then recover", async (t) => {
  const { link, tracker, mints, healed, slotsToPass } = await startScene(t);
  await healed();
  link.freeze();
  await slotsToPass(120);
  for (const mint of mints) {
    const held = tracker.latest(mint);
    assert.ok(held?.kind === "assessed");
    const stale = held.assessment.findings.find(({ kind }) => kind === "stale");
    assert.ok(stale?.kind === "stale" && stale.ageSeconds > 30, JSON.stringify(stale));
  }
  link.thaw();
  await healed();
});

test("with every tenth notification lost, rereads restore the missing updates", async (t) => {
  const { link, healed, slotsToPass } = await startScene(t);
  link.losesNotification = (n) => n % 10 === 0;
  await slotsToPass(150);
  await healed();
});

test("reads from a lagging node never replace newer data", async (t) => {
  const { demo, link, healed, slotsToPass } = await startScene(t);
  await healed();
  const lagging = createLocalNode({ ledger: lagBehind(demo.ledger, 20) });
  closeAfter(t, lagging.close);
  await slotsToPass(25);
  link.readFrom(await lagging.listen());
  await slotsToPass(80);
  await healed();
});
