import assert from "node:assert/strict";
import { test } from "node:test";
import { Rounds } from "./rounds.ts";

const ROUND_MS = 5_000;

test("each member is visited once in a round, however far apart the calls are", () => {
  for (const everyMs of [15, 40, 250, 900]) {
    const members = new Set(Array.from({ length: 20_000 }, (_, index) => index));
    const rounds = new Rounds(members, { roundMs: ROUND_MS, leastVisits: 1 });
    const lastAtMs = new Map<number, number>();
    let longestMs = 0;
    for (let nowMs = 0; nowMs < 10 * ROUND_MS; nowMs += everyMs)
      rounds.visit(nowMs, (member) => {
        longestMs = Math.max(longestMs, nowMs - (lastAtMs.get(member) ?? nowMs));
        lastAtMs.set(member, nowMs);
        return true;
      });
    assert.equal(lastAtMs.size, members.size);
    assert.ok(longestMs <= 1.4 * ROUND_MS, `${longestMs} ms, called every ${everyMs} ms`);
  }
});

test("members that join are visited, and those that leave are not", () => {
  const members = new Set(["left", "kept"]);
  const rounds = new Rounds(members, { roundMs: ROUND_MS, leastVisits: 1 });
  const visited: string[] = [];
  const visit = () => rounds.visit(0, (member) => visited.push(member) > 0);
  visit();
  members.delete("left");
  members.add("joined");
  for (let call = 0; call < 5; call++) visit();
  assert.deepEqual(visited.slice(0, 3), ["left", "kept", "joined"]);
  assert.ok(!visited.slice(1).includes("left"));
});

test("after a long pause, or with a clock that is set back, a call does the work of a second at most", () => {
  const members = new Set(Array.from({ length: 1_000 }, (_, index) => index));
  const rounds = new Rounds(members, { roundMs: ROUND_MS, leastVisits: 1 });
  const visitsAt = (nowMs: number): number => {
    let visits = 0;
    rounds.visit(nowMs, () => ++visits > 0);
    return visits;
  };
  assert.equal(visitsAt(10_000), 1);
  assert.equal(visitsAt(90_000), 200);
  assert.equal(visitsAt(0), 1);
});

test("a call that is ended early goes on with the next member at the next call", () => {
  const rounds = new Rounds(new Set([1, 2, 3]), { roundMs: ROUND_MS, leastVisits: 3 });
  const visited: number[] = [];
  for (let call = 0; call < 2; call++)
    rounds.visit(0, (member) => {
      visited.push(member);
      return member !== 2;
    });
  assert.deepEqual(visited, [1, 2, 3]);
});

test("a call visits members also where the last one visited exactly the rest of the round", () => {
  for (const leastVisits of [1, 2, 4]) {
    const rounds = new Rounds(new Set([1, 2, 3, 4]), { roundMs: ROUND_MS, leastVisits });
    const visitsOf = Array.from({ length: 6 }, () => {
      let visits = 0;
      rounds.visit(0, () => ++visits > 0);
      return visits;
    });
    assert.deepEqual(visitsOf, Array(6).fill(leastVisits));
  }
});
