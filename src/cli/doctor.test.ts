import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type NodeProbe, probeNode } from "#src/chain/probe-node.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { testAddress } from "#test/support/test-accounts.ts";
import { problemsOf, reportOf } from "./doctor.ts";

const START = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

async function probed(t: TestContext): Promise<NodeProbe> {
  const node = createLocalNode({ ledger: new Ledger(START) });
  t.after(() => node.close());
  const filter = { programId: testAddress(1), dataSize: 100, memcmp: [] };
  return await probeNode({
    ...(await node.listen()),
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

test("the doctor names what will not work", () => {
  const refused = { outcome: "refused", reason: "HTTP 403", ms: 40 } as const;
  const probe: NodeProbe = {
    genesis: MAINNET,
    calls: [{ what: "getTokenLargestAccounts", ...refused }],
    searches: [{ what: "meteora-dbc", ...refused }],
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

test("of a node that answers nothing, the doctor prints one sentence with the reason", () => {
  const failed = { outcome: "failed", reason: "the node can't be reached", ms: 1 } as const;
  const probe: NodeProbe = {
    genesis: null,
    calls: [{ what: "getTokenLargestAccounts", ...failed }],
    searches: [{ what: "meteora-dbc", ...failed }],
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
