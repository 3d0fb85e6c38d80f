import assert from "node:assert/strict";
import { test } from "node:test";
import { SlotOutcomes } from "./slot-outcomes.ts";

function outcomes() {
  const ended: string[] = [];
  const slots = new SlotOutcomes({
    onEnd: (slot, outcome) => ended.push(`${slot} ${outcome}`),
    onUnknown: () => ended.push("unknown"),
  });
  return { slots, ended };
}

test("a confirmed slot confirms its ancestors, and every other slot before it is dropped", () => {
  const { slots, ended } = outcomes();
  slots.processed(10n, 9n);
  slots.processed(11n, 10n);
  slots.processed(13n, 10n);
  slots.processed(12n, 11n);
  slots.processed(14n, 13n);
  slots.confirmed(10n);
  assert.deepEqual(ended.splice(0), ["10 confirmed"]);
  slots.confirmed(14n);
  assert.deepEqual(ended, ["11 dropped", "12 dropped", "13 confirmed", "14 confirmed"]);
});

test("a slot ends once, whatever is repeated or late", () => {
  const { slots, ended } = outcomes();
  slots.processed(10n, 9n);
  slots.confirmed(10n);
  slots.confirmed(10n);
  slots.processed(10n, 9n);
  slots.processed(11n, 10n);
  slots.dead(11n);
  slots.dead(11n);
  slots.processed(12n, 10n);
  slots.confirmed(12n);
  assert.deepEqual(ended, ["10 confirmed", "11 dropped", "12 confirmed"]);
});

test("where a parent was never received, the slots before it have no outcome", () => {
  const { slots, ended } = outcomes();
  slots.processed(10n, 9n);
  slots.processed(13n, 12n);
  slots.confirmed(13n);
  assert.deepEqual(ended, ["unknown"]);
});
