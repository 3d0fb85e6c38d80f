import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FAST_RETRY,
  fakeNode,
  isUnavailable,
  result,
  sourceAt,
} from "#test/support/chain/fake-rpc-node.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { CallPacer } from "./call-pacer.ts";
import { createJsonRpcClient } from "./json-rpc-client.ts";

const PROGRAM = testAddress(1);

test("another endpoint answers while the first does not, unless it is of another chain", async (t) => {
  const answering = (slot: number, hash: string) =>
    fakeNode(t, (request, response) =>
      request.method === "getGenesisHash"
        ? result(response, request, hash)
        : result(response, request, { context: { slot }, value: [null] }),
    );
  const second = await answering(7, "main");
  const fallbackUrls = [second.httpUrl];
  const absent = sourceAt(t, "http://127.0.0.1:9", { fallbackUrls });
  assert.equal((await absent.readAccounts([PROGRAM])).slot, 7n);
  let isBroken = false;
  const first = await fakeNode(t, (request, response) => {
    if (isBroken) response.writeHead(500).end();
    else if (request.method === "getGenesisHash") result(response, request, "other");
    else result(response, request, { context: { slot: 6 }, value: [null] });
  });
  const source = sourceAt(t, first.httpUrl, { fallbackUrls });
  assert.deepEqual(await source.compareChains(), ["other", "main"]);
  isBroken = true;
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
});

for (const hash of ["main", "other"])
  test(`an endpoint of the chain "${hash}" that did not answer at the start is used if its chain is "main"`, async (t) => {
    let isUp = false;
    const second = await fakeNode(t, (request, response) => {
      if (!isUp) response.writeHead(500).end();
      else if (request.method === "getGenesisHash") result(response, request, hash);
      else result(response, request, { context: { slot: 7 }, value: [null] });
    });
    const first = await fakeNode(t, (request, response) => {
      if (isUp) response.writeHead(500).end();
      else result(response, request, "main");
    });
    const errors: unknown[] = [];
    const ignore = () => {};
    const error = (context: unknown) => void errors.push(context);
    const logger = { debug: ignore, info: ignore, warn: ignore, error };
    const source = sourceAt(t, first.httpUrl, { fallbackUrls: [second.httpUrl], logger });
    assert.deepEqual(await source.compareChains(), ["main", null]);
    isUp = true;
    const read = source.readAccounts([PROGRAM]);
    if (hash === "main") assert.equal((await read).slot, 7n);
    else await assert.rejects(read, isUnavailable);
    assert.equal(second.count(), 3, "asked at the start, and after its first reply");
    const { host } = new URL(second.httpUrl);
    const foreign = { host, genesis: "other", expected: "main" };
    assert.deepEqual(errors.slice(0, 1), hash === "main" ? [] : [foreign]);
  });

test("the chain of the first endpoint counts, also if another one stated its own before", async (t) => {
  let isUp = false;
  const nodeOf = (hash: string, slot: number, isDown = () => false) =>
    fakeNode(t, (request, response) => {
      if (isDown()) response.writeHead(500).end();
      else if (request.method === "getGenesisHash") result(response, request, hash);
      else result(response, request, { context: { slot }, value: [null] });
    });
  const first = await nodeOf("main", 9, () => !isUp);
  const second = await nodeOf("other", 7);
  const errors: unknown[] = [];
  const ignore = () => {};
  const error = (context: unknown) => void errors.push(context);
  const logger = { debug: ignore, info: ignore, warn: ignore, error };
  const source = sourceAt(t, first.httpUrl, { fallbackUrls: [second.httpUrl], logger });
  assert.deepEqual(await source.compareChains(), [null, "other"]);
  isUp = true;
  assert.equal((await source.readAccounts([PROGRAM])).slot, 9n);
  const { host } = new URL(second.httpUrl);
  assert.deepEqual(errors, [{ host, genesis: "other", expected: "main" }]);
});

test("an endpoint that keeps silent about its chain delays no read, and is left once it states another", async (t) => {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, "now", () => now() + passedMs);
  const asked = Promise.withResolvers<() => void>();
  let isSilent = false;
  const silent = await fakeNode(t, (request, response) => {
    if (request.method !== "getGenesisHash")
      result(response, request, { context: { slot: 7 }, value: [null] });
    else if (isSilent) asked.resolve(() => result(response, request, "other"));
    else response.writeHead(500).end();
  });
  const stating = await fakeNode(t, (request, response) => {
    if (request.method === "getGenesisHash") result(response, request, "main");
    else response.writeHead(500).end();
  });
  const left = Promise.withResolvers<void>();
  const ignore = () => {};
  const error = () => left.resolve();
  const logger = { debug: ignore, info: ignore, warn: ignore, error };
  const source = sourceAt(t, stating.httpUrl, { fallbackUrls: [silent.httpUrl], logger });
  assert.deepEqual(await source.compareChains(), ["main", null]);
  assert.equal((await source.readAccounts([PROGRAM])).slot, 7n);
  isSilent = true;
  passedMs += 61_000;
  const reading = source.readAccounts([PROGRAM]);
  const state = await asked.promise;
  assert.equal((await reading).slot, 7n);
  state();
  await left.promise;
  await assert.rejects(source.readAccounts([PROGRAM]), isUnavailable);
});

test("the rate that a refusing endpoint taught does not slow down the calls to the next one", async (t) => {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, "now", () => now() + passedMs);
  const pacer = new CallPacer({ firstIntervalMs: 0, longestIntervalMs: 500, isBurst: true });
  const intervals: number[] = [];
  const first = await fakeNode(t, (_, response) => {
    // From the third refusal on, the endpoint has refused every read for five seconds.
    if (first.count() === 3) passedMs += 5_000;
    intervals.push(pacer.intervalMs);
    response.writeHead(429).end();
  });
  const second = await fakeNode(t, (request, response) => {
    intervals.push(pacer.intervalMs);
    result(response, request, null);
  });
  const client = createJsonRpcClient({
    urls: [first.httpUrl, second.httpUrl],
    ...{ clock: { nowMs: () => 0 }, random: () => 0.5, retry: FAST_RETRY },
  });
  const call = { method: "getMultipleAccounts", params: [], timeoutMs: 4_000, pacer };
  await client.call({ ...call, deadlineMs: 60_000 }, () => null);
  assert.equal(first.count(), 3);
  assert.ok((intervals[2] ?? 0) >= 50, `${intervals}`);
  assert.equal(intervals[3], 0);
});
