import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_STREAMED, Wishes } from "./wishes.ts";

test("the streams carry what any tab wants, each token once", () => {
  const wishes = new Wishes();
  wishes.set("a", { mints: ["one", "two"], hasAlerts: false }, 0);
  wishes.set("b", { mints: ["two", "three"], hasAlerts: true }, 0);
  assert.deepEqual(wishes.union(0), { mints: ["one", "two", "three"], hasAlerts: true });
  wishes.remove("b");
  assert.deepEqual(wishes.union(0), { mints: ["one", "two"], hasAlerts: false });
});

test("a tab that does not renew its wish is forgotten", () => {
  const wishes = new Wishes();
  wishes.set("a", { mints: ["one"], hasAlerts: true }, 0);
  wishes.set("b", { mints: ["two"], hasAlerts: false }, 140_000);
  assert.deepEqual(wishes.union(151_000), { mints: ["two"], hasAlerts: false });
});

test("of more tokens than the smallest plan streams, the newest are streamed", () => {
  const wishes = new Wishes();
  for (let tab = 0; tab < 12; tab++)
    wishes.set(String(tab), { mints: [`mint${tab}`], hasAlerts: false }, 0);
  const { mints } = wishes.union(0);
  assert.equal(mints.length, MOST_STREAMED);
  assert.equal(mints.at(-1), "mint11");
});
