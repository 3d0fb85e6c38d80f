import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Batcher, type BatcherOptions, batchedLookup, RequestBatcher } from "./batcher.ts";

function batcherOf(t: TestContext, limits: Omit<BatcherOptions<string>, "flush"> = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setImmediate"] });
  const batches: (readonly string[])[] = [];
  const batcher = new Batcher<string>({ ...limits, flush: (items) => void batches.push(items) });
  return { batcher, batches, tick: (ms: number) => t.mock.timers.tick(ms) };
}

test("what is added in one round is one batch, in order, cut at maxSize", (t) => {
  const { batcher, batches, tick } = batcherOf(t, { maxSize: 2 });
  for (const item of ["a", "b", "c"]) batcher.add(item);
  assert.deepEqual([batches, batcher.waiting], [[], ["a", "b", "c"]]);
  tick(0);
  tick(0);
  assert.deepEqual(batches, [["a", "b"], ["c"]]);
});

test("with a delay a batch is flushed maxDelayMs after its first item", (t) => {
  const { batcher, batches, tick } = batcherOf(t, { maxDelayMs: 100 });
  batcher.add("a");
  tick(60);
  batcher.add("b");
  tick(39);
  assert.deepEqual(batches, []);
  tick(1);
  assert.deepEqual(batches, [["a", "b"]]);
  batcher.add("c");
  tick(100);
  assert.deepEqual(batches[1], ["c"]);
});

test("a batch that is full does not wait for its delay", (t) => {
  const { batcher, batches, tick } = batcherOf(t, { maxDelayMs: 100, maxSize: 2 });
  for (const item of ["a", "b", "c"]) batcher.add(item);
  tick(0);
  assert.deepEqual(batches, [["a", "b"]]);
  tick(100);
  assert.deepEqual(batches[1], ["c"]);
});

test("close flushes what waits, waits for flushes, and takes nothing more", async () => {
  const ends: (() => void)[] = [];
  const batches: (readonly string[])[] = [];
  const batcher = new Batcher<string>({
    maxDelayMs: 60_000,
    flush: (items) => {
      batches.push(items);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    },
  });
  batcher.add("a");
  const closed = batcher.close().then(() => "closed");
  batcher.add("b");
  assert.equal(await Promise.race([closed, Promise.resolve("flushing")]), "flushing");
  ends[0]?.();
  assert.equal(await closed, "closed");
  assert.deepEqual(batches, [["a"]]);
});

test("clear drops what waits, and its timer", (t) => {
  const { batcher, batches, tick } = batcherOf(t, { maxDelayMs: 100 });
  batcher.add("a");
  batcher.clear();
  tick(100);
  assert.deepEqual([batches, batcher.waiting], [[], []]);
});

/** Batches that the test ends. */
function held({ maxSize = 100, maxActive = 1 } = {}) {
  const writes: { items: readonly string[]; end: (cause?: Error) => void }[] = [];
  const batcher = new RequestBatcher<string, string>({
    handle: (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      const answers = items.map((item) => `${item} written`);
      writes.push({ items, end: (cause) => (cause ? reject(cause) : resolve(answers)) });
      return promise;
    },
    maxSize,
    maxActive,
  });
  const add = (item: string) => batcher.add(item);
  return { add, writes, begun: () => writes.map(({ items }) => items) };
}

async function rounds(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}

test("requests of one round are handled together, and each gets its own answer", async () => {
  const { add, writes, begun } = held();
  const answers = Promise.all(["a", "b", "a"].map(add));
  await rounds();
  assert.deepEqual(begun(), [["a", "b", "a"]]);
  writes[0]?.end();
  assert.deepEqual(await answers, ["a written", "b written", "a written"]);
});

test("no request is answered before its batch has ended; what comes meanwhile is in the next one", async () => {
  const { add, writes, begun } = held();
  const received: string[] = [];
  void add("a").then((answer) => received.push(answer));
  await rounds();
  for (const item of ["b", "c"]) {
    void add(item).then((answer) => received.push(answer));
    await rounds();
  }
  assert.deepEqual([begun(), received], [[["a"]], []]);
  writes[0]?.end();
  await rounds();
  assert.deepEqual([begun(), received], [[["a"], ["b", "c"]], ["a written"]]);
  writes[1]?.end();
  await rounds();
  assert.deepEqual(received, ["a written", "b written", "c written"]);
});

test("no batch has more than maxSize items, and no more than maxActive run", async () => {
  const { add, writes, begun } = held({ maxSize: 2, maxActive: 2 });
  const answers = Promise.all(["a", "b", "c", "d", "e"].map(add));
  await rounds();
  assert.deepEqual(begun(), [
    ["a", "b"],
    ["c", "d"],
  ]);
  writes[1]?.end();
  await rounds();
  assert.deepEqual(begun()[2], ["e"]);
  for (const { end } of writes) end();
  assert.equal((await answers).length, 5);
});

test("a batch that fails rejects its own requests and no others, and is not retried", async () => {
  const { add, writes } = held();
  const failing = Promise.allSettled(["a", "b"].map(add));
  await rounds();
  const next = add("c");
  const away = new Error("away");
  writes[0]?.end(away);
  assert.deepEqual(await failing, [
    { status: "rejected", reason: away },
    { status: "rejected", reason: away },
  ]);
  await rounds();
  assert.equal(writes.length, 2);
  writes[1]?.end();
  assert.equal(await next, "c written");
});

test("a handler that throws at once, or answers too few, rejects its batch and blocks no later one", async () => {
  let isBroken = true;
  const batcher = new RequestBatcher<string, string>({
    handle: (items) => {
      if (isBroken && items.includes("throws")) throw new Error("thrown at once");
      return Promise.resolve(isBroken ? [] : items);
    },
  });
  await assert.rejects(batcher.add("throws"), /thrown at once/);
  await assert.rejects(batcher.add("a"), /0 answers for 1 items/);
  isBroken = false;
  assert.equal(await batcher.add("a"), "a");
});

function lookup(maxSize: number) {
  const batches: (readonly string[])[] = [];
  let fails = false;
  const find = batchedLookup(async (keys: readonly string[]) => {
    batches.push(keys);
    if (fails) throw new Error("away");
    return new Map(keys.filter((key) => key !== "unknown").map((key) => [key, key.length]));
  }, maxSize);
  return { find, batches, setFailing: (isFailing: boolean) => (fails = isFailing) };
}

test("a key looked up twice in one round is looked up once; an unknown one is undefined", async () => {
  const { find, batches } = lookup(10);
  const found = await Promise.all([find("a"), find("bb"), find("a"), find("unknown")]);
  assert.deepEqual(found, [1, 2, 1, undefined]);
  assert.deepEqual(batches, [["a", "bb", "unknown"]]);
  assert.equal(await find("a"), 1);
  assert.equal(batches.length, 2);
});

test("a batch has at most maxSize keys, and one that fails leaves the next alone", async () => {
  const { find, batches, setFailing } = lookup(2);
  await Promise.all(["a", "b", "c"].map(find));
  assert.deepEqual(batches, [["a", "b"], ["c"]]);
  setFailing(true);
  await assert.rejects(find("a"), /away/);
  setFailing(false);
  assert.equal(await find("a"), 1);
});
