import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { FIRST_LIMITS, learnedLimits } from "./geyser-limits.ts";
import { GeyserPlacement } from "./geyser-placement.ts";

const wanting = (wanted: readonly Address[], alsoChanged: readonly Address[] = []) => ({
  changed: new Set([...wanted, ...alsoChanged]),
  isWanted: (address: Address) => wanted.includes(address),
});
const all = (addresses: readonly Address[]) => ({
  changed: new Set(addresses),
  isWanted: () => true,
});

const ADDRESSES = Array.from({ length: 200_000 }, (_, index) => testAddress(index + 1));

test("200,000 accounts fit into eight streams, so that a change repeats an eighth of them", () => {
  const placement = new GeyserPlacement();
  placement.update(all(ADDRESSES), FIRST_LIMITS, () => 1);
  assert.equal(placement.elsewhere.size, 0);
  assert.equal(placement.accountsOf(8).size, 0);
  for (let stream = 0; stream < 8; stream++) {
    assert.ok(placement.accountsOf(stream).size > 0);
    assert.ok(placement.accountsOf(stream).size <= 25_000);
    assert.ok(placement.accountsOf(stream).size * 46 < 4 * 1_024 * 1_024);
  }
});

test("up to 20,000 accounts share one stream", () => {
  const placement = new GeyserPlacement();
  placement.update(all(ADDRESSES.slice(0, 20_000)), FIRST_LIMITS, () => 1);
  assert.equal(placement.accountsOf(0).size, 20_000);
});

test("an account stays on its stream while others come and go", () => {
  const placement = new GeyserPlacement();
  const limits = { ...FIRST_LIMITS, filters: 1, addresses: 2 };
  const [a, b, c, d] = ADDRESSES as [never, never, never, never];
  placement.update(wanting([a, b, c]), limits, () => 0);
  const changed = placement.update(wanting([d], [a]), limits, () => 0);
  assert.deepEqual([...placement.accountsOf(0)], [b, d]);
  assert.deepEqual([...placement.accountsOf(1)], [c]);
  assert.deepEqual([...changed], [0]);
});

test("accounts beyond the room of every stream are named, so that they are followed elsewhere", () => {
  const placement = new GeyserPlacement();
  placement.update(
    all(ADDRESSES.slice(0, 20)),
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
