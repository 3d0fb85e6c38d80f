import assert from "node:assert/strict";
import { test } from "node:test";
import { countsByReason } from "./counts-by-reason.ts";
import type { Accuracy } from "./use-accuracy.ts";

const NONE = { seen: 0, replayed: 0, exact: 0, within_1bp: 0, worst_bps: null, skipped: {} };

test("each reason of a program is a line of the window asked for, the commonest first, and none is made up", () => {
  const venue = (program: string, skipped: Record<string, number>) => ({
    program,
    deployed_slot: null,
    deployment: { state: "unknown", upgrade_seen_at: null } as const,
    executed: null,
    windows: { hour: { ...NONE, skipped }, day: NONE, month: NONE },
  });
  const venues: Accuracy["venues"] = [
    venue("pumpswap", { "old-event": 1, "exact-out": 7, "clock-unknown": 0 }),
    venue("raydium-clmm", {}),
  ];
  assert.deepEqual(countsByReason(venues, "hour"), [
    { program: "pumpswap", reason: "exact-out", count: 7 },
    { program: "pumpswap", reason: "old-event", count: 1 },
  ]);
  assert.deepEqual(countsByReason(venues, "day"), []);
});
