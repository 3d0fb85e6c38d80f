import assert from "node:assert/strict";
import { test } from "node:test";
import { testAddress } from "#test/support/test-accounts.ts";
import { FIRST_LIMITS, learnedLimits } from "./geyser-limits.ts";
import { GeyserPlacement } from "./geyser-placement.ts";

const ADDRESSES = Array.from({ length: 200_000 }, (_, index) => testAddress(index + 1));

test("200,000 accounts fit into streams whose requests are below a server's 4 MiB", () => {
  const placement = new GeyserPlacement();
  placement.update(new Set(ADDRESSES), FIRST_LIMITS, () => 1);
  assert.equal(placement.elsewhere.size, 0);
  assert.equal(placement.streamCount, 3);
  for (let stream = 0; stream < 3; stream++) {
    assert.ok(placement.accountsOf(stream).size * 46 < 4 * 1_024 * 1_024);
  }
});

test("an account stays on its stream while others come and go", () => {
  const placement = new GeyserPlacement();
  const limits = { ...FIRST_LIMITS, filters: 1, addresses: 2 };
  const [a, b, c, d] = ADDRESSES as [never, never, never, never];
  placement.update(new Set([a, b, c]), limits, () => 0);
  const changed = placement.update(new Set([b, c, d]), limits, () => 0);
  assert.deepEqual([...placement.accountsOf(0)], [b, d]);
  assert.deepEqual([...placement.accountsOf(1)], [c]);
  assert.deepEqual([...changed], [0]);
});

test("accounts beyond the room of every stream are named, so that they are followed elsewhere", () => {
  const placement = new GeyserPlacement();
  placement.update(
    new Set(ADDRESSES.slice(0, 20)),
    { ...FIRST_LIMITS, filters: 1, addresses: 1 },
    () => 0,
  );
  assert.equal(placement.elsewhere.size, 4);
});

test("limits are learned from the server's own words", () => {
  const learned = (reason: string) => learnedLimits(FIRST_LIMITS, reason);
  assert.equal(learned("Max amount of Pubkeys reached, only 200 allowed")?.addresses, 200);
  assert.equal(learned("Max amount of filters/data_slices reached, only 5 allowed")?.filters, 5);
  const large =
    "Error, decoded message length too large: found 5000000 bytes, the limit is: 1000000 bytes";
  assert.equal(learned(large)?.bytes, 800_000);
  assert.equal(learned("No valid auth token"), null);
});
