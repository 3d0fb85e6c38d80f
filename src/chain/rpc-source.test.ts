import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { AppError } from "#src/platform/app-error.ts";
import { type Address, addressBytes } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { testAccount, testAddress } from "#test/support/test-accounts.ts";
import { createRpcSource, type RpcSourceOptions } from "./rpc-source.ts";

const PROGRAM = testAddress(1);
const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const FAST_RETRY = { attempts: 3, firstWaitMs: 1, longestWaitMs: 20 };

function sourceAt(t: TestContext, httpUrl: string, options: Partial<RpcSourceOptions> = {}) {
  const source = createRpcSource({
    httpUrl,
    wsUrl: httpUrl.replace("http", "ws"),
    origin: "live",
    clock: { nowMs: () => 1_000 },
    random: () => 0.5,
    retry: FAST_RETRY,
    staleWaitMs: 1,
    ...options,
  });
  t.after(() => source.close());
  return source;
}

async function localNode(t: TestContext) {
  const ledger = new Ledger(CLOCK);
  const node = createLocalNode({ ledger });
  t.after(node.close);
  return { ledger, ...(await node.listen()) };
}

type Request = { readonly id: number; readonly method: string; readonly params: unknown[] };
type Answer = (request: Request, response: ServerResponse, count: number) => void;

/** A node that answers as the test says. */
async function fakeNode(t: TestContext, answer: Answer) {
  let count = 0;
  const server = createServer((incoming: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => answer(JSON.parse(String(Buffer.concat(parts))), response, ++count));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { httpUrl: `http://127.0.0.1:${port}`, count: () => count };
}

function result(response: ServerResponse, { id }: Request, value: unknown): void {
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: value }));
}

function refuse(response: ServerResponse, { id }: Request, code: number, message: string): void {
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}

function notFound(response: ServerResponse, request: Request): void {
  refuse(response, request, -32601, "Method not found");
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "chain_unavailable";
}

const RAW_ACCOUNT = { lamports: 1, owner: PROGRAM, data: ["AQ==", "base64"] };

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
  const data = [1, 2, ...(addressBytes(mint) ?? [])];
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

test("the head is the Clock sysvar's", async (t) => {
  const { httpUrl } = await localNode(t);
  assert.deepEqual(await sourceAt(t, httpUrl).readHead(), { clock: CLOCK, receivedAtMs: 1_000 });
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

test("Retry-After is waited for when it is short, and ends the call when it is long", async (t) => {
  const patient = await fakeNode(t, (_request, response) =>
    response.writeHead(429, { "retry-after": "3600" }).end(),
  );
  await assert.rejects(sourceAt(t, patient.httpUrl).readAccounts([PROGRAM]), isUnavailable);
  assert.equal(patient.count(), 1);
  const brief = await fakeNode(t, (request, response, count) => {
    if (count === 1) response.writeHead(429, { "retry-after": "0.01" }).end();
    else result(response, request, { context: { slot: 5 }, value: [null] });
  });
  await sourceAt(t, brief.httpUrl).readAccounts([PROGRAM]);
  assert.equal(brief.count(), 2);
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

test("a provider that does not serve searches costs the search, not the source", async (t) => {
  const filter = { programId: PROGRAM, dataSize: null, memcmp: [] };
  const refusing = await fakeNode(t, ({ id }, response) =>
    response.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        error: { code: -32010, message: "excluded from account secondary indexes" },
      }),
    ),
  );
  const found = await sourceAt(t, refusing.httpUrl).searchAccounts(filter);
  assert.ok(found.kind === "refused");
  assert.match(found.reason, /-32010.*excluded/);
  assert.equal(
    refusing.count(),
    2,
    "once for the paged form of the search, once for the plain one",
  );
  const forbidding = await fakeNode(t, (_request, response) => response.writeHead(403).end());
  assert.equal((await sourceAt(t, forbidding.httpUrl).searchAccounts(filter)).kind, "refused");
  const absent = sourceAt(t, "http://127.0.0.1:9").searchAccounts(filter);
  await assert.rejects(absent, isUnavailable);
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
  await assert.rejects(source.readHead(), /closed/);
});

test("a password in the URL is sent as the header that says the same", async (t) => {
  let header: string | undefined;
  const server = createServer((request, response) => {
    header = request.headers.authorization;
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const source = sourceAt(t, `http://me:p%40ss@127.0.0.1:${port}`);
  await assert.rejects(source.readAccounts([PROGRAM]), (error) => {
    assert.ok(!JSON.stringify(error).includes("p%40ss"));
    return isUnavailable(error);
  });
  assert.equal(header, `Basic ${Buffer.from("me:p@ss").toString("base64")}`);
});

test("a refused search is remembered: the same program is not searched again at once", async (t) => {
  const node = await fakeNode(t, (request, response) =>
    refuse(response, request, -32010, "excluded"),
  );
  const source = sourceAt(t, node.httpUrl);
  const filter = { programId: PROGRAM, dataSize: null, memcmp: [] };
  await source.searchAccounts(filter);
  const sent = node.count();
  assert.equal((await source.searchAccounts(filter)).kind, "refused");
  assert.equal(node.count(), sent);
  assert.deepEqual(
    source.refusedSearches().programs.map(({ programId }) => programId),
    [PROGRAM],
  );
});

test("a method that is not served is not tried for other programs either", async (t) => {
  const node = await fakeNode(t, (_request, response) => response.writeHead(403).end());
  const source = sourceAt(t, node.httpUrl);
  await source.searchAccounts({ programId: PROGRAM, dataSize: null, memcmp: [] });
  const sent = node.count();
  await source.searchAccounts({ programId: testAddress(2), dataSize: null, memcmp: [] });
  assert.equal(node.count(), sent);
  assert.match(source.refusedSearches().all ?? "", /403/);
});

test("a paged search collects every page, empty ones included", async (t) => {
  const keys = ["one", "two", null];
  const node = await fakeNode(t, (request, response, count) => {
    assert.equal(request.method, "getProgramAccountsV2");
    const accounts =
      count === 2
        ? [{ pubkey: testAddress(90), account: { ...RAW_ACCOUNT, owner: testAddress(9) } }]
        : [{ pubkey: testAddress(count), account: RAW_ACCOUNT }];
    const page = { accounts, paginationKey: keys[count - 1], totalResults: 3 };
    result(response, request, { context: { slot: 5 + count }, value: page });
  });
  const filter = { programId: PROGRAM, dataSize: 1, memcmp: [] };
  const found = await sourceAt(t, node.httpUrl).searchAccounts(filter);
  assert.ok(found.kind === "found");
  assert.deepEqual([...found.accounts.keys()], [testAddress(1), testAddress(3)]);
  assert.equal(found.slot, 6n);
});

test("slow searches do not delay reads", async (t) => {
  const node = await fakeNode(t, (request, response) => {
    if (request.method === "getMultipleAccounts") {
      result(response, request, { context: { slot: 5 }, value: [null] });
    }
  });
  const source = sourceAt(t, node.httpUrl);
  const filter = { programId: PROGRAM, dataSize: null, memcmp: [] };
  const searches = Array.from({ length: 30 }, () => source.searchAccounts(filter));
  assert.equal((await source.readAccounts([PROGRAM])).slot, 5n);
  await source.close();
  await Promise.allSettled(searches);
});

test("a node that allows fewer accounts in a read gets smaller reads from then on", async (t) => {
  const sizes: number[] = [];
  const node = await fakeNode(t, (request, response) => {
    const [addresses] = request.params as [unknown[]];
    sizes.push(addresses.length);
    if (addresses.length > 5) refuse(response, request, -32602, "Too many inputs provided; max 5");
    else result(response, request, { context: { slot: 5 }, value: addresses.map(() => null) });
  });
  const source = sourceAt(t, node.httpUrl);
  const addresses = Array.from({ length: 40 }, (_, index) => testAddress(index));
  assert.equal((await source.readAccounts(addresses)).accounts.size, 40);
  sizes.length = 0;
  assert.equal((await source.readAccounts(addresses)).accounts.size, 40);
  assert.ok(
    sizes.every((size) => size <= 5),
    String(sizes),
  );
});

test("a rate limit inside HTTP 200 is waited for, whatever its code", async (t) => {
  for (const [code, message] of [
    [429, "Too many requests"],
    [-32029, "slow down"],
    [-32005, "You've exceeded the RPS limit available on the current plan."],
    [-1, "rate limit reached"],
  ] as const) {
    const node = await fakeNode(t, (request, response, count) => {
      if (count < 3) refuse(response, request, code, message);
      else result(response, request, { context: { slot: 5 }, value: [null] });
    });
    assert.equal((await sourceAt(t, node.httpUrl).readAccounts([PROGRAM])).slot, 5n);
  }
});

test("a node whose slots go far back is not served; one in the future neither", async (t) => {
  const slots = [100_000, 99_000, 99_000, 99_000, 99_000, 200_000, 100_001];
  const node = await fakeNode(t, (request, response, count) =>
    result(response, request, { context: { slot: slots[count - 1] }, value: [null] }),
  );
  const source = sourceAt(t, node.httpUrl);
  await source.readAccounts([PROGRAM]);
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
  assert.equal(source.isBack(), true);
  assert.equal((await source.readAccounts([PROGRAM])).slot, 100_001n);
  assert.equal(source.isBack(), false);
});

test("another endpoint answers while the first does not, unless it is of another chain", async (t) => {
  const answering = (slot: number, hash: string) =>
    fakeNode(t, (request, response) =>
      request.method === "getGenesisHash"
        ? result(response, request, hash)
        : result(response, request, { context: { slot }, value: [null] }),
    );
  const second = await answering(7, "main");
  const fallback = { httpUrl: second.httpUrl, wsUrl: "ws://127.0.0.1:9" };
  const absent = sourceAt(t, "http://127.0.0.1:9", { fallbacks: [fallback] });
  assert.equal((await absent.readAccounts([PROGRAM])).slot, 7n);
  let isBroken = false;
  const first = await fakeNode(t, (request, response) => {
    if (isBroken) response.writeHead(500).end();
    else if (request.method === "getGenesisHash") result(response, request, "other");
    else result(response, request, { context: { slot: 6 }, value: [null] });
  });
  const source = sourceAt(t, first.httpUrl, { fallbacks: [fallback] });
  assert.deepEqual(await source.compareChains(), ["other", "main"]);
  isBroken = true;
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
});

test("calls are counted by method and outcome", async (t) => {
  const node = await fakeNode(t, (request, response, count) => {
    if (count === 1) refuse(response, request, 429, "Too many requests");
    else result(response, request, { context: { slot: 5 }, value: [null] });
  });
  const source = sourceAt(t, node.httpUrl);
  await source.readAccounts([PROGRAM]);
  assert.deepEqual(source.calls(), [
    { method: "getMultipleAccounts", outcome: "rate-limited", calls: 1 },
    { method: "getMultipleAccounts", outcome: "ok", calls: 1 },
  ]);
});
