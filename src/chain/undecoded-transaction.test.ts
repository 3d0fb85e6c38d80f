import assert from "node:assert/strict";
import { test } from "node:test";
import { SubscribeUpdate } from "@triton-one/yellowstone-grpc";
import { updateOf } from "./undecoded-transaction.ts";

const FILTERS = ["accounts-0", "transactions"];
const TRANSACTION = { transaction: { slot: "7", transaction: undefined } };

function encoded(fields: Partial<SubscribeUpdate>): Buffer {
  const update = { ...SubscribeUpdate.fromPartial({}), ...fields };
  return Buffer.from(SubscribeUpdate.encode(update).finish());
}

function counted() {
  const counts = { decoded: 0 };
  const decode = (bytes: Uint8Array): SubscribeUpdate => {
    counts.decoded++;
    return SubscribeUpdate.decode(bytes);
  };
  return { counts, decode };
}

test("a transaction is decoded once, when it is first read", () => {
  const { counts, decode } = counted();
  const bytes = encoded({ filters: FILTERS, ...TRANSACTION, createdAt: new Date(1_000) });
  const update = updateOf(bytes, decode);
  assert.equal(update.account ?? update.slot ?? update.ping ?? update.pong, undefined);
  assert.equal(counts.decoded, 0);
  assert.equal(update.transaction?.slot, "7");
  assert.equal(update.transaction?.slot, "7");
  assert.equal(counts.decoded, 1);
  assert.equal(update.transactionBytes, bytes);
});

test("every other update is decoded at once", () => {
  const others = [
    { filters: FILTERS, account: { account: undefined, slot: "7", isStartup: false } },
    { filters: FILTERS, slot: { slot: "7", parent: undefined, status: 0, deadError: undefined } },
    { filters: [], ping: {} },
    { filters: [], pong: { id: 3 } },
  ];
  for (const fields of others) {
    const { decode } = counted();
    const bytes = encoded(fields);
    const update = updateOf(bytes, decode);
    assert.deepEqual(update, SubscribeUpdate.decode(bytes));
  }
});

test("a transaction whose fields come in another order, or with a long filter name, is read too", () => {
  const { decode } = counted();
  const time = encoded({ filters: [], createdAt: new Date(1_000) });
  const reordered = Buffer.concat([time, encoded({ filters: FILTERS, ...TRANSACTION })]);
  const long = encoded({ filters: ["n".repeat(300)], ...TRANSACTION });
  for (const bytes of [reordered, long])
    assert.equal(updateOf(bytes, decode).transaction?.slot, "7");
});

test("bytes that end early are another update, or fail when they are read", () => {
  const { decode } = counted();
  const bytes = encoded({ filters: FILTERS, ...TRANSACTION });
  for (let length = 0; length < bytes.length; length++) {
    const part = Buffer.from(bytes.subarray(0, length));
    try {
      assert.notEqual(updateOf(part, decode).transaction?.slot, "7");
    } catch (cause) {
      assert.ok(cause instanceof RangeError, String(cause));
    }
  }
});
