import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenTogether } from "./written-together.ts";

const FAULT = new Error("a value that can't be written");

/** Writes that end when the test says so. */
function held({ most = 100, atOnce = 1 } = {}) {
  const writes: { items: readonly string[]; end: (cause?: Error) => void }[] = [];
  const together = writtenTogether(
    (items: readonly string[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      const answers = items.map((item) => `${item} written`);
      writes.push({ items, end: (cause) => (cause ? reject(cause) : resolve(answers)) });
      return promise;
    },
    { most, atOnce, isOnesFault: (cause) => cause === FAULT },
  );
  return { ...together, writes, begun: () => writes.map(({ items }) => items) };
}

async function rounds(count = 3): Promise<void> {
  for (let round = 0; round < count; round++) await new Promise((resolve) => setImmediate(resolve));
}

test("what comes in one round is written together, and each hears their own when it is done", async () => {
  const { write, writes, begun } = held();
  const answers = Promise.all(["a", "b", "a"].map(write));
  await rounds();
  assert.deepEqual(begun(), [["a", "b", "a"]]);
  writes[0]?.end();
  assert.deepEqual(await answers, ["a written", "b written", "a written"]);
});

test("nobody is answered before the write is over, and who comes meanwhile is in the next one", async () => {
  const { write, writes, begun, queue } = held();
  const heard: string[] = [];
  void write("a").then((answer) => heard.push(answer));
  await rounds();
  for (const item of ["b", "c"]) {
    void write(item).then((answer) => heard.push(answer));
    await rounds();
  }
  assert.deepEqual([begun(), heard, queue().length], [[["a"]], [], 1]);
  assert.ok(queue().waitedMs > 0);
  writes[0]?.end();
  await rounds();
  assert.deepEqual([begun(), heard], [[["a"], ["b", "c"]], ["a written"]]);
  assert.deepEqual(queue(), { length: 0, waitedMs: 0 });
  writes[1]?.end();
  await rounds();
  assert.deepEqual(heard, ["a written", "b written", "c written"]);
});

test("no write has more than so many, and no more than so many are under way", async () => {
  const { write, writes, begun, queue } = held({ most: 2, atOnce: 2 });
  const answers = Promise.all(["a", "b", "c", "d", "e"].map(write));
  assert.equal(queue().length, 3);
  await rounds();
  assert.deepEqual(begun(), [
    ["a", "b"],
    ["c", "d"],
  ]);
  assert.equal(queue().length, 1);
  writes[1]?.end();
  await rounds();
  assert.deepEqual(begun()[2], ["e"]);
  for (const { end } of writes) end();
  assert.equal((await answers).length, 5);
});

test("of a write that fails everybody in it hears, and nobody else", async () => {
  const { write, writes } = held();
  const failing = Promise.allSettled(["a", "b"].map(write));
  await rounds();
  const next = write("c");
  const away = new Error("away");
  writes[0]?.end(away);
  assert.deepEqual(await failing, [
    { status: "rejected", reason: away },
    { status: "rejected", reason: away },
  ]);
  await rounds();
  assert.equal(writes.length, 2, "none of it is tried again");
  writes[1]?.end();
  assert.equal(await next, "c written");
});

test("where one of them is at fault, it alone hears of it", async () => {
  const written: (readonly string[])[] = [];
  const { write } = writtenTogether(
    async (items: readonly string[]) => {
      if (items.includes("at fault")) throw FAULT;
      written.push(items);
      return items;
    },
    { most: 10, atOnce: 1, isOnesFault: (cause) => cause === FAULT },
  );
  const outcomes = await Promise.allSettled(["a", "at fault", "b"].map(write));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(written, [["a"], ["b"]]);
});

test("a write that throws at once, or answers for too few, fails those in it and holds up nobody", async () => {
  let isBroken = true;
  const { write } = writtenTogether(
    (items: readonly string[]) => {
      if (isBroken && items.includes("throws")) throw new Error("thrown at once");
      return Promise.resolve(isBroken ? [] : items);
    },
    { most: 10, atOnce: 1, isOnesFault: () => false },
  );
  await assert.rejects(write("throws"), /thrown at once/);
  await assert.rejects(write("a"), /1 were written, 0 answered/);
  isBroken = false;
  assert.equal(await write("a"), "a");
});
