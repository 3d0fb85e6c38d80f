import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { addProgramDeployment, readProgramDeployments } from "./program-deployments.ts";

test("deployments are read in the order of observation, independent of their slots", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const seen = [
      { venue: "pumpswap", slot: 431_172_301n, seenAtMs: 1 },
      { venue: "orca-whirlpool", slot: 440_170_207n, seenAtMs: 2 },
      { venue: "pumpswap", slot: 431_172_300n, seenAtMs: 3 },
    ];
    for (const deployment of seen) await addProgramDeployment(db, deployment);
    assert.deepEqual(await readProgramDeployments(db), seen);
  });
});
