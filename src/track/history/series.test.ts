import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import type { Assessment, Ladder, PoolShare } from "#src/measure/assessment.ts";
import {
  copySeries,
  historySeconds,
  isInGap,
  newSeries,
  observe,
  type TokenSeries,
} from "./series.ts";

const MINT = namedAddress("token");
const START_MS = 1_800_000_000_000;
const LADDER: Ladder = {
  slippagesPct: [1, 1, 1, 1, 1, null],
  score: 80,
  exitMaxSol: 10,
};

function pool(name: string, sol: number): PoolShare {
  const depthLamports = BigInt(Math.round(sol * 1e9));
  return {
    venue: "pumpswap",
    family: "pump",
    address: namedAddress(name),
    quoteMint: MINT,
    status: "open",
    depthLamports,
    nearDepthLamports: (depthLamports * 513n) / 10_000n,
    ownNearDepthLamports: (depthLamports * 513n) / 10_000n,
    spotPrice: { numerator: 1n, denominator: 1_000n },
    feePpm: 3_000,
  };
}

/** One whose C10 is a tenth of its depth. */
function assessed(pools: readonly PoolShare[], nowMs: number): Assessment {
  const depthLamports = pools.reduce((sum, share) => sum + share.depthLamports, 0n);
  return {
    mint: MINT,
    decimals: 6,
    token: null,
    phase: "listed",
    family: "pump",
    measurement: {
      depthLamports,
      midPrice: { numerator: 1n, denominator: 1_000n },
      retail: LADDER,
      pro: LADDER,
      c10Sol: Number(depthLamports) / 1e10,
      pools,
    },
    blocked: null,
    pricedWhileBlocked: null,
    findings: [],
    slot: 1n,
    stateTimeMs: nowMs,
  };
}

type Story = { readonly series: TokenSeries; readonly nowMs: number; readonly alerts: string[] };

function begin(): Story {
  return { series: newSeries(1), nowMs: START_MS, alerts: [] };
}

function tell(
  story: Story,
  seconds: number,
  at: (nowMs: number) => Assessment,
  closed: readonly string[] = [],
): Story {
  const series = copySeries(story.series);
  let { nowMs } = story;
  const gone = new Set(closed.map(namedAddress));
  for (let second = 0; second < seconds; second += 10) {
    nowMs += 10_000;
    const isClosed = (address: typeof MINT) => gone.has(address);
    const { change } = observe(series, { assessment: at(nowMs), nowMs, chainMs: nowMs, isClosed });
    if (change !== null) {
      story.alerts.push(`${change.kind} ${change.deterioration.cause?.kind ?? "unknown"}`);
    }
  }
  return { ...story, series, nowMs };
}

const whole = (nowMs: number) => assessed([pool("a", 100), pool("b", 100)], nowMs);

test("history counts from the first sample and ends at a gap", () => {
  let story = tell(begin(), 600, whole);
  assert.equal(historySeconds(story.series), 590);
  story = tell(story, 30, (nowMs) => ({
    ...whole(nowMs),
    measurement: null,
    blocked: "unpriced-majority",
  }));
  assert.equal(historySeconds(story.series), 0);
  story = tell(story, 60, whole);
  assert.equal(historySeconds(story.series), 50);
  assert.deepEqual(story.alerts, []);
});

test("a state that is no longer confirmed is a gap", () => {
  let story = tell(begin(), 600, whole);
  const staleMs = story.nowMs;
  story = tell(story, 300, () => whole(staleMs));
  assert.equal(historySeconds(story.series), 0);
});

test("liquidity taken out is an alert with its cause", () => {
  const story = tell(begin(), 600, whole);
  tell(story, 10, (nowMs) => assessed([pool("a", 100), pool("b", 0.1)], nowMs));
  assert.deepEqual(story.alerts, ["on withdrawn"]);
});

test("liquidity taken out at a block time before the last one is an alert as well", () => {
  const { series, nowMs } = tell(begin(), 600, whole);
  const drained = assessed([pool("a", 100), pool("b", 0.1)], nowMs);
  const isClosed = () => false;
  // The last slot was dropped; the one that replaced it states an earlier second.
  const changes = [-1_000, 1_000, 11_000].map((laterMs) => {
    const chainMs = nowMs + laterMs;
    const assessment = { ...drained, stateTimeMs: chainMs };
    return observe(series, { assessment, nowMs: nowMs + 20_000 + laterMs, chainMs, isClosed })
      .change;
  });
  assert.deepEqual(
    changes.map((change) => change?.deterioration.cause?.kind ?? null),
    ["withdrawn", null, null],
  );
});

test("a closed pool took its liquidity: an alert", () => {
  const story = tell(begin(), 600, whole);
  tell(story, 10, (nowMs) => assessed([pool("a", 100)], nowMs), ["b"]);
  assert.deepEqual(story.alerts, ["on withdrawn"]);
});

test("a pool that becomes unreadable is not an alert, and restarts the trend", () => {
  let story = tell(begin(), 600, whole);
  const { trend, alert } = story.series.basis;
  story = tell(story, 60, (nowMs) => assessed([pool("a", 100)], nowMs));
  assert.deepEqual(story.alerts, []);
  assert.deepEqual(story.series.basis, { trend: trend + 1, alert });
  assert.ok(historySeconds(story.series) < 60);
});

test("a graduation is not an alert", () => {
  let story = tell(begin(), 600, (nowMs) => ({
    ...assessed([pool("curve", 84)], nowMs),
    phase: "on-curve",
  }));
  story = tell(story, 600, (nowMs) => ({
    ...assessed([pool("amm", 40)], nowMs),
    phase: "migrated",
  }));
  assert.deepEqual(story.alerts, []);
});

test("a hop that migrates is a gap, and a pool that is drained meanwhile is an alert after it", () => {
  const behind = (nowMs: number) => {
    const waiting = { ...pool("a", 0), hopStatus: "complete" as const, spotPrice: null };
    return assessed([waiting, pool("b", 1)], nowMs);
  };
  const before = (nowMs: number) => assessed([pool("a", 100), pool("b", 1)], nowMs);
  const migrated = tell(tell(tell(begin(), 600, before), 90, behind), 300, before);
  assert.deepEqual(migrated.alerts, []);
  const drained = (nowMs: number) => assessed([pool("a", 10), pool("b", 1)], nowMs);
  const fallen = tell(tell(tell(begin(), 600, before), 90, behind), 300, drained);
  assert.deepEqual(fallen.alerts, ["on withdrawn"]);
  const decoy = { ...pool("decoy", 0), hopStatus: "complete" as const, spotPrice: null };
  const rugged = tell(tell(begin(), 600, before), 10, (nowMs) =>
    assessed([pool("a", 0.1), pool("b", 1), decoy], nowMs),
  );
  assert.deepEqual(rugged.alerts, ["on withdrawn"]);
});

test("a pool found late is not an improvement, and dust does not change the basis", () => {
  let story = tell(begin(), 600, whole);
  const { basis } = story.series;
  story = tell(story, 300, (nowMs) =>
    assessed([pool("a", 100), pool("b", 100), pool("c", 1)], nowMs),
  );
  assert.deepEqual(story.series.basis, basis);
  const late = [pool("a", 100), pool("b", 100), pool("late", 200)];
  story = tell(story, 600, (nowMs) => assessed(late, nowMs));
  assert.deepEqual(story.series.basis, { ...basis, trend: basis.trend + 1 });
  assert.equal(story.series.trend, "stable");
});

test("a pool added together with a withdrawal does not hide it", () => {
  const story = tell(begin(), 600, whole);
  const shares = [pool("a", 5), pool("b", 5), pool("decoy", 20)];
  tell(story, 10, (nowMs) => assessed(shares, nowMs));
  assert.deepEqual(story.alerts, ["on withdrawn"]);
});

test("samples that are left out in a gap change nothing of what follows", () => {
  const staleMs = START_MS + 600_000;
  const drained = (nowMs: number) => assessed([pool("a", 100), pool("b", 0.1)], nowMs);
  for (const after of [whole, drained]) {
    const stale = tell(tell(begin(), 600, whole), 90, () => whole(staleMs));
    assert.ok(isInGap(stale.series));
    const sampled = tell(stale, 1_800, () => whole(staleMs));
    const leftOut = { ...stale, nowMs: sampled.nowMs, alerts: [] };
    const [one, other] = [sampled, leftOut].map((story) => tell(story, 900, after));
    assert.deepEqual(one?.series, other?.series);
    assert.deepEqual(one?.alerts, other?.alerts);
  }
});

test("a copy stays as it is while the other series is advanced, through an alert and a gap", () => {
  const { series, nowMs } = tell(begin(), 600, whole);
  const [copy, reference] = [copySeries(series), copySeries(series)];
  const later = [
    assessed([pool("a", 100), pool("b", 0.1)], nowMs + 10_000),
    assessed([pool("a", 90), pool("b", 0.1)], nowMs + 30_000),
    { ...whole(nowMs + 50_000), measurement: null, blocked: "stale" as const },
    assessed([pool("a", 120)], nowMs + 70_000),
  ];
  for (const assessment of later) {
    const { stateTimeMs } = assessment;
    const times = { nowMs: stateTimeMs, chainMs: stateTimeMs };
    observe(series, { assessment, ...times, isClosed: () => true });
  }
  assert.deepEqual(copy, reference);
  assert.notDeepEqual(series, reference);
});

test("a token with an alert is in no gap until the alert has ended", () => {
  const fallen = tell(tell(begin(), 600, whole), 10, (nowMs) =>
    assessed([pool("a", 100), pool("b", 0.1)], nowMs),
  );
  const stale = tell(fallen, 120, () => whole(fallen.nowMs));
  assert.equal(isInGap(stale.series), false);
  const later = tell(stale, 3 * 3_600, () => whole(fallen.nowMs));
  assert.deepEqual(later.alerts, ["on withdrawn", "off withdrawn"]);
  assert.ok(isInGap(later.series));
});

test("a sample has the confidence of the answer: low while the token is blocked", () => {
  const sampled = (assessment: Assessment) => {
    const at = { nowMs: START_MS, chainMs: START_MS, isClosed: () => false };
    return observe(newSeries(1), { assessment, ...at }).sample?.confidence;
  };
  assert.equal(sampled(whole(START_MS)), "high");
  for (const blocked of ["all-paused", "migrating"] as const) {
    assert.equal(sampled({ ...whole(START_MS), measurement: null, blocked }), "low", blocked);
  }
});

test("a change of the trend's basis makes the trend unknown at once, not with the next sample", () => {
  const rising = (nowMs: number) =>
    assessed([pool("a", 100 * 1.01 ** ((nowMs - START_MS) / 10_000))], nowMs);
  const { series, nowMs } = tell(begin(), 600, rising);
  assert.deepEqual([series.trend, historySeconds(series)], ["improving", 590]);
  const atMs = nowMs + 2_000;
  const late = assessed([pool("a", 180), pool("late", 200)], atMs);
  const times = { nowMs: atMs, chainMs: atMs };
  const { sample } = observe(series, { assessment: late, ...times, isClosed: () => false });
  assert.equal(sample, null);
  assert.deepEqual([series.trend, historySeconds(series)], ["stable", 0]);
});
