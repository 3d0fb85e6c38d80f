import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import {
  fakeNode,
  notFound,
  RAW_ACCOUNT,
  type Request,
  refuse,
  result,
  sourceAt,
} from "#test/support/chain/fake-rpc-node.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";

const PROGRAM = testAddress(1);
const FILTER = { programId: PROGRAM, dataSize: null, memcmp: [] };
/** An endpoint that did not answer is used again after this. */
const AVOIDED_MS = 10_000;

/** Two endpoints of one source; while the first is down, the second is in use. */
async function twoEndpoints(
  t: TestContext,
  answers: Record<"first" | "second", (request: Request, response: ServerResponse) => void>,
) {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, "now", () => now() + passedMs);
  let isDown = false;
  const first = await fakeNode(t, (request, response) => {
    if (isDown) response.destroy();
    else answers.first(request, response);
  });
  const second = await fakeNode(t, answers.second);
  const source = sourceAt(t, first.httpUrl, { fallbackUrls: [second.httpUrl] });
  const goDown = () => {
    isDown = true;
  };
  const comeBack = () => {
    isDown = false;
    passedMs += AVOIDED_MS;
  };
  return { source, first, second, goDown, comeBack };
}

function answerRead(request: Request, response: ServerResponse): void {
  const [addresses] = request.params as [unknown[]];
  result(response, request, { context: { slot: 5 }, value: addresses.map(() => null) });
}

function answerSearch(request: Request, response: ServerResponse): void {
  const accounts = [{ pubkey: testAddress(2), account: RAW_ACCOUNT }];
  const isPaged = request.method === "getProgramAccountsV2";
  const value = isPaged ? { accounts, paginationKey: null } : accounts;
  result(response, request, { context: { slot: 5 }, value });
}

test("an endpoint that allows fewer accounts in a read does not make those of another smaller", async (t) => {
  const sizes: number[] = [];
  const { source, goDown, comeBack } = await twoEndpoints(t, {
    first: (request, response) => {
      sizes.push((request.params as [unknown[]])[0].length);
      answerRead(request, response);
    },
    second: (request, response) => {
      const [addresses] = request.params as [unknown[]];
      if (addresses.length > 5) refuse(response, request, -32602, "Too many inputs; max 5");
      else answerRead(request, response);
    },
  });
  const addresses = Array.from({ length: 40 }, (_, index) => testAddress(index));
  goDown();
  assert.equal((await source.readAccounts(addresses)).accounts.size, 40);
  assert.equal(source.accountsPerCall?.(), 5);
  comeBack();
  assert.equal(source.accountsPerCall?.(), 100);
  assert.equal((await source.readAccounts(addresses)).accounts.size, 40);
  assert.deepEqual(sizes, [40]);
});

test("a search that is too heavy for one endpoint is asked of another, and leaves the reads where they were", async (t) => {
  const { source, second } = await twoEndpoints(t, {
    first: (request, response) => {
      if (request.method === "getMultipleAccounts") answerRead(request, response);
      else response.writeHead(504).end("<html>upstream timed out</html>");
    },
    second: answerSearch,
  });
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  const before = second.count();
  assert.equal((await source.readAccounts([PROGRAM])).slot, 5n);
  assert.equal(second.count(), before);
});

test("an endpoint for which a program's search is too heavy is not asked for it again while another answers", async (t) => {
  let heavy = 0;
  const { source } = await twoEndpoints(t, {
    first: (_request, response) => {
      heavy++;
      response.writeHead(504).end();
    },
    second: answerSearch,
  });
  for (let search = 0; search < 4; search++)
    assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  assert.equal(heavy, 1);
});

test("searches that one endpoint refuses are made again at another", async (t) => {
  let searches = 0;
  const { source, goDown, comeBack } = await twoEndpoints(t, {
    first: (request, response) => {
      if (request.method === "getMultipleAccounts") return answerRead(request, response);
      searches++;
      answerSearch(request, response);
    },
    second: (request, response) => {
      if (request.method === "getMultipleAccounts") answerRead(request, response);
      else response.writeHead(403).end();
    },
  });
  goDown();
  await source.readAccounts([PROGRAM]);
  assert.equal((await source.searchAccounts(FILTER)).kind, "refused");
  assert.equal(source.refusals?.().length, 1);
  comeBack();
  assert.deepEqual(source.refusals?.(), []);
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  assert.equal(searches, 1);
});

test("a search that an endpoint refuses is asked of another at once, and its reads stay", async (t) => {
  const { source, first, second } = await twoEndpoints(t, {
    first: (request, response) => {
      if (request.method === "getMultipleAccounts") answerRead(request, response);
      else response.writeHead(403).end();
    },
    second: answerSearch,
  });
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  const before = first.count();
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  assert.equal(first.count(), before);
  const searched = second.count();
  await source.readAccounts([PROGRAM]);
  assert.equal(second.count(), searched);
});

test("a search that every endpoint refuses is refused, and each is asked once", async (t) => {
  const searched = { first: 0, second: 0 };
  const refusing =
    (which: keyof typeof searched) => (request: Request, response: ServerResponse) => {
      if (request.method === "getMultipleAccounts") return answerRead(request, response);
      searched[which]++;
      response.writeHead(403).end();
    };
  const { source } = await twoEndpoints(t, {
    first: refusing("first"),
    second: refusing("second"),
  });
  for (let search = 0; search < 2; search++)
    assert.equal((await source.searchAccounts(FILTER)).kind, "refused");
  assert.equal(source.refusals?.().length, 1);
  assert.deepEqual(searched, { first: 2, second: 2 }, "in pages, and without them");
});

test("an endpoint without pages is searched without them, after one that has them", async (t) => {
  const methods: string[] = [];
  const { source, goDown, comeBack } = await twoEndpoints(t, {
    first: (request, response) => {
      methods.push(request.method);
      answerSearch(request, response);
    },
    second: (request, response) => {
      if (request.method === "getProgramAccountsV2") notFound(response, request);
      else answerSearch(request, response);
    },
  });
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  goDown();
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  comeBack();
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  assert.deepEqual(methods, ["getProgramAccountsV2", "getProgramAccountsV2"]);
});

test("holders that one endpoint does not list are asked for at another", async (t) => {
  const { source, goDown, comeBack } = await twoEndpoints(t, {
    first: (request, response) => {
      if (request.method === "getMultipleAccounts") return answerRead(request, response);
      result(response, request, { context: { slot: 5 }, value: [{ address: testAddress(3) }] });
    },
    second: (request, response) => {
      if (request.method === "getMultipleAccounts") answerRead(request, response);
      else notFound(response, request);
    },
  });
  goDown();
  await source.readAccounts([PROGRAM]);
  assert.equal((await source.findLargestAccounts(PROGRAM)).kind, "refused");
  comeBack();
  assert.equal((await source.findLargestAccounts(PROGRAM)).kind, "found");
});

test("holders that an endpoint refuses to list are asked for at another at once, and not again at the first", async (t) => {
  const { source, first } = await twoEndpoints(t, {
    first: (request, response) => {
      if (request.method === "getMultipleAccounts") answerRead(request, response);
      else response.writeHead(403).end();
    },
    second: (request, response) =>
      result(response, request, { context: { slot: 5 }, value: [{ address: testAddress(3) }] }),
  });
  for (let asked = 0; asked < 2; asked++)
    assert.equal((await source.findLargestAccounts(PROGRAM)).kind, "found");
  assert.equal(first.count(), 1);
  assert.deepEqual(source.refusals?.(), []);
});

test("holders that one endpoint refuses and another fails to list are refused, and not asked for without end", async (t) => {
  const listsNobody = (status: number) => (request: Request, response: ServerResponse) => {
    if (request.method === "getMultipleAccounts") answerRead(request, response);
    else response.writeHead(status).end();
  };
  const { source, first, second } = await twoEndpoints(t, {
    first: listsNobody(403),
    second: listsNobody(503),
  });
  for (let asked = 0; asked < 2; asked++)
    assert.equal((await source.findLargestAccounts(PROGRAM)).kind, "refused");
  assert.ok(first.count() <= 4 && second.count() <= 4, `${first.count()}, ${second.count()}`);
});

test("what one endpoint refuses is named as refused only if no other that answers serves it", async (t) => {
  let isServing = true;
  const { source } = await twoEndpoints(t, {
    first: (request, response) => {
      if (request.method === "getMultipleAccounts") answerRead(request, response);
      else notFound(response, request);
    },
    second: (request, response) => {
      if (isServing) answerSearch(request, response);
      else refuse(response, request, -32000, "this program is excluded");
    },
  });
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  assert.deepEqual(source.refusals?.(), []);
  isServing = false;
  assert.equal((await source.searchAccounts(FILTER)).kind, "refused");
  assert.deepEqual(
    source.refusals?.().map(({ programId }) => programId),
    [PROGRAM],
  );
});

test("a search of several pages that moves to another endpoint begins again there, with no page key of the first", async (t) => {
  const keys: unknown[] = [];
  const page = (place: number, key: string | null) => ({
    context: { slot: 5 },
    value: {
      accounts: [{ pubkey: testAddress(place), account: RAW_ACCOUNT }],
      paginationKey: key,
    },
  });
  const keyOf = ({ params }: Request): unknown =>
    (params[1] as Record<string, unknown>)["paginationKey"];
  const { source } = await twoEndpoints(t, {
    first: (request, response) => {
      if (keyOf(request) === undefined) result(response, request, page(2, "of the first"));
      else response.writeHead(503).end();
    },
    second: (request, response) => {
      keys.push(keyOf(request));
      result(response, request, keyOf(request) === undefined ? page(4, "own") : page(6, null));
    },
  });
  const found = await source.searchAccounts(FILTER);
  assert.ok(found.kind === "found", found.kind);
  assert.deepEqual([...found.accounts.keys()], [testAddress(4), testAddress(6)]);
  assert.deepEqual(keys, [undefined, "own"]);
});

test("a search that has moved to another endpoint does not return to the first when that answers again", async (t) => {
  const pages: unknown[] = [];
  const page = (paginationKey: string | null) => ({
    context: { slot: 5 },
    value: { accounts: [{ pubkey: testAddress(2), account: RAW_ACCOUNT }], paginationKey },
  });
  const keyOf = ({ params }: Request): unknown =>
    (params[1] as Record<string, unknown>)["paginationKey"];
  const { source, comeBack } = await twoEndpoints(t, {
    first: (request, response) => {
      pages.push(["first", keyOf(request)]);
      if (keyOf(request) === undefined) result(response, request, page("of the first"));
      else response.destroy();
    },
    second: (request, response) => {
      pages.push(["second", keyOf(request)]);
      comeBack();
      result(response, request, page(keyOf(request) === undefined ? "own" : null));
    },
  });
  assert.equal((await source.searchAccounts(FILTER)).kind, "found");
  assert.deepEqual(pages.slice(-2), [
    ["second", undefined],
    ["second", "own"],
  ]);
});
