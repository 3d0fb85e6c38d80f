import { mapSome } from "#src/platform/map-some.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { eventually } from "#test/support/eventually.ts";
import { Latencies } from "../support/latencies.ts";
import { DEPLOYMENT, quiet, type ReplicaFigures, readStart, relayOf } from "./relay-under-test.ts";

// A replica: requests each of its tokens once a second on average, in random order and evenly in time.

const TICK_MS = 20;
const LOADS_AT_ONCE = 50;
const LOADED_WITHIN_MS = 30_000;

const { checkout, redisUrl, mints: own } = await readStart();
const { remote, link: links, messages } = await relayOf(checkout);
const random = seededRandom(own.length);

let received = 0;
let receivedBytes = 0;
let taken = 0;
let arrivals = new Latencies();
let ages = new Latencies();

const redis = new links.RedisLink({ url: redisUrl, random: Math.random, log: quiet });
const topics = messages.relayTopics(DEPLOYMENT);

/** Counts what arrives on topics with snapshots. */
function counted(listener: (text: string) => void): (text: string) => void {
  return (text) => {
    if (!text.startsWith("{")) {
      received++;
      receivedBytes += text.length;
    }
    listener(text);
  };
}

const counting = new Proxy(redis, {
  get(target, name) {
    const member: unknown = Reflect.get(target, name, target);
    if (typeof member !== "function") return member;
    if (name !== "subscribe" && name !== "subscribeSharded") return member.bind(target);
    return (topic: string, listener: (text: string) => void) =>
      member.call(target, topic, counted(listener));
  },
});

const markets = new remote.RemoteMarkets({
  link: counting,
  topics,
  isFrozen: false,
  storedAnswer: async () => null,
  storedState: async () => ({ kind: "not-stored", slots: { before: null, after: null } }),
  clock: { nowMs: () => Date.now() },
});
markets.onSnapshot(({ assessment }) => {
  taken++;
  arrivals.add(Date.now() - assessment.stateTimeMs);
});
markets.start();
await mapSome(own, LOADS_AT_ONCE, async (mint) => {
  // All processes start at once, so the first heartbeats of the tracker may be late.
  await eventually(
    `an answer of ${mint}`,
    async () => ((await markets.snapshot(mint)).kind === "assessed" ? true : null),
    LOADED_WITHIN_MS,
  );
});

let due = 0;
let lastMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  due += ((nowMs - lastMs) / 1_000) * own.length;
  lastMs = nowMs;
  for (; due >= 1; due--) {
    const mint = own[Math.floor(random() * own.length)];
    const latest = mint === undefined ? null : markets.latest(mint);
    if (latest?.kind !== "assessed") throw new Error(`${mint} is not held`);
    ages.add(Date.now() - latest.assessment.stateTimeMs);
  }
}, TICK_MS);

process.on("message", (order) => {
  if (order === "begin") {
    [received, receivedBytes, taken] = [0, 0, 0];
    [arrivals, ages] = [new Latencies(), new Latencies()];
  } else if (order === "end") {
    process.send?.(figures());
  } else process.exit(0);
});
process.send?.({ ready: true });

function figures(): ReplicaFigures {
  const percentiles = (of: Latencies) => ({ p50: of.at(0.5), p99: of.at(0.99) });
  return {
    received,
    receivedBytes,
    taken,
    arrival: percentiles(arrivals),
    age: percentiles(ages),
    residentBytes: process.memoryUsage.rss(),
  };
}
