import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newUserId } from "#src/store/user-id.ts";
import { type PlannedMessage, planMessage, planMessages } from "./plan.ts";

const RULES = {
  coalesceMs: 250,
  coolDownMs: 60_000,
  burst: { messages: 3, windowMs: 60_000, gapMs: 10_000 },
} as const;
const NOW = 1_000_000;

function message(shape: Partial<PlannedMessage> & { readonly about?: readonly string[] }) {
  const { about = [], ...rest } = shape;
  return { uid: "u", isOpen: true, dueMs: NOW, mints: new Set(about), ...rest };
}

const plan = (recent: readonly PlannedMessage[], mint = "A") =>
  planMessage(recent, mint, { ...RULES, nowMs: NOW, foundAtMs: NOW });

test("the first alert goes out after the moment in which others may join it", () => {
  assert.deepEqual(plan([]), { kind: "new", dueMs: NOW + 250 });
});

test("the moment begins when the alert was found, however long its write took or whatever the clock did", () => {
  const dueAfter = (foundAtMs: number) => planMessage([], "A", { ...RULES, nowMs: NOW, foundAtMs });
  assert.deepEqual(dueAfter(NOW - 100), { kind: "new", dueMs: NOW + 150 });
  assert.deepEqual(dueAfter(NOW - 5_000), { kind: "new", dueMs: NOW });
  assert.deepEqual(dueAfter(NOW + 60_000), { kind: "new", dueMs: NOW + 250 });
});

test("an alert joins the message that waits, about its token or another", () => {
  const waiting = message({ dueMs: NOW + 100, about: ["B"] });
  assert.deepEqual(plan([waiting]), { kind: "append", to: waiting });
  const held = message({ dueMs: NOW + 50_000, about: ["A"] });
  assert.deepEqual(plan([waiting, held]), { kind: "append", to: held });
});

test("a message that is being sent takes no more, and its token waits for the cool-down", () => {
  const sent = message({ isOpen: false, dueMs: NOW - 10_000, about: ["A"] });
  assert.deepEqual(plan([sent]), { kind: "new", dueMs: NOW + 50_000 });
  assert.deepEqual(plan([sent], "B"), { kind: "new", dueMs: NOW + 250 });
  const byFastClock = message({ isOpen: false, dueMs: NOW + 3_600_000, about: ["A"] });
  assert.deepEqual(plan([byFastClock]), { kind: "new", dueMs: NOW + 60_000 });
});

test("after many messages the next one waits until the gap after the last, and takes later alerts along", () => {
  const sent = [50, 40, 3].map((seconds, index) =>
    message({ isOpen: false, dueMs: NOW - seconds * 1_000, about: [`${index}`] }),
  );
  assert.deepEqual(plan(sent), { kind: "new", dueMs: NOW + 7_000 });
  const waiting = message({ dueMs: NOW + 7_000, about: ["A"] });
  assert.deepEqual(plan([...sent, waiting], "B"), { kind: "append", to: waiting });
});

test("alerts of other tokens delay a token's first alert by the gap at most, however many they are", () => {
  const others = Array.from({ length: 40 }, (_, index) =>
    message({ isOpen: index % 2 === 0, dueMs: NOW + index * 1_400 - 50_000, about: [`${index}`] }),
  );
  const planned = plan(others);
  const dueMs = planned.kind === "new" ? planned.dueMs : planned.to.dueMs;
  assert.ok(dueMs <= NOW + 250 + RULES.burst.gapMs);
});

test("alerts about one token never overtake each other, and messages stay as rare as the rules say", () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 40_000 }),
    writeMs: fc.integer({ min: 0, max: 1_000 }),
    mint: fc.constantFrom("A", "B", "C", "D"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const messages: PlannedMessage[] = [];
      const lastDue = new Map<string, number>();
      let nowMs = NOW;
      for (const { waitMs, writeMs, mint } of steps) {
        const foundAtMs = nowMs + waitMs;
        nowMs = foundAtMs + writeMs;
        const recent = messages.map((each) => ({ ...each, isOpen: each.dueMs > nowMs }));
        const planned = planMessage(recent, mint, { ...RULES, nowMs, foundAtMs });
        const dueMs = planned.kind === "new" ? planned.dueMs : planned.to.dueMs;
        if (planned.kind === "append") planned.to.mints.add(mint);
        else {
          const { messages: allowed, windowMs, gapMs } = RULES.burst;
          const before = messages.filter((each) => each.dueMs <= dueMs).map((each) => each.dueMs);
          const isBurst = before.filter((each) => each > dueMs - windowMs).length >= allowed;
          assert.ok(!isBurst || dueMs - Math.max(...before) >= gapMs);
          messages.push(message({ dueMs, about: [mint] }));
        }
        assert.ok(dueMs >= nowMs);
        assert.ok(dueMs >= (lastDue.get(mint) ?? 0));
        lastDue.set(mint, dueMs);
      }
    }),
    { numRuns: 200 },
  );
});

test("each alert is in one message of each of its user's channels, and a queued open message takes it", () => {
  const [ana, eva] = [newUserId(), newUserId()];
  const alerts = [
    { id: 1n, userId: ana, mint: "A" },
    { id: 2n, userId: ana, mint: "B" },
    { id: 3n, userId: eva, mint: "A" },
  ];
  const targets = [
    { channelId: 10n, userId: ana },
    { channelId: 11n, userId: ana },
    { channelId: 12n, userId: eva },
  ];
  const queued = [
    { uid: "open", channelId: 11n, isOpen: true, dueMs: NOW + 100, mints: new Set(["B"]) },
  ];
  let uid = 0;
  const planned = planMessages(
    alerts,
    { targets, queued },
    { nowMs: NOW, foundAtMs: NOW, newUid: () => `m${uid++}` },
  );
  assert.deepEqual(planned.created, [
    { uid: "m0", channelId: 10n, dueMs: NOW + 100 },
    { uid: "m1", channelId: 12n, dueMs: NOW + 100 },
  ]);
  assert.deepEqual(
    planned.links.map(({ uid, alertId }) => [uid, alertId]),
    [
      ["m0", 1n],
      ["m0", 2n],
      ["open", 1n],
      ["open", 2n],
      ["m1", 3n],
    ],
  );
  assert.deepEqual([...(queued[0]?.mints ?? [])], ["B"], "the input is not changed");
});
