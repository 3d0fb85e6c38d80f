import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { addressFromBytes } from "#src/units/address.ts";
import { UpdateBatch, UpdateReader } from "./update-batch.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const update = fc
  .record({
    address: bytes(32),
    owner: bytes(32),
    lamports: u64,
    slot: u64,
    data: fc.uint8Array({ maxLength: 20_000 }),
    exists: fc.boolean(),
  })
  .map(
    ({ address, owner, lamports, slot, data, exists }): AccountUpdate => ({
      address: addressFromBytes(address),
      account: exists ? { owner: addressFromBytes(owner), lamports, data, slot } : null,
      slot,
    }),
  );

test("updates are read from a batch unchanged and in order", () => {
  const batch = new UpdateBatch();
  const reader = new UpdateReader();
  fc.assert(
    fc.property(fc.array(update, { maxLength: 30 }), (updates) => {
      for (const each of updates) batch.add(each);
      assert.deepEqual(reader.read(batch.take()), updates);
      assert.equal(batch.length, 0);
    }),
  );
});
