import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf } from "#src/units/address.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { NamelessCurves } from "./nameless-curves.ts";

test("`mayHave` is true while an address is a key, and false after it was deleted, replaced or dropped", () => {
  const curves = new NamelessCurves<number>(2);
  const [a, b, c] = [testAddress(1_001), testAddress(2_000_002), testAddress(3_000_000_003)];
  const mayHave = (address: typeof a) => curves.mayHave(bytesOf(address));
  assert.ok(![a, b, c].some(mayHave));
  curves.set(a, 1).set(a, 2).set(b, 3);
  assert.ok(mayHave(a) && mayHave(b));
  curves.set(c, 4);
  assert.deepEqual([a, b, c].map(mayHave), [false, true, true]);
  curves.delete(b);
  curves.delete(b);
  assert.deepEqual([b, c].map(mayHave), [false, true]);
  curves.clear();
  assert.ok(!mayHave(c));
});

test("`mayOccurIn` finds a key after its length anywhere in a message, however many keys there are", () => {
  const curves = new NamelessCurves<number>(200);
  const [a, b] = [testAddress(1_001), testAddress(2_000_002)];
  const bytes = bytesOf(a);
  const message = Buffer.concat([Buffer.of(32, 32, 1, 9), Buffer.of(18, 32), bytes]);
  assert.ok(!curves.mayOccurIn(message));
  curves.set(b, 1);
  assert.ok(!curves.mayOccurIn(message));
  curves.set(a, 2);
  assert.ok(curves.mayOccurIn(message));
  curves.delete(a);
  for (let number = 0; number < 100; number++) curves.set(testAddress(3_000_000 + number), number);
  assert.ok(!curves.mayOccurIn(message));
});
