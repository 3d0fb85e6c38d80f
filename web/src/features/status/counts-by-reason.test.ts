import assert from "node:assert/strict";
import { test } from "node:test";
import { countsByReason } from "./counts-by-reason.ts";

const NONE = { skipped: {} };

test("each reason of a program is a line of the window asked for, the commonest first, and none is made up", () => {
  const venue = (program: string, skipped: Record<string, number>) => ({
    program,
    windows: { hour: { skipped }, day: NONE, month: NONE },
  });
  const venues = [
    venue("pumpswap", { "old-event": 1, "exact-out": 7, "clock-unknown": 0 }),
    venue("raydium-clmm", {}),
  ];
  assert.deepEqual(countsByReason(venues, "hour"), [
    { program: "pumpswap", reason: "exact-out", count: 7 },
    { program: "pumpswap", reason: "old-event", count: 1 },
  ]);
  assert.deepEqual(countsByReason(venues, "day"), []);
});
