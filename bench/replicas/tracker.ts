import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { NOTHING_TRACKED } from "#src/track/tracker-health.ts";
import { someMarkets } from "#test/support/markets/assessments.ts";
import { measuredSnapshots } from "./market.ts";
import { DEPLOYMENT, quiet, readStart, relayOf } from "./relay-under-test.ts";

// The tracker's side: publishes new snapshots of every token at the given rate, evenly in time.

const TICK_MS = 20;

const { checkout, redisUrl, tokens, perSecond } = await readStart();
const { publisher, link, messages } = await relayOf(checkout);
const snapshots = [...measuredSnapshots(tokens)];
const places = new Map(snapshots.map(({ assessment }, place) => [assessment.mint, place]));
const clock = { nowMs: () => Date.now() };

let publish: (snapshot: AssessedSnapshot) => void = () => undefined;
let next = 0;
let due = 0;
let lastMs = performance.now();

function measureAgain(place: number): AssessedSnapshot {
  const last = snapshots[place];
  if (last === undefined) throw new RangeError(`no token ${place}`);
  const stateTimeMs = clock.nowMs();
  const slot = last.assessment.slot + 1n;
  // Another object, as after a change: with the same one, a renewal of a few bytes would be published.
  const measurement = structuredClone(last.assessment.measurement);
  const measured = { ...last, assessment: { ...last.assessment, measurement, slot, stateTimeMs } };
  snapshots[place] = measured;
  return measured;
}

function tick(): void {
  const nowMs = performance.now();
  due += ((nowMs - lastMs) / 1_000) * tokens * perSecond;
  lastMs = nowMs;
  for (; due >= 1; due--) {
    publish(measureAgain(next));
    next = (next + 1) % tokens;
  }
}

const markets = someMarkets(
  (mint) => snapshots[places.get(mint) ?? 0] ?? { kind: "not-found", mint },
  {
    latest: (mint) => snapshots[places.get(mint) ?? 0] ?? null,
    onSnapshot(listener) {
      publish = listener;
      return () => undefined;
    },
    health: () => NOTHING_TRACKED,
  },
);

new publisher.MarketPublisher({
  link: new link.RedisLink({ url: redisUrl, random: Math.random, log: quiet }),
  topics: messages.relayTopics(DEPLOYMENT),
  markets,
  term: 1n,
  facts: () => ({}),
  accuracyReport: () => ({}),
  proofOf: async () => ({}),
  onWatchlistChange: () => undefined,
  clock,
  log: quiet,
}).start();
for (const place of snapshots.keys()) measureAgain(place);
setInterval(tick, TICK_MS);
process.on("message", () => process.exit(0));
process.send?.({ ready: true });
