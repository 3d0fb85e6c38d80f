import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission } from "./admission.ts";

const DUE_MS = 1_100;

function beaten(): Admission {
  const admission = new Admission();
  admission.beat(DUE_MS - 100);
  return admission;
}

test("a request is refused when its round has lasted too long, and the next round takes it", () => {
  const admission = beaten();
  assert.equal(admission.refusalOf("ordinary", DUE_MS + 500), null);
  assert.equal(admission.refusalOf("ordinary", DUE_MS + 501), "overloaded");
  admission.beat(DUE_MS + 502);
  assert.equal(admission.refusalOf("ordinary", DUE_MS + 503), null);
  assert.deepEqual(admission.refused, { stopping: 0, overloaded: 1 });
});

test("hot requests, which cost no more than their refusal, are refused last", () => {
  const admission = beaten();
  assert.equal(admission.refusalOf("hot", DUE_MS + 1_000), null);
  assert.equal(admission.refusalOf("hot", DUE_MS + 1_001), "overloaded");
});

test("what would wait for the database is refused as long as queries wait there, and hot requests never", () => {
  let queue = { length: 500, waitedMs: 500 };
  const admission = new Admission();
  admission.watchQueue(() => ({ length: 0, waitedMs: 0 }));
  admission.watchQueue(() => queue);
  assert.equal(admission.refusalOf("ordinary", 0), null);
  for (const long of [
    { length: 1, waitedMs: 501 },
    { length: 501, waitedMs: 1 },
  ]) {
    queue = long;
    assert.equal(admission.refusalOf("ordinary", 0), "overloaded");
    assert.equal(admission.refusalOf("hot", 0), null);
  }
  queue = { length: 0, waitedMs: 0 };
  assert.equal(admission.refusalOf("ordinary", 0), null);
});

test("a pause between two rounds refuses nothing: it is over when requests are handled", () => {
  const admission = beaten();
  admission.beat(DUE_MS + 60_000);
  assert.equal(admission.refusalOf("ordinary", DUE_MS + 60_001), null);
});

test("without a watch on the event loop nothing is refused for the load", () => {
  assert.equal(new Admission().refusalOf("ordinary", Number.MAX_SAFE_INTEGER), null);
});

test("once it stops everything is refused, for that reason", () => {
  const admission = beaten();
  admission.stop();
  assert.equal(admission.refusalOf("ordinary", 0), "stopping");
  assert.equal(admission.refusalOf("hot", DUE_MS + 60_000), "stopping");
  assert.deepEqual(admission.refused, { stopping: 2, overloaded: 0 });
});

test("the round in which a real event loop is held up refuses, and the one after it does not", async () => {
  const admission = new Admission();
  const stop = admission.watch();
  const until = performance.now() + 700;
  while (performance.now() < until);
  assert.equal(admission.refusalOf("ordinary", performance.now()), "overloaded");
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(admission.refusalOf("ordinary", performance.now()), null);
  stop();
});
