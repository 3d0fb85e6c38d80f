import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBytes } from "#src/units/address.ts";
import { testAddress } from "#test/support/test-accounts.ts";
import { NamelessCurves } from "./nameless-curves.ts";

test("`mayHave` is true while an address is a key, and false after it was deleted, replaced or dropped", () => {
  const curves = new NamelessCurves<number>(2);
  const [a, b, c] = [testAddress(1_001), testAddress(2_000_002), testAddress(3_000_000_003)];
  const mayHave = (address: typeof a) => curves.mayHave(addressBytes(address) ?? assert.fail());
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

test("`mayOccurIn` finds a key anywhere in a message, and excludes nothing where there are many keys", () => {
  const curves = new NamelessCurves<number>(100);
  const [a, b] = [testAddress(1_001), testAddress(2_000_002)];
  const message = Buffer.concat([
    Buffer.alloc(5, 1),
    addressBytes(a) ?? assert.fail(),
    Buffer.of(9),
  ]);
  assert.ok(!curves.mayOccurIn(message));
  curves.set(b, 1);
  assert.ok(!curves.mayOccurIn(message));
  curves.set(a, 2);
  assert.ok(curves.mayOccurIn(message));
  curves.delete(a);
  assert.ok(!curves.mayOccurIn(message));
  for (let number = 0; number < 50; number++) curves.set(testAddress(3_000_000 + number), number);
  assert.ok(curves.mayOccurIn(message));
});
