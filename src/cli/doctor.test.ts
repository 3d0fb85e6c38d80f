import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type NodeProbe, probeNode } from "#src/chain/probe-node.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { fakeNode, refuse, result } from "#test/support/chain/fake-rpc-node.ts";
import { closeAfter } from "#test/support/ending.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { doctor, examineNodes, problemsOf, reportOf } from "./doctor.ts";

const START = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

async function probed(t: TestContext): Promise<NodeProbe> {
  const node = createLocalNode({ ledger: new Ledger(START) });
  closeAfter(t, () => node.close());
  return probedAt(await node.listen());
}

/** A probe of a node that answers each read of accounts, by their number, and each WebSocket, so. */
async function probedReads(
  t: TestContext,
  answer: (count: number) => "served" | "too many accounts" | 429,
): Promise<NodeProbe> {
  const { httpUrl } = await fakeNode(t, (request, response) => {
    if (request.method !== "getMultipleAccounts") return result(response, request, null);
    const outcome = answer((request.params[0] as readonly unknown[]).length);
    if (outcome === "served") result(response, request, { value: [] });
    else if (outcome === 429) response.writeHead(429).end();
    else refuse(response, request, -32602, outcome);
  });
  const webSockets = createServer((_, response) => response.writeHead(429).end());
  await new Promise<void>((resolve) => webSockets.listen(0, "127.0.0.1", resolve));
  closeAfter(t, () => webSockets.close());
  const { port } = webSockets.address() as AddressInfo;
  return probedAt({ httpUrl, wsUrl: `ws://127.0.0.1:${port}` });
}

async function probedAt(urls: { readonly httpUrl: string; readonly wsUrl: string }) {
  const filter = { programId: testAddress(1), dataSize: 100, memcmp: [] };
  return await probeNode({
    ...urls,
    clock: { nowMs: () => performance.now() },
    searches: [{ name: "raydium-cpmm", filter }],
    addresses: Array.from({ length: 100 }, (_, index) => testAddress(index + 10)),
  });
}

test("the doctor finds out what a node serves", async (t) => {
  const probe = await probed(t);
  assert.equal(probe.accountsPerRead, 100);
  const outcomes = [...probe.searches, ...probe.subscriptions].map(({ what, outcome }) => [
    what,
    outcome,
  ]);
  assert.deepEqual(outcomes, [
    ["raydium-cpmm", "ok"],
    ["slotSubscribe", "ok"],
    ["accountSubscribe", "ok"],
    ["logsSubscribe", "ok"],
    ["programSubscribe", "ok"],
  ]);
});

test("a 429 is named as a rate limit, and never limits the size of a read", async (t) => {
  const probe = await probedReads(t, (count) => (count === 100 ? 429 : "served"));
  assert.equal(probe.reads, "ok");
  assert.equal(probe.accountsPerRead, null);
  const problems = problemsOf({ ...probe, genesis: MAINNET });
  assert.deepEqual(problems, [
    "a read was over the node's rate limit: how many accounts one read may have is unknown; run doctor again later",
    ...["slot", "account", "logs", "program"].map(
      (kind) => `${kind}Subscribe is over the node's rate limit: whether it is served is unknown`,
    ),
  ]);
});

test("a node that refuses a size by its words has that limit", async (t) => {
  const probe = await probedReads(t, (count) => (count > 10 ? "too many accounts" : "served"));
  assert.equal(probe.accountsPerRead, 10);
  assert.match(problemsOf(probe).join("\n"), /one read has at most 10 accounts/);
});

test("a node that answers each read with 429 can't be worked with, because of its rate", async (t) => {
  const probe = await probedReads(t, () => 429);
  assert.equal(probe.reads, "rate-limited");
  assert.equal(probe.accountsPerRead, null);
  assert.match(problemsOf(probe).join("\n"), /can't be read because of the node's rate limit/);
});

test("the doctor names what will not work", () => {
  const refused = { outcome: "refused", reason: "HTTP 403", ms: 40 } as const;
  const probe: NodeProbe = {
    genesis: MAINNET,
    calls: [{ what: "getTokenLargestAccounts", ...refused }],
    searches: [{ what: "meteora-dbc", ...refused }],
    reads: "ok",
    accountsPerRead: 5,
    subscriptions: [],
  };
  const problems = problemsOf(probe).join("\n");
  assert.match(problems, /at most 5 accounts/);
  assert.match(problems, /pools of meteora-dbc can't be searched/);
  assert.match(problems, /not found by holders/);
  const whole = { ...probe, calls: [], searches: [], accountsPerRead: 100 };
  assert.deepEqual(problemsOf(whole), []);
  assert.match(problemsOf({ ...whole, genesis: "another" }).join(), /not Solana mainnet/);
});

test("the doctor examines every node, and names one of another chain than the first that states its own", async () => {
  const probe: NodeProbe = {
    genesis: MAINNET,
    ...{ calls: [], searches: [], subscriptions: [] },
    ...{ reads: "ok", accountsPerRead: 100 },
  };
  const probes = new Map<string, NodeProbe>([
    ["http://a:1/key", { ...probe, genesis: null, reads: "refused", accountsPerRead: null }],
    ["http://b:2", probe],
    ["http://c:3", { ...probe, genesis: "another" }],
  ]);
  const sockets: (string | null)[] = [];
  const [httpUrl = "", ...fallbackUrls] = probes.keys();
  const urls = { httpUrl, wsUrl: "ws://a:1", fallbackUrls };
  const examined = await Array.fromAsync(
    examineNodes(urls, async (node) => {
      sockets.push(node.wsUrl);
      return probes.get(node.httpUrl) ?? assert.fail("another node");
    }),
  );
  assert.deepEqual(sockets, ["ws://a:1", null, null]);
  const usable = examined.map(({ host, address, isUsable }) => [host, address, isUsable]);
  assert.deepEqual(usable, [
    ["a:1", 1, false],
    ["b:2", 2, true],
    ["c:3", 3, false],
  ]);
  assert.deepEqual(examined.at(-1)?.problems, [
    "the chain is another than the first node's: the service does not use this node",
    "the chain is not Solana mainnet",
  ]);
});

test("for a node that answers nothing, the doctor prints one sentence with the reason", () => {
  const failed = { outcome: "failed", reason: "the node can't be reached", ms: 1 } as const;
  const probe: NodeProbe = {
    genesis: null,
    calls: [{ what: "getTokenLargestAccounts", ...failed }],
    searches: [{ what: "meteora-dbc", ...failed }],
    reads: "refused",
    accountsPerRead: null,
    subscriptions: [{ what: "slotSubscribe", ...failed }],
  };
  assert.equal(
    reportOf("127.0.0.1:1", probe, problemsOf(probe)),
    "Node 127.0.0.1:1 answers nothing: the node can't be reached. Correct SOLANA_RPC_URL, or start the node.",
  );
  const partly = {
    ...probe,
    searches: [{ what: "meteora-dbc", ...failed, outcome: "ok" as const }],
  };
  assert.match(reportOf("127.0.0.1:1", partly, problemsOf(partly)), /What will not work:/);
});

test("the report says which of several addresses it is of: two may have one host, and no key is shown", async (t) => {
  const urls = "http://127.0.0.1:9/key-a,http://127.0.0.1:9/key-b";
  t.mock.property(process, "env", { SOLANA_RPC_URL: urls });
  const lines: string[] = [];
  const output = {
    out: (text: string) => void lines.push(text),
    err: () => assert.fail("no error"),
  };
  assert.equal(await doctor([], output), 1);
  assert.equal(await doctor(["--json"], output), 1);
  const [first = "", second = "", ...json] = lines;
  assert.match(first, /^Node 127\.0\.0\.1:9 \(address 1 of 2\) answers nothing/);
  assert.match(second, /^\nNode 127\.0\.0\.1:9 \(address 2 of 2\) answers nothing/);
  assert.deepEqual(
    json.map((line) => JSON.parse(line).address),
    [1, 2],
  );
  assert.doesNotMatch(lines.join(), /key-/);
});
