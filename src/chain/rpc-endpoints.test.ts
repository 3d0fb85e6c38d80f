import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeNode, isUnavailable, result, sourceAt } from "#test/support/fake-rpc-node.ts";
import { testAddress } from "#test/support/test-accounts.ts";

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
