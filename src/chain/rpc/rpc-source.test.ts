import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import {
  FAST_RETRY,
  fakeNode,
  isUnavailable,
  notFound,
  RAW_ACCOUNT,
  refuse,
  result,
  sourceAt,
} from "#test/support/chain/fake-rpc-node.ts";
import { closeAfter } from "#test/support/ending.ts";
import { testAccount, testAddress } from "#test/support/pools/test-accounts.ts";

const PROGRAM = testAddress(1);
const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };

async function localNode(t: TestContext) {
  const ledger = new Ledger(CLOCK);
  const node = createLocalNode({ ledger });
  closeAfter(t, node.close);
  return { ledger, ...(await node.listen()) };
}

test("accounts of several batches are read together; absent ones are null", async (t) => {
  const { ledger, httpUrl } = await localNode(t);
  const addresses = Array.from({ length: 250 }, (_, index) => testAddress(1000 + index));
  const existing = addresses.slice(0, 249);
  ledger.apply(new Map(existing.map((address, i) => [address, testAccount(PROGRAM, [i % 256])])));
  const read = await sourceAt(t, httpUrl).readAccounts([...addresses, ...addresses]);
  assert.equal(read.slot, CLOCK.slot);
  assert.equal(read.accounts.size, 250);
  assert.equal(read.accounts.get(testAddress(1249)), null);
  assert.deepEqual(read.accounts.get(testAddress(1205)), {
    owner: PROGRAM,
    lamports: 2_039_280n,
    data: Uint8Array.of(205),
    slot: CLOCK.slot,
  });
});

test("of an account's start the node sends no more than was asked for", async (t) => {
  const { ledger, httpUrl } = await localNode(t);
  const [long, short, none] = [testAddress(30), testAddress(31), testAddress(32)];
  ledger.apply(new Map([[long, testAccount(PROGRAM, Array(5_000).fill(7))]]));
  ledger.apply(new Map([[short, testAccount(PROGRAM, [1, 2])]]));
  const source = sourceAt(t, httpUrl);
  const { slot, accounts } = await source.readAccountStarts([long, short, none], 48);
  assert.equal(slot, CLOCK.slot);
  assert.deepEqual(accounts.get(long)?.data, new Uint8Array(48).fill(7));
  assert.deepEqual(accounts.get(short)?.data, Uint8Array.of(1, 2));
  assert.equal(accounts.get(none), null);

  let asked: unknown = null;
  const generous = await fakeNode(t, (request, response) => {
    asked = request.params[1];
    const data = [Buffer.alloc(5_000, 7).toString("base64"), "base64"];
    result(response, request, { context: { slot: 5 }, value: [{ ...RAW_ACCOUNT, data }] });
  });
  const whole = await sourceAt(t, generous.httpUrl).readAccountStarts([long], 48);
  assert.deepEqual(asked, {
    encoding: "base64",
    commitment: "confirmed",
    dataSlice: { offset: 0, length: 48 },
  });
  const cut = whole.accounts.get(long)?.data;
  assert.deepEqual([cut?.length, cut?.buffer.byteLength], [48, 48], "a node that sends all is cut");
});

test("a search finds what the filter asks for, by address and by raw bytes", async (t) => {
  const { ledger, httpUrl } = await localNode(t);
  const mint = testAddress(7);
  const data = [1, 2, ...bytesOf(mint)];
  ledger.apply(new Map([[testAddress(20), testAccount(PROGRAM, data)]]));
  ledger.apply(new Map([[testAddress(21), testAccount(PROGRAM, data.toReversed())]]));
  const memcmp = [
    { offset: 2, bytes: mint },
    { offset: 0, bytes: Uint8Array.of(1, 2) },
  ];
  const source = sourceAt(t, httpUrl);
  const found = await source.searchAccounts({ programId: PROGRAM, dataSize: 34, memcmp });
  assert.ok(found.kind === "found");
  assert.deepEqual([...found.accounts.keys()], [testAddress(20)]);
  assert.equal(found.slot, CLOCK.slot);
});

test("the accounts that hold most of a mint are found, the largest first, at most twenty", async (t) => {
  const { ledger, httpUrl } = await localNode(t);
  const [mint, other] = [testAddress(30), testAddress(31)];
  const { slot } = CLOCK;
  const heldBy = (index: number, of: Address) =>
    tokenAccount({ mint: of, owner: PROGRAM, amount: BigInt(index), slot });
  ledger.apply(
    new Map([
      [mint, mintAccount({ supply: 1_000n, decimals: 3, slot })],
      [testAddress(99), heldBy(500, other)],
      ...Array.from({ length: 25 }, (_, index): [Address, Account] => [
        testAddress(100 + index),
        heldBy(index, mint),
      ]),
    ]),
  );
  const found = await sourceAt(t, httpUrl).findLargestAccounts(mint);
  assert.ok(found.kind === "found");
  const largest = Array.from({ length: 20 }, (_, index) => testAddress(124 - index));
  assert.deepEqual(found.addresses, largest);
});

test("holders that a node does not return are unknown, not absent", async (t) => {
  const { ledger, httpUrl } = await localNode(t);
  ledger.apply(new Map([[testAddress(30), testAccount(PROGRAM, [1])]]));
  const source = sourceAt(t, httpUrl);
  assert.equal((await source.findLargestAccounts(testAddress(30))).kind, "refused");
  const oddities: unknown[] = [
    { context: { slot: 5 }, value: null },
    { context: { slot: 5 }, value: [{ amount: "1" }] },
    { context: { slot: 5 }, value: [{ address: "nobody", amount: "1" }] },
    { context: { slot: 5 }, value: new Array(21).fill({ address: PROGRAM, amount: "1" }) },
  ];
  for (const oddity of oddities) {
    const node = await fakeNode(t, (request, response) => result(response, request, oddity));
    const told = await sourceAt(t, node.httpUrl).findLargestAccounts(PROGRAM);
    assert.equal(told.kind, "refused", JSON.stringify(oddity));
  }
  const nobody = sourceAt(t, "http://127.0.0.1:9");
  await assert.rejects(nobody.findLargestAccounts(PROGRAM), isUnavailable);
});

test("the clock is the Clock sysvar's", async (t) => {
  const { httpUrl } = await localNode(t);
  assert.deepEqual(await sourceAt(t, httpUrl).readClock(), CLOCK);
});

test("a node that fails for a moment is asked again; one that keeps failing is unavailable", async (t) => {
  const flaky = await fakeNode(t, (request, response, count) => {
    if (count < 3) response.writeHead(503).end("<html>busy</html>");
    else result(response, request, { context: { slot: 5 }, value: [null] });
  });
  const read = await sourceAt(t, flaky.httpUrl).readAccounts([PROGRAM]);
  assert.equal(read.slot, 5n);
  const broken = await fakeNode(t, (_request, response) => response.writeHead(500).end());
  await assert.rejects(sourceAt(t, broken.httpUrl).readAccounts([PROGRAM]), isUnavailable);
  assert.equal(broken.count(), FAST_RETRY.attempts);
});

test("a closed port, and a connection cut in the middle, are unavailable", async (t) => {
  await assert.rejects(sourceAt(t, "http://127.0.0.1:9").readAccounts([PROGRAM]), isUnavailable);
  const cut = await fakeNode(t, (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  });
  await assert.rejects(sourceAt(t, cut.httpUrl).readAccounts([PROGRAM]), isUnavailable);
});

test("answers that make no sense never become accounts", async (t) => {
  const nonsense: unknown[] = [
    null,
    7,
    { context: { slot: -1 }, value: [null] },
    { context: { slot: 1.5 }, value: [null] },
    { context: { slot: 5 }, value: null },
    { context: { slot: 5 }, value: [] },
    { context: { slot: 5 }, value: [null, null] },
  ];
  for (const value of nonsense) {
    const node = await fakeNode(t, (request, response) => result(response, request, value));
    await assert.rejects(sourceAt(t, node.httpUrl).readAccounts([PROGRAM]), isUnavailable);
  }
});

test("a node without a Clock sysvar has lost its state: what it calls absent is not taken for absent", async (t) => {
  const empty = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot: 5 }, value: [null, null] }),
  );
  const addresses = [PROGRAM, CLOCK_SYSVAR];
  await assert.rejects(sourceAt(t, empty.httpUrl).readAccounts(addresses), isUnavailable);
});

test("an entry that makes no sense is unknown, and its neighbours stay", async (t) => {
  const tooLong = zstdCompressSync(Buffer.alloc(11 * 1024 * 1024));
  const broken: unknown[] = [
    7,
    {},
    { ...RAW_ACCOUNT, owner: "nobody" },
    { ...RAW_ACCOUNT, lamports: -1 },
    { ...RAW_ACCOUNT, data: "AQ==" },
    { ...RAW_ACCOUNT, data: ["A*==", "base64"] },
    { ...RAW_ACCOUNT, data: ["AQ==", "base58"] },
    { ...RAW_ACCOUNT, data: ["AQ==", "base64+zstd"] },
    { ...RAW_ACCOUNT, data: [tooLong.toString("base64"), "base64+zstd"] },
  ];
  const node = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot: 5 }, value: [...broken, RAW_ACCOUNT, null] }),
  );
  const addresses = Array.from({ length: broken.length + 2 }, (_, index) => testAddress(index));
  const { accounts } = await sourceAt(t, node.httpUrl).readAccounts(addresses);
  assert.deepEqual([...accounts.keys()], addresses.slice(-2));
  assert.equal(accounts.get(testAddress(broken.length + 1)), null);
});

test("an answer to another request is ignored", async (t) => {
  const node = await fakeNode(t, ({ id, method, params }, response) =>
    result(response, { id: id + 1, method, params }, { context: { slot: 5 }, value: [null] }),
  );
  await assert.rejects(sourceAt(t, node.httpUrl).readAccounts([PROGRAM]), isUnavailable);
});

test("an answer from before what was seen is asked for again, a bounded number of times", async (t) => {
  const slots = [100, 90, 101, 50, 50, 50, 50];
  const node = await fakeNode(t, (request, response, count) =>
    result(response, request, { context: { slot: slots[count - 1] }, value: [null] }),
  );
  const source = sourceAt(t, node.httpUrl);
  assert.equal((await source.readAccounts([PROGRAM])).slot, 100n);
  assert.equal((await source.readAccounts([PROGRAM])).slot, 101n);
  assert.equal((await source.readAccounts([PROGRAM])).slot, 50n, "a node that stays behind");
  assert.equal(node.count(), slots.length);
});

test("accounts that do not match the filter are dropped from a search", async (t) => {
  const node = await fakeNode(t, (request, response) =>
    request.method === "getProgramAccountsV2"
      ? notFound(response, request)
      : result(response, request, {
          context: { slot: 5 },
          value: [
            { pubkey: testAddress(1), account: RAW_ACCOUNT },
            { pubkey: testAddress(2), account: { ...RAW_ACCOUNT, owner: testAddress(9) } },
            { pubkey: testAddress(3), account: { ...RAW_ACCOUNT, data: ["AgI=", "base64"] } },
          ],
        }),
  );
  const filter = { programId: PROGRAM, dataSize: 1, memcmp: [] };
  const found = await sourceAt(t, node.httpUrl).searchAccounts(filter);
  assert.ok(found.kind === "found");
  assert.deepEqual([...found.accounts.keys()], [testAddress(1)]);
});

test("an aborted read stops at once and says why", async (t) => {
  const silent = await fakeNode(t, () => {});
  const stop = new AbortController();
  const read = sourceAt(t, silent.httpUrl).readAccounts([PROGRAM], stop.signal);
  stop.abort(new Error("no longer needed"));
  await assert.rejects(read, /no longer needed/);
});

test("closing the source ends the reads under way", async (t) => {
  const silent = await fakeNode(t, () => {});
  const source = sourceAt(t, silent.httpUrl);
  const read = source.readAccounts([PROGRAM]);
  await source.close();
  await assert.rejects(read, /closed/);
  await assert.rejects(source.readClock(), /closed/);
});

test("a password in the URL is sent as the header that says the same", async (t) => {
  let header: string | undefined;
  const server = createServer((request, response) => {
    header = request.headers.authorization;
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfter(t, () => server.close());
  const { port } = server.address() as AddressInfo;
  const source = sourceAt(t, `http://me:p%40ss@127.0.0.1:${port}`);
  await assert.rejects(source.readAccounts([PROGRAM]), (error) => {
    assert.ok(!JSON.stringify(error).includes("p%40ss"));
    return isUnavailable(error);
  });
  assert.equal(header, `Basic ${Buffer.from("me:p@ss").toString("base64")}`);
});

test("a version 1 transaction, which has no look-up tables, is asked for and read", async (t) => {
  const signature = "5".repeat(87);
  const node = await fakeNode(t, (request, response) => {
    const [asked, config] = request.params as [string, { maxSupportedTransactionVersion: number }];
    if (config.maxSupportedTransactionVersion < 1) {
      refuse(response, request, -32015, "Transaction version (1) is not supported");
      return;
    }
    assert.equal(asked, signature);
    const instruction = { programIdIndex: 1, accounts: [0], data: "2" };
    result(response, request, {
      slot: 5,
      version: 1,
      blockTime: 1_790_000_000,
      transaction: {
        signatures: [signature],
        message: { accountKeys: [testAddress(9), PROGRAM], instructions: [instruction] },
      },
      meta: {
        ...{ err: null, logMessages: ["Program log: swapped"], innerInstructions: [] },
        preTokenBalances: [
          { accountIndex: 0, uiTokenAmount: { amount: "7" } },
          { accountIndex: 9, uiTokenAmount: { amount: "8" } },
        ],
        postTokenBalances: [{ accountIndex: 1, uiTokenAmount: { amount: "-1" } }, null],
      },
    });
  });
  const read = await sourceAt(t, node.httpUrl).readTransaction(signature);
  assert.deepEqual(read, {
    ...{ signature, slot: 5n, logs: ["Program log: swapped"] },
    ...{ feePayer: testAddress(9), blockTime: 1_790_000_000n },
    // Malformed balances are unknown, and of an account that is not named no balance is kept.
    tokenAmounts: new Map([
      [testAddress(9), { before: 7n, after: null }],
      [PROGRAM, { before: null, after: null }],
    ]),
    instructions: [{ programId: PROGRAM, accounts: [testAddress(9)], data: Uint8Array.of(1) }],
  });
});
