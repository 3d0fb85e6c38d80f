import assert from "node:assert/strict";
import { test } from "node:test";
import { recentUpgrades } from "./recent-upgrades.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");

test("upgrades of the last day are shown, the last one first", () => {
  const venue = (program: string, upgrade_seen_at: string | null) => ({
    program,
    deployment: { upgrade_seen_at },
  });
  const told = recentUpgrades(
    [
      venue("never", null),
      venue("yesterday", "2026-11-20T12:00:00.001Z"),
      venue("today", "2026-11-21T11:00:00.000Z"),
      venue("long ago", "2026-11-20T12:00:00.000Z"),
    ],
    NOW,
  );
  assert.deepEqual(
    told.map(({ program }) => program),
    ["today", "yesterday"],
  );
});
