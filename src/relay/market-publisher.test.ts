import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import type { Markets } from "#src/track/markets.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/assessments.ts";
import { type RelayBus, relayBus } from "#test/support/relay-bus.ts";
import { MarketPublisher } from "./market-publisher.ts";
import {
  type Heartbeat,
  messageText,
  parseMessage,
  parseNews,
  relayTopics,
  type TrackerReply,
} from "./relay-messages.ts";

const topics = relayTopics("a-deployment");
const assessed = someSnapshot() as AssessedSnapshot;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A tracker that has just begun: it holds what it was asked to load. */
function successor(t: TestContext, change: Partial<Markets> = {}) {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const bus = relayBus();
  const loaded = new Set<Address>();
  let tell: (snapshot: AssessedSnapshot) => void = () => undefined;
  const markets = someMarkets(() => assessed, {
    latest: (mint) => (loaded.has(mint) ? assessed : null),
    async snapshot(mint) {
      loaded.add(mint);
      return assessed;
    },
    onSnapshot(listener) {
      tell = listener;
      return () => undefined;
    },
    health: () => ({}) as never,
    ...change,
  });
  const publisher = new MarketPublisher({
    link: bus.link,
    topics,
    markets,
    term: 7n,
    facts: { examples: [] },
    accuracyReport: () => ({}),
    proofOf: async () => ({}),
    onWatchlistChange: () => undefined,
    clock: systemClock,
    log: { warn: () => undefined, info: () => undefined, error: () => undefined },
  });
  publisher.start();
  t.after(() => publisher.close());
  return { bus, loaded, tell: (snapshot: AssessedSnapshot) => tell(snapshot) };
}

const news = (bus: RelayBus) =>
  bus.published.filter(({ topic }) => topic === topics.news).map(({ text }) => parseNews(text));

function answers(bus: RelayBus): readonly (TrackerReply | null)[] {
  return bus.published
    .filter(({ topic }) => topic === topics.replica("r"))
    .map(({ text }) => parseMessage<TrackerReply>(text));
}

test("a token that a replica touches and this tracker does not hold is loaded and published", async (t) => {
  const { bus, loaded } = successor(t);
  bus.say(topics.tracker, messageText({ kind: "touched", mints: [SOME_MINT] }));
  await settle();
  assert.ok(loaded.has(SOME_MINT));
  assert.deepEqual(
    news(bus).map((told) => [told?.term, told?.mint]),
    [[7n, SOME_MINT]],
  );
});

test("a sale of a token that the predecessor tracked is answered, not taken for unknown", async (t) => {
  const { bus, loaded } = successor(t, {
    exit: async (mint) => (loaded.has(mint) ? ({ slippagePct: 1 } as never) : null),
  });
  const asked = { mint: SOME_MINT, sale: { profile: "pro", sizeLamports: 1n } } as const;
  bus.say(topics.tracker, messageText({ kind: "exit", replica: "r", id: 1, asked }));
  await settle();
  assert.deepEqual(answers(bus), [{ term: 7n, id: 1, answer: { slippagePct: 1 } }]);
});

test("a token that was not requested, or not for long, is not published", async (t) => {
  const { bus, tell } = successor(t);
  tell(assessed);
  assert.equal(news(bus).length, 0);
  bus.say(topics.tracker, messageText({ kind: "touched", mints: [SOME_MINT] }));
  await settle();
  const before = news(bus).length;
  tell(assessed);
  assert.equal(news(bus).length, before + 1);
  t.mock.timers.tick(20 * 60_000);
  tell(assessed);
  assert.equal(news(bus).length, before + 1);
});

test("a request that fails is answered at once, so that no caller waits for a timeout", async (t) => {
  const { bus } = successor(t, {
    history: () => Promise.reject(new Error("the disk is gone")),
  });
  const asked = { mint: SOME_MINT, query: {} as never };
  bus.say(topics.tracker, messageText({ kind: "history", replica: "r", id: 3, asked }));
  await settle();
  assert.deepEqual(answers(bus), [{ term: 7n, id: 3 }]);
});

test("a replica receives a heartbeat at once whenever Redis comes back", (t) => {
  const { bus } = successor(t);
  const beats = () =>
    bus.published
      .filter(({ topic }) => topic === topics.heartbeats)
      .map(({ text }) => parseMessage<Heartbeat<unknown>>(text)?.connections);
  bus.restore();
  bus.restore();
  assert.deepEqual(beats(), [1, 2], "messages published meanwhile are lost");
});
