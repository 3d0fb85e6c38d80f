import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./app-error.ts";
import { QueueClosed, TaskQueue } from "./task-queue.ts";

/** Tasks that the test ends. */
function queueOf({
  maxActive = 1,
  maxWaiting = 10,
  maxWaitingOfGroup = 8,
  reservedGroup = "reserved",
} = {}) {
  const overloadedMessage = "Try again later.";
  const limits = { maxActive, maxWaiting, maxWaitingOfGroup, reservedGroup };
  const queue = new TaskQueue({ ...limits, overloadedMessage });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal?: AbortSignal, group?: string) =>
    queue.run(
      async () => {
        started.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        await promise;
        return name;
      },
      signal,
      group,
    );
  return { queue, started, run, end: (name: string) => ends.get(name)?.() };
}

/** Until a task whose turn has come has started. */
async function round(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("S3: groups take turns, and a group with too many waiting tasks is refused alone", async () => {
  const { queue, started, run, end } = queueOf();
  const flood = Array.from({ length: 9 }, (_, index) => run(`flood${index}`, undefined, "flood"));
  await assert.rejects(run("flood9", undefined, "flood"), AppError);
  const honest = run("honest", undefined, "honest");
  end("flood0");
  await round();
  end("flood1");
  await round();
  assert.deepEqual(started, ["flood0", "flood1", "honest"]);
  end("honest");
  assert.equal(await honest, "honest");
  for (let index = 2; index < 9; index++) {
    await round();
    end(`flood${index}`);
  }
  await Promise.all(flood);
  assert.deepEqual([queue.active, queue.waiting], [0, 0]);
});

test("a reserved group is refused for its own tasks only, and takes turns with the others", async () => {
  const { started, run, end } = queueOf();
  const others = Array.from({ length: 11 }, (_, index) =>
    run(`other${index}`, undefined, `other${index}`),
  );
  await assert.rejects(run("late", undefined, "late"), AppError);
  const own = Array.from({ length: 8 }, (_, index) => run(`own${index}`, undefined, "reserved"));
  await assert.rejects(run("own8", undefined, "reserved"), AppError);
  while (started.length < others.length + own.length) {
    end(started.at(-1) ?? "");
    await round();
  }
  assert.equal(started.indexOf("own0"), others.length, "after the groups that came before");
  end(started.at(-1) ?? "");
  await Promise.all([...others, ...own]);
});

test("no more than maxActive tasks run, and the others follow in order", async () => {
  const { queue, started, run, end } = queueOf({ maxActive: 2 });
  const all = ["a", "b", "c", "d"].map((name) => run(name));
  assert.deepEqual([started, queue.active, queue.waiting], [["a", "b"], 2, 2]);
  end("b");
  assert.equal(await all[1], "b");
  await round();
  assert.deepEqual([started, queue.active, queue.waiting], [["a", "b", "c"], 2, 1]);
  end("a");
  await round();
  end("c");
  end("d");
  assert.deepEqual(await Promise.all(all), ["a", "b", "c", "d"]);
});

test("a task beyond maxWaiting is refused as overloaded and never starts", async () => {
  const { queue, started, run, end } = queueOf({ maxWaiting: 1 });
  const kept = [run("a"), run("b")];
  assert.ok(queue.isFull);
  await assert.rejects(run("c"), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.publicMessage], ["overloaded", "Try again later."]);
    return true;
  });
  end("a");
  await round();
  end("b");
  await kept[1];
  assert.deepEqual(started, ["a", "b"]);
});

test("a task that fails gives its place to the next", async () => {
  const { queue, run, end } = queueOf();
  const failing = queue.run(() => Promise.reject(new Error("away")));
  const next = run("next");
  await assert.rejects(failing, /away/);
  await round();
  end("next");
  assert.equal(await next, "next");
  assert.equal(queue.active, 0);
});

test("a task aborted while it waits never starts, and leaves its place to others", async () => {
  const { queue, started, run, end } = queueOf({ maxWaiting: 1 });
  const first = run("a");
  const abort = new AbortController();
  const aborted = run("b", abort.signal);
  abort.abort(new Error("given up"));
  await assert.rejects(aborted, /given up/);
  await assert.rejects(run("c", abort.signal), /given up/);
  assert.equal(queue.waiting, 0);
  const last = run("d");
  end("a");
  await first;
  await round();
  end("d");
  await last;
  assert.deepEqual(started, ["a", "d"]);
});

test("close refuses what waits and what comes later, and waits for what runs", async () => {
  const { queue, run, end } = queueOf();
  const running = run("a");
  const waiting = run("b");
  const closed = queue.close().then(() => "closed");
  await assert.rejects(waiting, QueueClosed);
  await assert.rejects(run("c"), QueueClosed);
  assert.equal(await Promise.race([closed, Promise.resolve("still open")]), "still open");
  end("a");
  assert.deepEqual([await running, await closed], ["a", "closed"]);
});

test("idle waits for tasks that follow the running ones", async () => {
  const { queue, run, end } = queueOf();
  await queue.idle();
  const both = [run("a"), run("b")];
  const idle = queue.idle().then(() => "idle");
  end("a");
  await both[0];
  await round();
  assert.equal(await Promise.race([idle, Promise.resolve("busy")]), "busy");
  end("b");
  assert.equal(await idle, "idle");
});
