import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfter, Endings } from "./ending.ts";

test("parts are closed last opened first, all of them although one fails, which is reported", async () => {
  const closed: string[] = [];
  const hooks: (() => void | Promise<void>)[] = [];
  const context = { after: (hook: () => void | Promise<void>) => void hooks.push(hook) };
  closeAfter(context, () => closed.push("database"));
  closeAfter(context, async () => {
    throw new Error("the service does not end");
  });
  closeAfter(context, () => closed.push("browser"));
  assert.equal(hooks.length, 1, "a test context runs its hooks in the order they were added");
  await assert.rejects(async () => hooks[0]?.(), /the service does not end/);
  assert.deepEqual(closed, ["browser", "database"]);
});

test("of several failures each is reported", async () => {
  const endings = new Endings();
  for (const part of ["first", "second"]) closeAfter(endings, () => Promise.reject(part));
  await assert.rejects(endings.close(), { name: "AggregateError", errors: ["second", "first"] });
});

test("a part is closed once", async () => {
  const endings = new Endings();
  let closed = 0;
  closeAfter(endings, () => closed++);
  await endings.close();
  await endings.close();
  assert.equal(closed, 1);
});

test("a second close ends after the first one, and both close what is opened meanwhile", async () => {
  const endings = new Endings();
  const held = Promise.withResolvers<void>();
  const closed: string[] = [];
  closeAfter(endings, () => closed.push("database"));
  closeAfter(endings, async () => {
    closeAfter(endings, () => closed.push("browser"));
    await held.promise;
    closed.push("service");
  });
  const first = endings.close();
  const second = endings.close().then(() => [...closed]);
  held.resolve();
  assert.deepEqual(await second, ["service", "browser", "database"]);
  await first;
});
