import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  fakeNode,
  isUnavailable,
  RAW_ACCOUNT,
  refuse,
  result,
  sourceAt,
} from "#test/support/chain/fake-rpc-node.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";

const PROGRAM = testAddress(1);

/** The monotonic time from now on, of which the test lets more pass. */
function laterTime(t: TestContext) {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, "now", () => now() + passedMs);
  return {
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

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
    source.refusals().map(({ method, programId }) => [method, programId]),
    [["getProgramAccounts", PROGRAM]],
  );
});

test("a method that is not served is not tried for other programs either", async (t) => {
  const node = await fakeNode(t, (_request, response) => response.writeHead(403).end());
  const source = sourceAt(t, node.httpUrl);
  await source.searchAccounts({ programId: PROGRAM, dataSize: null, memcmp: [] });
  const sent = node.count();
  await source.searchAccounts({ programId: testAddress(2), dataSize: null, memcmp: [] });
  assert.equal(node.count(), sent);
  const [refused] = source.refusals();
  assert.equal(refused?.programId, null);
  assert.match(refused?.reason ?? "", /403/);
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

test("merged reads that have too many accounts for a call still get one slot each", async (t) => {
  const counts: number[] = [];
  const node = await fakeNode(t, (request, response, count) => {
    const [addresses] = request.params as [unknown[]];
    counts.push(addresses.length);
    const value = addresses.map(() => RAW_ACCOUNT);
    if (addresses.length > 50) response.writeHead(413).end();
    else result(response, request, { context: { slot: 1_000 + count }, value });
  });
  const source = sourceAt(t, node.httpUrl);
  const addresses = Array.from({ length: 95 }, (_, index) => testAddress(index));
  const reads = [addresses.slice(0, 30), addresses.slice(30, 65), addresses.slice(65)];
  const answers = await Promise.all(reads.map((read) => source.readAccounts(read)));
  assert.deepEqual(counts.toSorted(), [30, 30, 35, 95]);
  for (const [place, { accounts }] of answers.entries()) {
    assert.equal(accounts.size, reads[place]?.length);
    assert.equal(new Set([...accounts.values()].map((account) => account?.slot)).size, 1);
  }
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

test("a node that repeats a slot in the future is not served before ten seconds have passed", async (t) => {
  let slot = 100_000;
  const node = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot }, value: [null] }),
  );
  const source = sourceAt(t, node.httpUrl);
  const time = laterTime(t);
  await source.readAccounts([PROGRAM]);
  slot = 200_000;
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
  slot = 100_001;
  assert.equal((await source.readAccounts([PROGRAM])).slot, 100_001n);
  slot = 200_000;
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
  time.pass(10_000);
  assert.equal((await source.readAccounts([PROGRAM])).slot, 200_000n, "after a suspension");
});

test("another endpoint answers a read that the first refuses, or answers with something else", async (t) => {
  const error = { code: -32000, message: "upstream unavailable" };
  const ended = { code: -32000, message: "you have exceeded your monthly request limit" };
  const replies: readonly (readonly [status: number, body: (id: number) => string])[] = [
    [503, (id) => JSON.stringify({ jsonrpc: "2.0", id, error })],
    [401, (id) => JSON.stringify({ jsonrpc: "2.0", id, error })],
    [402, () => "the plan has ended"],
    [402, (id) => JSON.stringify({ jsonrpc: "2.0", id, error: ended })],
    [403, (id) => JSON.stringify({ jsonrpc: "2.0", id, error })],
    [200, () => "<html>This site is under maintenance.</html>"],
    [200, (id) => JSON.stringify({ jsonrpc: "2.0", id, result: {} })],
  ];
  for (const [status, body] of replies) {
    const first = await fakeNode(t, ({ id }, response) => response.writeHead(status).end(body(id)));
    const second = await fakeNode(t, (request, response) =>
      result(response, request, { context: { slot: 7 }, value: [null] }),
    );
    const fallbackUrls = [second.httpUrl];
    const source = sourceAt(t, first.httpUrl, { fallbackUrls });
    for (let read = 0; read < 2; read++)
      assert.equal((await source.readAccounts([PROGRAM])).slot, 7n);
    assert.equal(first.count(), 1);
  }
});

test("another endpoint answers while the first refuses every read because of its rate", async (t) => {
  let retryAfter: string | null = null;
  let isLimited = true;
  const first = await fakeNode(t, (request, response) => {
    if (!isLimited) result(response, request, { context: { slot: 6 }, value: [null] });
    else response.writeHead(429, retryAfter === null ? {} : { "retry-after": retryAfter }).end();
  });
  const second = await fakeNode(t, (request, response, count) =>
    result(response, request, { context: { slot: 6 + count }, value: [null] }),
  );
  const fallbackUrls = [second.httpUrl];
  const source = sourceAt(t, first.httpUrl, { fallbackUrls });
  const time = laterTime(t);
  const waiting = source.readAccounts([PROGRAM]);
  while (first.count() < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(second.count(), 0, "a rate is waited for");
  time.pass(5_000);
  assert.equal((await waiting).slot, 7n);
  const { count } = first;
  for (const [read, sent] of [0, 1, 1].entries()) {
    const before = count();
    assert.equal((await source.readAccounts([PROGRAM])).slot, BigInt(8 + read));
    assert.equal(count() - before, sent, "the first is tried every ten seconds");
    time.pass(10_000);
  }
  isLimited = false;
  await source.readAccounts([PROGRAM]);
  isLimited = true;
  retryAfter = "3600";
  const before = count();
  assert.equal((await source.readAccounts([PROGRAM])).slot, 11n);
  assert.equal(count() - before, 1);
});

test("replies that are not used leave the endpoint that sent them, not the one in use by then", async (t) => {
  const both = Promise.withResolvers<void>();
  let isAhead = false;
  let late = 0;
  const first = await fakeNode(t, (request, response) => {
    const send = (slot: number) => result(response, request, { context: { slot }, value: [null] });
    if (!isAhead) send(100_000);
    else void both.promise.then(() => send(200_000));
    if (isAhead && ++late === 2) both.resolve();
  });
  const second = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot: 100_001 }, value: [null] }),
  );
  const source = sourceAt(t, first.httpUrl, { fallbackUrls: [second.httpUrl] });
  await source.readAccounts([PROGRAM]);
  isAhead = true;
  const reads = [source.readAccounts([PROGRAM])];
  while (late === 0) await new Promise((resolve) => setImmediate(resolve));
  reads.push(source.readAccounts([PROGRAM]));
  for (const { slot } of await Promise.all(reads)) assert.equal(slot, 100_001n);
  assert.equal(late, 2, "each reply far ahead was followed by one of the other endpoint");
});

test("another endpoint answers while the first has stopped and still replies", async (t) => {
  let slot = 100;
  const first = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot: Math.min(slot, 110) }, value: [null] }),
  );
  const second = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot }, value: [null] }),
  );
  const fallbackUrls = [second.httpUrl];
  const source = sourceAt(t, first.httpUrl, { fallbackUrls });
  const time = laterTime(t);
  const served = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++, slot += 2) {
      assert.equal((await source.readAccounts([PROGRAM])).slot, BigInt(slot));
      time.pass(1_000);
    }
  };
  await served(6);
  for (; slot < 144; slot += 2, time.pass(1_000)) await source.readAccounts([PROGRAM]);
  const before = first.count();
  await served(60);
  assert.ok(first.count() - before <= 6, "the first is tried every ten seconds");
});

test("a read that every endpoint refuses for its plan is asked of each once", async (t) => {
  const nodes = [1, 2].map(() =>
    fakeNode(t, (_request, response) => response.writeHead(402).end()),
  );
  const [first, second] = await Promise.all(nodes);
  assert.ok(first !== undefined && second !== undefined);
  const fallbackUrls = [second.httpUrl];
  const source = sourceAt(t, first.httpUrl, { fallbackUrls });
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
  assert.deepEqual([first.count(), second.count()], [1, 1]);
});

test("a read that every endpoint answers with something else is asked of them in turn, until it is given up", async (t) => {
  const nodes = [1, 2].map(() => fakeNode(t, (_request, response) => response.end("<html>")));
  const [first, second] = await Promise.all(nodes);
  assert.ok(first !== undefined && second !== undefined);
  const fallbackUrls = [second.httpUrl];
  const source = sourceAt(t, first.httpUrl, { fallbackUrls });
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
  assert.deepEqual([first.count(), second.count()], [2, 1]);
});

test("a search that a node refuses with a server's status moves no other call to another endpoint", async (t) => {
  const first = await fakeNode(t, (request, response) => {
    if (request.method === "getMultipleAccounts") {
      result(response, request, { context: { slot: 5 }, value: [null] });
      return;
    }
    response.writeHead(503);
    refuse(response, request, -32000, "the search is too heavy");
  });
  const second = await fakeNode(t, (request, response) =>
    result(response, request, { context: { slot: 7 }, value: [null] }),
  );
  const fallbackUrls = [second.httpUrl];
  const source = sourceAt(t, first.httpUrl, { fallbackUrls });
  const searched = await source.searchAccounts({ programId: PROGRAM, dataSize: null, memcmp: [] });
  assert.equal(searched.kind, "refused");
  const searches = second.count();
  assert.equal((await source.readAccounts([PROGRAM])).slot, 5n);
  assert.equal(second.count(), searches, "only the search was asked of it");
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
