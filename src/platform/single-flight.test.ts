import assert from "node:assert/strict";
import { test } from "node:test";
import { SingleFlight } from "./single-flight.ts";

test("callers of one key share a run, other keys have their own, and a later call runs again", async () => {
  const flights = new SingleFlight<string, string>();
  const runs: PromiseWithResolvers<string>[] = [];
  const work = () => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  };
  const [first, joined, other] = [
    flights.run("a", work),
    flights.run("a", work),
    flights.run("b", work),
  ];
  assert.deepEqual([runs.length, flights.size, flights.has("a")], [2, 2, true]);
  runs[0]?.resolve("one");
  runs[1]?.resolve("two");
  assert.deepEqual(await Promise.all([first, joined, other]), ["one", "one", "two"]);
  await flights.idle();
  assert.equal(flights.has("a"), false);
  void flights.run("a", work);
  assert.equal(runs.length, 3);
});

test("a failure reaches everybody who joined, and the next call runs again", async () => {
  const flights = new SingleFlight<string, string>();
  const fail = () => Promise.reject(new Error("away"));
  const outcomes = await Promise.allSettled([flights.run("a", fail), flights.run("a", fail)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(await flights.run("a", () => Promise.resolve("back")), "back");
});

test("idle waits for runs that fail and for runs that start meanwhile", async () => {
  const flights = new SingleFlight<string, void>();
  const first = Promise.withResolvers<void>();
  const failing = flights
    .run("a", () => first.promise)
    .catch(() => flights.run("b", async () => {}));
  first.reject(new Error("away"));
  await flights.idle();
  await failing;
  assert.equal(flights.size, 0);
});

test("one loop watches the runs for all callers of idle, and ends with the runs", async (t) => {
  const flights = new SingleFlight<string, void>();
  const allSettled = t.mock.method(Promise, "allSettled");
  const [first, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runs = [flights.run("a", () => first.promise)];
  const waits = Array.from({ length: 50 }, () => flights.idle());
  const stop = new AbortController();
  const given = flights.idle(stop.signal);
  stop.abort(new Error("waited long enough"));
  await assert.rejects(given, /waited long enough/);
  waits.push(flights.idle());
  runs.push(flights.run("b", () => next.promise));
  first.resolve();
  await runs[0];
  next.resolve();
  await Promise.all([...waits, ...runs]);
  assert.equal(allSettled.mock.callCount(), 2, "one for each round of runs");
});

test("a caller whose signal aborts stops waiting for idle at once, and the next caller starts no second loop", async (t) => {
  const flights = new SingleFlight<string, void>();
  const allSettled = t.mock.method(Promise, "allSettled");
  const held = Promise.withResolvers<void>();
  const run = flights.run("a", () => held.promise);
  for (let wait = 0; wait < 20; wait++) {
    const stop = new AbortController();
    const given = flights.idle(stop.signal);
    stop.abort(new Error("waited long enough"));
    await assert.rejects(given, /waited long enough/);
  }
  const kept = flights.idle();
  held.resolve();
  await Promise.all([run, kept]);
  assert.equal(allSettled.mock.callCount(), 1);
});
