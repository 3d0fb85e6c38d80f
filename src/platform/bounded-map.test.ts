import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap, BoundedSet } from "./bounded-map.ts";

test("a full map removes its oldest entry, whatever its key is", () => {
  const map = new BoundedMap<string | undefined, number>(2);
  map.set(undefined, 1).set("b", 2).set("c", 3);
  assert.deepEqual([...map], [["b", 2], ["c", 3]]); // biome-ignore format: one pair each
});

test("setting a key again makes it the newest and removes no other entry; reading it does not", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3);
  assert.deepEqual([...map], [["b", 2], ["a", 3]]); // biome-ignore format: one pair each
  map.get("b");
  map.set("c", 4);
  assert.deepEqual([...map.keys()], ["a", "c"]);
});

test("a full set removes its oldest value, and keeps its order when a value is added again", () => {
  const set = new BoundedSet<string>(2).add("a").add("b").add("a").add("c");
  assert.deepEqual([...set], ["b", "c"]);
});
