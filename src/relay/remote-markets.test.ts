import assert from "node:assert/strict";
import { test } from "node:test";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { AssessedSnapshot, Renewal } from "#src/track/snapshot-text.ts";
import { address } from "#src/units/address.ts";
import type { RelayBus } from "#test/support/api/relay-bus.ts";
import {
  beat,
  heldTimeMs,
  holding,
  named,
  publish,
  questions,
  replicaOnBus,
  reply,
  START,
  sayReply,
  settle,
  state,
  TOPICS,
} from "#test/support/api/replica.ts";
import { SOME_MINT, someSnapshot } from "#test/support/markets/assessments.ts";
import { newsText } from "./relay-messages.ts";

const OTHER_MINT = address("So11111111111111111111111111111111111111112");

function publishRenewal(bus: RelayBus, term: bigint, edition: number, stateTimeMs: number): void {
  const renewal: Renewal = { findings: [], slot: 400_000_009n, stateTimeMs };
  bus.say(TOPICS.news(SOME_MINT), newsText({ term, edition, kind: "renewal", renewal }));
}

function otherToken(): AssessedSnapshot {
  return someSnapshot({ mint: OTHER_MINT, stateTimeMs: START + 1 }) as AssessedSnapshot;
}

const OVERLOADED = {
  code: "overloaded",
  publicMessage: "Too many tokens are being loaded.",
} as const;

function refuse(bus: RelayBus, term: bigint): void {
  sayReply(bus, term, { refusal: OVERLOADED });
}

function failByBug(bus: RelayBus, term: bigint): void {
  sayReply(bus, term, { isOwnBug: true });
}

test("messages of an earlier tracker are ignored once its successor has published", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  publish(bus, 2n, state(START + 2_000));
  publish(bus, 1n, state(START + 3_000));
  assert.equal(heldTimeMs(markets), START + 2_000);
  const asked = markets.history(SOME_MINT, {} as never);
  await settle();
  reply(bus, 1n, ["of the earlier one"]);
  reply(bus, 2n, ["of the successor"]);
  assert.deepEqual(await asked, ["of the successor"]);
});

test("a successor that knows an older state than the one held does not take its place until it has caught up", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  const heard: number[] = [];
  markets.onSnapshot(({ assessment }) => heard.push(assessment.stateTimeMs));
  await holding(bus, markets, state(START), 1n);
  publish(bus, 2n, state(START - 1_000));
  assert.equal(heldTimeMs(markets), START);
  publish(bus, 2n, state(START + 1_000));
  assert.equal(heldTimeMs(markets), START + 1_000);
  assert.deepEqual(heard, [START + 1_000]);
});

test("one tracker's states are taken as they come: one that was found late may set the time back", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  publish(bus, 1n, state(START - 500));
  assert.equal(heldTimeMs(markets), START - 500);
});

test("a renewal moves the held snapshot of its edition on, and listeners receive it", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  const received: AssessedSnapshot[] = [];
  markets.onSnapshot((snapshot) => received.push(snapshot));
  await holding(bus, markets, state(START), 1n);
  publish(bus, 1n, state(START + 1_000), 4);
  publishRenewal(bus, 1n, 4, START + 2_000);
  const renewed = someSnapshot({ slot: 400_000_009n, stateTimeMs: START + 2_000 });
  assert.deepEqual(markets.latest(SOME_MINT), renewed);
  assert.deepEqual(received.at(-1), renewed);
});

test("a renewal of an edition that is not held changes nothing, and the token is requested whole", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  const received: AssessedSnapshot[] = [];
  await holding(bus, markets, state(START), 1n);
  t.mock.timers.tick(250);
  const ask = (renew: () => void) => {
    const before = named(bus, "missed").length;
    renew();
    t.mock.timers.tick(250);
    assert.equal(heldTimeMs(markets), START);
    return named(bus, "missed").slice(before);
  };
  const stop = markets.onSnapshot((snapshot) => received.push(snapshot));
  assert.deepEqual(
    ask(() => publishRenewal(bus, 1n, 1, START + 1_000)),
    [SOME_MINT],
    "it came as a reply",
  );
  stop();
  assert.deepEqual(received, []);
  publish(bus, 1n, state(START), 2);
  assert.deepEqual(
    ask(() => publishRenewal(bus, 1n, 3, START + 2_000)),
    [SOME_MINT],
  );
  beat(bus, 2n);
  t.mock.timers.tick(250);
  assert.deepEqual(
    ask(() => publishRenewal(bus, 2n, 2, START + 3_000)),
    [SOME_MINT],
    "of another tracker",
  );
  assert.deepEqual(
    ask(() => publishRenewal(bus, 2n, 2, START - 1)),
    [],
    "the tracker has not caught up",
  );
});

test("news that come right behind a first answer take its place", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const asked = markets.snapshot(SOME_MINT);
  await settle();
  reply(bus, 1n, state(START));
  publish(bus, 1n, state(START + 400));
  await asked;
  assert.equal(heldTimeMs(markets), START + 400);
});

test("a successor receives every held token, and the unanswered requests to its predecessor", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  t.mock.timers.tick(250);
  const before = named(bus, "missed").length;
  const asked = markets.exit(SOME_MINT, { profile: "pro", sizeLamports: 1n });
  await settle();
  beat(bus, 2n);
  t.mock.timers.tick(250);
  assert.deepEqual(named(bus, "missed").slice(before), [SOME_MINT]);
  assert.deepEqual(
    questions(bus).map(({ kind }) => kind),
    ["snapshot", "exit", "exit"],
  );
  reply(bus, 2n, null);
  assert.equal(await asked, null);
});

test("a question that was lost with a connection, here or at the tracker, is asked again", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const asked = markets.exit(SOME_MINT, { profile: "pro", sizeLamports: 1n });
  await settle();
  beat(bus, 1n);
  assert.equal(questions(bus).length, 1);
  bus.restore();
  assert.equal(questions(bus).length, 2);
  beat(bus, 1n, 2);
  assert.equal(questions(bus).length, 3);
  reply(bus, 1n, null);
  assert.equal(await asked, null);
});

test("requests to a silent tracker fail within five seconds, and new ones at once", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const asked = markets.exit(SOME_MINT, { profile: "pro", sizeLamports: 1n });
  const failed = assert.rejects(
    asked,
    (error) => error instanceof AppError && error.code === "chain_unavailable",
  );
  await settle();
  t.mock.timers.tick(5_000);
  await failed;
  assert.deepEqual(await markets.snapshot(SOME_MINT), { kind: "unavailable", mint: SOME_MINT });
});

test("replies that arrived while this process was blocked count, although its timers run before", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const asked = markets.exit(SOME_MINT, { profile: "pro", sizeLamports: 1n });
  await settle();
  t.mock.timers.tick(4_500);
  beat(bus, 1n);
  reply(bus, 1n, null);
  assert.equal(await asked, null);
});

test("a bug of the tracker is an error of ours, not a chain that can't be reached", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const isOurs = (error: Error) =>
    !(error instanceof AppError) && /tracker failed/.test(error.message);
  const exit = assert.rejects(
    markets.exit(SOME_MINT, { profile: "pro", sizeLamports: 1n }),
    isOurs,
  );
  await settle();
  failByBug(bus, 1n);
  await exit;
  const snapshot = assert.rejects(markets.snapshot(SOME_MINT), isOurs);
  await settle();
  failByBug(bus, 1n);
  await snapshot;
});

test("what the tracker refuses is refused with its reason", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const sale = { profile: "pro", sizeLamports: 1n } as const;
  for (const ask of [() => markets.exit(SOME_MINT, sale), () => markets.snapshot(SOME_MINT)]) {
    const refused = assert.rejects(ask(), OVERLOADED);
    await settle();
    refuse(bus, 1n);
    await refused;
  }
});

test("where the tracker refuses a token, its stored answer is given", async (t) => {
  const { bus, markets } = replicaOnBus(t, state(START - 1_000));
  beat(bus, 1n);
  const answered = markets.snapshot(SOME_MINT);
  await settle();
  refuse(bus, 1n);
  assert.equal((await answered).kind, "assessed");
});

test("without a tracker a token is answered as it was stored, as old as it is", async (t) => {
  const { bus, markets } = replicaOnBus(t, state(START - 30_000));
  beat(bus, 1n);
  t.mock.timers.tick(5_000);
  const snapshot = await markets.snapshot(SOME_MINT);
  assert.ok(snapshot.kind === "assessed");
  assert.deepEqual(snapshot.assessment.findings, [{ kind: "stale", ageSeconds: 35 }]);
});

test("held data ages without messages, and is finally dropped", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  t.mock.timers.tick((CALIBRATION.block.staleSeconds + 1) * 1_000);
  const held = markets.latest(SOME_MINT);
  assert.ok(held?.kind === "assessed");
  assert.deepEqual([held.assessment.measurement, held.assessment.blocked], [null, "stale"]);
});

test("the first requests of a process without a tracker wait two seconds in all, later ones not at all", async (t) => {
  const { markets } = replicaOnBus(t);
  const first = markets.snapshot(SOME_MINT);
  t.mock.timers.tick(2_000);
  assert.equal((await first).kind, "unavailable");
  assert.equal((await markets.snapshot(SOME_MINT)).kind, "unavailable");
});

test("unknown messages are ignored", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  const snapshot = otherToken();
  const other = newsText({ term: 1n, edition: 1, kind: "snapshot", snapshot });
  for (const topic of [TOPICS.heartbeats, TOPICS.news(SOME_MINT)])
    for (const text of [
      other,
      "",
      "{",
      "null",
      "[1]",
      "x 9 {}",
      "9 {}",
      "9 {",
      "1 1 snapshot {",
      "1 1 renewal 7",
    ])
      bus.say(topic, text);
  assert.equal(heldTimeMs(markets), START);
});

const receivers = (bus: RelayBus) => bus.listeners(TOPICS.news(SOME_MINT));

test("a token's messages are received from before its first request until a quarter of an hour without use", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  assert.equal(receivers(bus), 0);
  let receiversAtRequest = 0;
  bus.link.subscribe(TOPICS.tracker, () => {
    receiversAtRequest = receivers(bus);
  });
  await holding(bus, markets, state(START), 1n);
  assert.equal(receiversAtRequest, 1, "subscribed before the request was published");
  t.mock.timers.tick(10 * 60_000);
  assert.ok(markets.touch(SOME_MINT), "an open stream keeps it");
  t.mock.timers.tick(10 * 60_000);
  assert.equal(receivers(bus), 1);
  t.mock.timers.tick(6 * 60_000);
  assert.equal(receivers(bus), 0);
  assert.equal(markets.latest(SOME_MINT), null);
  await holding(bus, markets, state(Date.now()), 1n);
  assert.equal(receivers(bus), 1);
});

test("the messages of a token that is unknown or could not be loaded are no longer received", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  beat(bus, 1n);
  const unknown = markets.snapshot(SOME_MINT);
  await settle();
  assert.equal(receivers(bus), 1);
  reply(bus, 1n, { kind: "not-found", mint: SOME_MINT });
  await unknown;
  assert.equal(receivers(bus), 0);
  const failed = markets.snapshot(SOME_MINT);
  await settle();
  t.mock.timers.tick(5_000);
  assert.equal((await failed).kind, "unavailable");
  assert.equal(receivers(bus), 0);
});

test("a token that is unused but requested again at the moment of its removal keeps its messages", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  t.mock.timers.tick(16 * 60_000 - 1_000);
  beat(bus, 1n);
  const asked = markets.snapshot(SOME_MINT);
  await settle();
  t.mock.timers.tick(2_000);
  reply(bus, 1n, state(START + 1_000));
  await asked;
  publish(bus, 1n, state(START + 2_000));
  assert.equal(heldTimeMs(markets), START + 2_000);
});

test("a process that stops receives no further messages", async (t) => {
  const { bus, markets } = replicaOnBus(t);
  await holding(bus, markets, state(START), 1n);
  markets.close();
  assert.equal(receivers(bus), 0);
});
