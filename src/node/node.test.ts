import assert from "node:assert/strict";
import { test } from "node:test";
import { createSolanaRpc, createSolanaRpcSubscriptions, address as kitAddress } from "@solana/kit";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { closeAfter, type Ending } from "#test/support/ending.ts";
import { testAccount, testAddress } from "#test/support/pools/test-accounts.ts";
import { Ledger } from "./ledger.ts";
import { createLocalNode } from "./node.ts";

const PROGRAM = testAddress(1);
const OTHER_PROGRAM = testAddress(2);
const POOL = testAddress(3);
const ABSENT = testAddress(4);
const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const NEXT = { ...CLOCK, slot: CLOCK.slot + 1n };

async function startNode(t: Ending) {
  const ledger = new Ledger(CLOCK);
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  closeAfter(t, node.close);
  return { ledger, ...urls };
}

async function post(url: string, body: string) {
  const response = await fetch(url, { method: "POST", body });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? null : JSON.parse(text) };
}

function call(url: string, method: string, params: readonly unknown[] = []) {
  return post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

test("kit reads accounts, absent ones as null, with the node's slot", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  ledger.apply(new Map([[POOL, testAccount(PROGRAM, [1, 2, 3])]]));
  const rpc = createSolanaRpc(httpUrl);
  const { context, value } = await rpc
    .getMultipleAccounts([kitAddress(POOL), kitAddress(ABSENT)], { encoding: "base64" })
    .send();
  assert.equal(context.slot, CLOCK.slot);
  assert.deepEqual(value[0]?.data, ["AQID", "base64"]);
  assert.equal(value[0]?.owner, PROGRAM);
  assert.equal(value[0]?.lamports, 2_039_280n);
  assert.equal(value[1], null);
  assert.equal(await rpc.getSlot().send(), CLOCK.slot);
  assert.equal(await rpc.getBlockTime(CLOCK.slot - 10n).send(), CLOCK.unixTimestamp - 4n);
  assert.equal(await rpc.getHealth().send(), "ok");
  assert.equal((await rpc.getEpochInfo().send()).epoch, CLOCK.epoch);
});

test("a program's accounts are found by size and by bytes in either encoding", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  const inside = [9, ...Buffer.from(kitBytes(POOL))];
  ledger.apply(
    new Map([
      [testAddress(10), testAccount(PROGRAM, inside)],
      [testAddress(11), testAccount(PROGRAM, [9, 9])],
      [testAddress(12), testAccount(OTHER_PROGRAM, inside)],
    ]),
  );
  const search = async (filters: readonly unknown[]) => {
    const config = { encoding: "base64", filters, withContext: true };
    const { body } = await call(httpUrl, "getProgramAccounts", [PROGRAM, config]);
    return body.result.value.map((found: { pubkey: string }) => found.pubkey);
  };
  const base64 = Buffer.from(kitBytes(POOL)).toString("base64");
  assert.deepEqual(await search([{ dataSize: 2 }]), [testAddress(11)]);
  assert.deepEqual(await search([{ memcmp: { offset: 1, bytes: POOL } }]), [testAddress(10)]);
  assert.deepEqual(await search([{ memcmp: { offset: 1, bytes: base64, encoding: "base64" } }]), [
    testAddress(10),
  ]);
  assert.deepEqual(await search([{ dataSize: 2 }, { memcmp: { offset: 1, bytes: POOL } }]), []);
  assert.equal((await search([])).length, 2);
});

test("kit reads the largest holders of a mint; for a recording they are unknown", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  const { slot } = CLOCK;
  const held = tokenAccount({ mint: POOL, owner: PROGRAM, amount: 1_250n, slot });
  const accounts = new Map([
    [POOL, mintAccount({ supply: 2_000n, decimals: 3, slot })],
    [ABSENT, held],
  ]);
  ledger.apply(accounts);
  const { context, value } = await createSolanaRpc(httpUrl)
    .getTokenLargestAccounts(kitAddress(POOL))
    .send();
  assert.equal(context.slot, CLOCK.slot);
  assert.deepEqual(
    value.map(({ address, amount, decimals, uiAmountString }) => [
      address,
      amount,
      decimals,
      uiAmountString,
    ]),
    [[kitAddress(ABSENT), "1250", 3, "1.25"]],
  );
  const recorded = new Ledger(CLOCK, { isRecorded: true });
  recorded.apply(accounts);
  const node = createLocalNode({ ledger: recorded });
  closeAfter(t, node.close);
  const { body } = await call((await node.listen()).httpUrl, "getTokenLargestAccounts", [POOL]);
  assert.equal(body.error.code, -32601);
});

test("an account that changed its owner or was deleted is no longer found under its old program", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  ledger.apply(new Map([[POOL, testAccount(PROGRAM, [1])]]));
  ledger.apply(new Map([[POOL, testAccount(OTHER_PROGRAM, [1])]]));
  assert.deepEqual((await call(httpUrl, "getProgramAccounts", [PROGRAM])).body.result, []);
  ledger.apply(new Map([[POOL, null]]));
  assert.deepEqual((await call(httpUrl, "getProgramAccounts", [OTHER_PROGRAM])).body.result, []);
  assert.equal((await call(httpUrl, "getAccountInfo", [POOL])).body.result.value, null);
});

test("a slice of the data and 64-bit numbers are exact", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  const lamports = 18_446_744_073_709_551_615n;
  ledger.apply(new Map([[POOL, { ...testAccount(PROGRAM, [1, 2, 3, 4]), lamports }]]));
  const config = { encoding: "base64", dataSlice: { offset: 1, length: 2 } };
  const { text, body } = await call(httpUrl, "getAccountInfo", [POOL, config]);
  assert.deepEqual(body.result.value.data, [Buffer.from([2, 3]).toString("base64"), "base64"]);
  assert.equal(body.result.value.space, 4);
  assert.match(text, /"lamports":18446744073709551615,/);
  assert.match(text, /"rentEpoch":18446744073709551615,/);
});

test("errors carry the codes and messages of a real node", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  ledger.apply(new Map([[POOL, testAccount(PROGRAM, new Uint8Array(200))]]));
  const errorOf = async (method: string, params: readonly unknown[]) =>
    (await call(httpUrl, method, params)).body.error;
  const tooMany = Array.from({ length: 101 }, (_, index) => testAddress(index));
  assert.deepEqual(await errorOf("getMultipleAccounts", [tooMany]), {
    code: -32602,
    message: "Too many inputs provided; max 100",
  });
  assert.deepEqual(await errorOf("noSuchMethod", []), {
    code: -32601,
    message: "Method not found",
  });
  assert.deepEqual(await errorOf("getAccountInfo", ["11"]), {
    code: -32602,
    message: "Invalid param: WrongSize",
  });
  assert.deepEqual(await errorOf("getAccountInfo", ["0OIl"]), {
    code: -32602,
    message: "Invalid param: Invalid",
  });
  assert.equal((await errorOf("getAccountInfo", [POOL])).code, -32600);
  assert.deepEqual(await errorOf("getSlot", [{ minContextSlot: 400_000_001 }]), {
    code: -32016,
    message: "Minimum context slot has not been reached",
    data: { contextSlot: 400_000_000 },
  });
  assert.equal((await errorOf("getBlockTime", [400_000_001])).code, -32004);
  assert.equal((await post(httpUrl, "{")).body.error.code, -32700);
  assert.equal((await post(httpUrl, "[]")).body.error.code, -32600);
  assert.equal((await post(httpUrl, "7")).body.error.code, -32600);
  assert.equal((await fetch(httpUrl)).status, 405);
});

test("a request above 50 KiB is refused unread", async (t) => {
  const { httpUrl } = await startNode(t);
  const outcome = await post(httpUrl, " ".repeat(60_000)).then(
    ({ status }) => status,
    () => "cut",
  );
  assert.ok(outcome === 413 || outcome === "cut", String(outcome));
});

test("kit's subscriptions receive slots, each changed account once, and closed accounts", async (t) => {
  const { ledger, wsUrl } = await startNode(t);
  const stop = new AbortController();
  closeAfter(t, async () => stop.abort());
  const rpc = createSolanaRpcSubscriptions(wsUrl);
  const abortSignal = stop.signal;
  const accounts = await rpc
    .accountNotifications(kitAddress(POOL), { encoding: "base64" })
    .subscribe({ abortSignal });
  const slots = await rpc.slotNotifications().subscribe({ abortSignal });
  // kit keeps notifications from the first subscription on, so subscribe before anything changes.
  const changes = accounts[Symbol.asyncIterator]();
  const firstChange = changes.next();
  const firstSlot = slots[Symbol.asyncIterator]().next();
  ledger.apply(new Map([[POOL, testAccount(PROGRAM, [1])]]));
  ledger.apply(new Map([[POOL, testAccount(PROGRAM, [2])]]));
  ledger.advance(NEXT);
  ledger.apply(new Map([[POOL, null]]));
  ledger.advance({ ...NEXT, slot: NEXT.slot + 1n });
  const first = (await firstChange).value;
  assert.equal(first?.context.slot, CLOCK.slot);
  assert.deepEqual(first?.value.data, ["Ag==", "base64"]);
  const second = (await changes.next()).value;
  assert.equal(second?.context.slot, NEXT.slot);
  assert.equal(second?.value.lamports, 0n);
  assert.equal(second?.value.owner, "11111111111111111111111111111111");
  assert.deepEqual((await firstSlot).value, {
    slot: NEXT.slot,
    parent: CLOCK.slot,
    root: NEXT.slot - 32n,
  });
});

test("the Clock sysvar moves with the slot", async (t) => {
  const { ledger, httpUrl } = await startNode(t);
  ledger.advance({ ...NEXT, unixTimestamp: CLOCK.unixTimestamp + 7n });
  const { body } = await call(httpUrl, "getAccountInfo", [CLOCK_SYSVAR, { encoding: "base64" }]);
  const data = Buffer.from(body.result.value.data[0], "base64");
  assert.equal(data.readBigUInt64LE(0), NEXT.slot);
  assert.equal(data.readBigInt64LE(32), CLOCK.unixTimestamp + 7n);
});

function kitBytes(address: string): Uint8Array {
  const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let value = 0n;
  for (const character of address) value = value * 58n + BigInt(ALPHABET.indexOf(character));
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex"));
}
