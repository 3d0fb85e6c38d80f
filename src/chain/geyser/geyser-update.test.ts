import assert from "node:assert/strict";
import { test } from "node:test";
import { SubscribeUpdate } from "@triton-one/yellowstone-grpc";
import { bytesOf } from "#src/units/address.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { GeyserUpdateReader } from "./geyser-update.ts";

const ADDRESS = testAddress(1);
const OWNER = testAddress(2);
const U64_MAX = 2n ** 64n - 1n;
const FILTERS = ["accounts1", "transactions"];
const TRANSACTION = { transaction: { slot: "7", transaction: undefined } };

type Info = Partial<NonNullable<NonNullable<SubscribeUpdate["account"]>["account"]>>;

function encoded(fields: Partial<SubscribeUpdate>): Buffer {
  const update = { ...SubscribeUpdate.fromPartial({}), ...fields };
  return Buffer.from(SubscribeUpdate.encode(update).finish());
}

function accountBytes(info: Info, { filters = FILTERS, slot = "7" } = {}): Buffer {
  const account = {
    ...{ pubkey: bytesOf(ADDRESS), owner: bytesOf(OWNER), lamports: "5", executable: true },
    ...{ rentEpoch: String(U64_MAX), data: Uint8Array.of(1, 2, 3), writeVersion: "9" },
    ...{ txnSignature: new Uint8Array(64).fill(7), ...info },
  };
  const stated = { account, slot, isStartup: false };
  return encoded({ filters: [...filters], account: stated, createdAt: new Date(1_234) });
}

function countingReader() {
  const counts = { decoded: 0 };
  const reader = new GeyserUpdateReader((bytes) => {
    counts.decoded++;
    return SubscribeUpdate.decode(bytes);
  });
  const read = (bytes: Buffer) => reader.read(bytes, 0, bytes.length);
  return { counts, reader, read };
}

test("an account is read as the package encodes it, whatever its numbers, without the package's decoder", () => {
  const { counts, read } = countingReader();
  for (const number of [1n, 127n, 128n, 2n ** 28n, 2n ** 32n + 5n, 2n ** 53n + 1n, U64_MAX]) {
    for (const length of [0, 1, 165, 70_000]) {
      const data = new Uint8Array(length).fill(Number(number % 251n));
      const info = { lamports: String(number), data };
      const { account } = read(accountBytes(info, { slot: String(number) }));
      const state = { owner: OWNER, lamports: number, data, slot: number };
      assert.deepEqual(account?.update, { address: ADDRESS, account: state, slot: number });
    }
  }
  assert.equal(counts.decoded, 0);
});

test("an account without lamports is closed", () => {
  const { read } = countingReader();
  const { account } = read(accountBytes({ lamports: "0", owner: new Uint8Array(32) }));
  assert.deepEqual(account?.update, { address: ADDRESS, account: null, slot: 7n });
});

test("an update names the kinds of filters that it passed", () => {
  const { read } = countingReader();
  const kinds = [
    { filters: ["accounts"], passesAccounts: true, passesPrograms: false },
    { filters: ["accounts12"], passesAccounts: true, passesPrograms: false },
    { filters: ["program0", "account"], passesAccounts: false, passesPrograms: true },
    { filters: ["program3", "accounts"], passesAccounts: true, passesPrograms: true },
    { filters: ["p".repeat(300)], passesAccounts: false, passesPrograms: true },
    { filters: [], passesAccounts: false, passesPrograms: false },
  ];
  for (const { filters, ...passes } of kinds) {
    const { update, ...passed } = read(accountBytes({}, { filters })).account ?? assert.fail();
    assert.deepEqual(passed, passes);
    assert.equal(update?.address, ADDRESS);
  }
});

test("an account without an address or an owner is malformed", () => {
  const { read } = countingReader();
  for (const length of [0, 31, 33]) {
    const bytes = new Uint8Array(length);
    for (const info of [{ pubkey: bytes }, { owner: bytes }])
      assert.equal(read(accountBytes(info)).account?.update, null);
  }
  const empty = encoded({ account: { account: undefined, slot: "7", isStartup: false } });
  assert.equal(read(empty).account?.update, null);
});

test("an account is read from the middle of other bytes, and shares nothing with them", () => {
  const { reader } = countingReader();
  const message = accountBytes({});
  const bytes = Buffer.concat([Buffer.alloc(9, 0xff), message, Buffer.alloc(9, 0xff)]);
  const { account } = reader.read(bytes, 9, 9 + message.length);
  bytes.fill(0);
  const data = account?.update?.account?.data;
  assert.deepEqual(data, Uint8Array.of(1, 2, 3));
  assert.equal(data?.buffer.byteLength, 3);
});

test("a transaction is decoded once, when it is first read, wherever it is in its message", () => {
  const time = encoded({ createdAt: new Date(1_000) });
  for (const bytes of [
    encoded({ filters: FILTERS, ...TRANSACTION, createdAt: new Date(1_000) }),
    encoded({ filters: ["n".repeat(300)], ...TRANSACTION }),
    Buffer.concat([time, encoded({ filters: FILTERS, ...TRANSACTION })]),
  ]) {
    const { counts, read } = countingReader();
    const { transaction } = read(bytes);
    assert.equal(counts.decoded, 0);
    assert.equal(transaction?.message?.slot, "7");
    assert.equal(transaction?.message?.slot, "7");
    assert.equal(counts.decoded, 1);
    assert.deepEqual(transaction?.bytes, bytes);
  }
});

test("slots and pings are what the package decodes", () => {
  const slot = { slot: "7", parent: "6", status: 1, deadError: undefined };
  for (const fields of [{ filters: ["slots"], slot }, { ping: {} }, { pong: { id: 3 } }]) {
    const { read } = countingReader();
    const bytes = encoded(fields);
    const { slot: ended, ping, pong } = SubscribeUpdate.decode(bytes);
    assert.deepEqual(read(bytes), { slot: ended, ping, pong });
  }
});

test("bytes that end early fail, or are an update without what is missing", () => {
  const account = accountBytes({});
  const transaction = encoded({ filters: FILTERS, ...TRANSACTION });
  const { read } = countingReader();
  for (const bytes of [account, transaction]) {
    for (let length = 0; length < bytes.length; length++) {
      try {
        const cut = read(Buffer.from(bytes.subarray(0, length)));
        assert.notEqual(cut.transaction?.message?.slot, "7");
        if (cut.account !== undefined) assert.equal(cut.account.update?.slot, 7n);
      } catch (cause) {
        assert.ok(cause instanceof RangeError, String(cause));
      }
    }
  }
});
