import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { poolAddress } from "#test/support/pools/pools.ts";
import { RelayUnavailable } from "./relay-link.ts";
import { relayTopics } from "./relay-messages.ts";
import { UnansweredRequests } from "./unanswered-requests.ts";

test("the tracker has 15 s for a question, and a minute for a curve or the exits after the holders", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const link = { publish: async () => {} };
  const requests = new UnansweredRequests({ link, topics: relayTopics("test"), replica: "one" });
  const mint = poolAddress(1);
  const sale = { profile: "pro", sizeLamports: 1n } as const;
  const ended: string[] = [];
  const ends = (name: string, answer: Promise<unknown>) =>
    answer.then(
      () => void ended.push(`${name} answered`),
      (error: unknown) => {
        assert.ok(error instanceof RelayUnavailable);
        ended.push(`${name} failed`);
      },
    );
  const all = [
    ends("exit", requests.send("exit", [mint, sale])),
    ends("curve", requests.send("curve", [mint])),
    ends("late curve", requests.send("curve", [mint])),
    ends("holders", requests.send("holdersFirst", [mint])),
  ];
  t.mock.timers.tick(15_000);
  await nextTurn();
  assert.deepEqual(ended, ["exit failed"]);
  t.mock.timers.tick(44_999);
  requests.receive({ term: 1n, id: 2, answer: null });
  requests.receive({ term: 1n, id: 4, answer: null });
  await nextTurn();
  t.mock.timers.tick(1);
  await Promise.all(all);
  assert.deepEqual(ended, [
    "exit failed",
    "curve answered",
    "holders answered",
    "late curve failed",
  ]);
});
