import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { AppError } from "#src/platform/app-error.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { Markets } from "#src/track/markets.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Address } from "#src/units/address.ts";
import { type RelayBus, relayBus } from "#test/support/api/relay-bus.ts";
import { closeAfter } from "#test/support/ending.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { MarketPublisher } from "./market-publisher.ts";
import {
  type AskedOf,
  type Heartbeat,
  messageText,
  parseMessage,
  parseNews,
  relayTopics,
  type TrackerReply,
} from "./relay-messages.ts";

const topics = relayTopics("a-deployment");
const assessed = someSnapshot() as AssessedSnapshot;
const noop = () => undefined;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A tracker that has just started and holds only the tokens it was asked to load. Another process receives the token. */
function successor(t: TestContext, change: Partial<Markets> = {}, clock = systemClock) {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout", "Date"] });
  const bus = relayBus();
  const stopReceiving = bus.link.subscribeSharded(topics.news(SOME_MINT), noop);
  const loaded = new Set<Address>();
  let tell: (snapshot: AssessedSnapshot) => void = noop;
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
    facts: () => ({ examples: [] }),
    accuracyReport: () => ({}),
    proofOf: async () => ({}),
    onWatchlistChange: () => undefined,
    clock,
    log: { warn: () => undefined, info: () => undefined, error: () => undefined },
  });
  publisher.start();
  closeAfter(t, () => publisher.close());
  const measure = (snapshot: AssessedSnapshot) => tell(snapshot);
  return { bus, loaded, publisher, tell: measure, stopReceiving };
}

const news = (bus: RelayBus) =>
  bus.published
    .filter(({ topic }) => topic === topics.news(SOME_MINT))
    .map(({ text }) => parseNews(text, () => true));

const touch = (bus: RelayBus, kind: "touched" | "missed" = "touched") =>
  bus.say(topics.tracker, messageText({ kind, mints: [SOME_MINT] }));

function answers(bus: RelayBus): readonly (TrackerReply | null)[] {
  return bus.published
    .filter(({ topic }) => topic === topics.replica("r"))
    .map(({ text }) => parseMessage<TrackerReply>(text));
}

test("a token that a replica touches and this tracker does not hold is loaded and published", async (t) => {
  const { bus, loaded } = successor(t);
  touch(bus);
  await settle();
  assert.ok(loaded.has(SOME_MINT));
  const published = { term: 7n, edition: 1, kind: "snapshot", snapshot: assessed };
  assert.deepEqual(news(bus), [published]);
});

test("loads of tokens that replicas hold take turns of their own, not those of a caller", async (t) => {
  const askers: (string | undefined)[] = [];
  const { bus } = successor(t, {
    latest: () => null,
    exit: async () => null,
    async snapshot(_mint, asker) {
      askers.push(asker);
      return assessed;
    },
  });
  touch(bus);
  await settle();
  const sale = { profile: "pro", sizeLamports: 1n } as const;
  const asked: AskedOf<"exit"> = [SOME_MINT, sale];
  bus.say(topics.tracker, messageText({ kind: "exit", replica: "r", id: 1, asked }));
  await settle();
  assert.deepEqual(askers, ["replicas", "replica:r"]);
});

test("a sale of a token that the predecessor tracked is answered, not taken for unknown", async (t) => {
  const { bus, loaded } = successor(t, {
    exit: async (mint) => (loaded.has(mint) ? ({ slippagePct: 1 } as never) : null),
  });
  const asked: AskedOf<"exit"> = [SOME_MINT, { profile: "pro", sizeLamports: 1n }];
  bus.say(topics.tracker, messageText({ kind: "exit", replica: "r", id: 1, asked }));
  await settle();
  assert.deepEqual(answers(bus), [{ term: 7n, id: 1, answer: { slippagePct: 1 } }]);
});

test("a curve of a token that the predecessor tracked is answered in one reply", async (t) => {
  const slippagesPct = { retail: [0.5], pro: [null] };
  const curve = { slot: 9n, stateTimeMs: 1, isBlocked: false, slippagesPct };
  const { bus, loaded } = successor(t, {
    curve: async (mint) => (loaded.has(mint) ? curve : null),
  });
  const asked: AskedOf<"curve"> = [SOME_MINT];
  bus.say(topics.tracker, messageText({ kind: "curve", replica: "r", id: 1, asked }));
  await settle();
  assert.deepEqual(answers(bus), [{ term: 7n, id: 1, answer: curve }]);
});

test("a token that was not requested, or not for long, is not published", async (t) => {
  const { bus, tell } = successor(t);
  tell(assessed);
  assert.equal(news(bus).length, 0);
  touch(bus);
  await settle();
  const before = news(bus).length;
  tell(assessed);
  assert.equal(news(bus).length, before + 1);
  t.mock.timers.tick(20 * 60_000);
  tell(assessed);
  assert.equal(news(bus).length, before + 1);
});

/** The same measurement, some slots later. */
const later = (slots: bigint): AssessedSnapshot => ({
  ...assessed,
  assessment: { ...assessed.assessment, slot: assessed.assessment.slot + slots },
});

test("a measurement that is carried on is published as a renewal, a new one whole", async (t) => {
  const { bus, tell } = successor(t);
  touch(bus);
  await settle();
  const worse: AssessedSnapshot = { ...later(3n), isDeteriorating: true };
  for (const snapshot of [later(1n), later(2n), worse, { ...worse }]) tell(snapshot);
  const renewalOf = ({ assessment: { findings, slot, stateTimeMs } }: AssessedSnapshot) => ({
    ...{ kind: "renewal", renewal: { findings, slot, stateTimeMs } },
  });
  assert.deepEqual(news(bus), [
    { term: 7n, edition: 1, kind: "snapshot", snapshot: assessed },
    { term: 7n, edition: 1, ...renewalOf(later(1n)) },
    { term: 7n, edition: 1, ...renewalOf(later(2n)) },
    { term: 7n, edition: 2, kind: "snapshot", snapshot: worse },
    { term: 7n, edition: 2, ...renewalOf(worse) },
  ]);
});

test("a process that may hold no edition gets the next snapshot whole", async (t) => {
  let emit: (snapshot: AssessedSnapshot) => void = noop;
  const { bus } = successor(t, {
    latest: () => assessed,
    async snapshot() {
      emit(later(1n));
      return later(1n);
    },
    onSnapshot(listener) {
      emit = listener;
      return noop;
    },
  });
  touch(bus, "missed");
  emit(later(1n));
  const asked: AskedOf<"snapshot"> = [SOME_MINT];
  bus.say(topics.tracker, messageText({ kind: "snapshot", replica: "r", id: 1, asked }));
  await settle();
  emit(later(2n));
  emit(later(3n));
  assert.deepEqual(
    news(bus).map((each) => [each?.kind, each?.edition]),
    [
      ["snapshot", 1],
      ["renewal", 1],
      ["renewal", 1],
      ["snapshot", 2],
      ["renewal", 2],
    ],
    "the third was published before the reply",
  );
});

test("a request that fails is answered at once, so that no caller waits for a timeout", async (t) => {
  const { bus } = successor(t, {
    history: () => Promise.reject(new Error("the disk is gone")),
  });
  const asked: AskedOf<"history"> = [SOME_MINT, {} as never];
  bus.say(topics.tracker, messageText({ kind: "history", replica: "r", id: 3, asked }));
  await settle();
  assert.deepEqual(answers(bus), [{ term: 7n, id: 3 }]);
});

test("a request that the tracker refuses is refused with its code and its text", async (t) => {
  const refusal = {
    code: "overloaded",
    publicMessage: "Too many tokens are being loaded.",
  } as const;
  const { bus } = successor(t, {
    history: () => Promise.reject(new AppError(refusal.code, refusal)),
  });
  const asked: AskedOf<"history"> = [SOME_MINT, {} as never];
  bus.say(topics.tracker, messageText({ kind: "history", replica: "r", id: 3, asked }));
  await settle();
  assert.deepEqual(answers(bus), [{ term: 7n, id: 3, refusal }]);
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

test("a token without a receiver costs one message until it is touched again", async (t) => {
  const { bus, tell, stopReceiving } = successor(t);
  touch(bus);
  await settle();
  stopReceiving();
  const before = news(bus).length;
  for (const _ of [1, 2, 3]) {
    tell(assessed);
    await settle();
  }
  assert.equal(news(bus).length, before + 1);
  bus.link.subscribeSharded(topics.news(SOME_MINT), noop);
  touch(bus);
  for (const _ of [1, 2, 3]) {
    tell(assessed);
    await settle();
  }
  const kinds = news(bus)
    .slice(before + 1)
    .map((each) => each?.kind);
  assert.deepEqual(kinds, ["snapshot", "renewal", "renewal"], "the new receiver holds no edition");
});

test("a process that subscribes while a message without receivers is under way gets the next one", async (t) => {
  const { bus, tell, stopReceiving } = successor(t);
  touch(bus);
  await settle();
  stopReceiving();
  tell(assessed);
  // Redis has counted no receivers; its reply arrives after this touch.
  bus.link.subscribeSharded(topics.news(SOME_MINT), noop);
  touch(bus);
  await settle();
  const before = news(bus).length;
  tell(assessed);
  assert.equal(news(bus).length, before + 1);
});

test("after lost messages, the newest snapshot of a token is published once again, measured or not", async (t) => {
  let isStale = false;
  let publish: (snapshot: AssessedSnapshot) => void = noop;
  const { bus } = successor(t, {
    latest() {
      if (isStale) publish(assessed);
      return assessed;
    },
    onSnapshot(listener) {
      publish = listener;
      return noop;
    },
  });
  for (const stale of [false, true]) {
    isStale = stale;
    const before = news(bus).length;
    touch(bus, "missed");
    await settle();
    assert.equal(news(bus).length, before + 1, `stale: ${stale}`);
  }
});

test("after lost messages, tokens are published some at a time, and unknown ones are loaded", async (t) => {
  const { bus, loaded } = successor(t);
  const mints = Array.from({ length: 250 }, (_, index) => testAddress(index));
  bus.say(topics.tracker, messageText({ kind: "missed", mints }));
  await settle();
  assert.equal(loaded.size, 100, "no faster than replicas can read");
  t.mock.timers.tick(10);
  await settle();
  assert.equal(loaded.size, 200);
  t.mock.timers.tick(10);
  await settle();
  assert.deepEqual([...loaded].toSorted(), mints.toSorted());
});

/** A tracker that takes three milliseconds to measure a token. */
function slow(t: TestContext) {
  let nowMs = 0;
  const measured: Address[] = [];
  const latest = (mint: Address) => {
    nowMs += 3;
    measured.push(mint);
    return assessed;
  };
  const { bus, publisher } = successor(t, { latest }, { nowMs: () => nowMs });
  return {
    bus,
    publisher,
    measured,
    mints: Array.from({ length: 10 }, (_, index) => testAddress(index)),
  };
}

test("touched tokens are measured for ten milliseconds at a time", async (t) => {
  const { bus, measured, mints } = slow(t);
  bus.say(topics.tracker, messageText({ kind: "touched", mints }));
  assert.equal(measured.length, 4, "the fourth ends after 12 ms");
  await settle();
  assert.equal(measured.length, 8);
  await settle();
  assert.deepEqual(measured, mints);
});

test("after its end a publisher measures nothing more", async (t) => {
  const { bus, publisher, measured, mints } = slow(t);
  bus.say(topics.tracker, messageText({ kind: "touched", mints }));
  publisher.close();
  await settle();
  assert.equal(measured.length, 4);
});

test("a token whose measurement fails is loaded, and the others are measured", async (t) => {
  const measured: Address[] = [];
  const mints = Array.from({ length: 3 }, (_, index) => testAddress(index));
  const { bus, loaded } = successor(t, {
    latest(mint) {
      if (mint === mints[1]) throw new TypeError("a bug of ours");
      measured.push(mint);
      return assessed;
    },
  });
  for (const kind of ["touched", "missed"] as const) {
    loaded.clear();
    bus.say(topics.tracker, messageText({ kind, mints }));
    await settle();
    assert.deepEqual([...loaded], [mints[1]], kind);
  }
  assert.deepEqual(measured, [mints[0], mints[2], mints[0], mints[2]]);
});

test("after lost messages, tokens are measured for ten milliseconds at a time", (t) => {
  const { bus, measured, mints } = slow(t);
  bus.say(topics.tracker, messageText({ kind: "missed", mints }));
  assert.equal(measured.length, 4, "the fourth ends after 12 ms");
  t.mock.timers.tick(10);
  assert.equal(measured.length, 8);
  t.mock.timers.tick(10);
  assert.deepEqual(measured, mints);
});
