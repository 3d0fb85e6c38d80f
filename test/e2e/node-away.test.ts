import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#src/store/connection/database.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter, Endings } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { startTestService } from "#test/support/processes/service.ts";

const STORED_WITHIN_MS = 30_000;

test("after kill -9, with the node away since, a token's newest stored answer is served with its own slot and time", async (t) => {
  const place = sqlitePlace(t);
  const reach = new Endings();
  closeAfter(t, () => reach.close());
  const node = await startDemoNode(reach);
  const mint = node.market.namedTokens[0]?.mint;
  const ask = async (url: string) => {
    const answer = await fetch(`${url}/api/token/${mint}/exitability`);
    const slot = Number(answer.headers.get("x-state-slot"));
    return {
      status: answer.status,
      slot,
      body: (await answer.json()) as { updated_at: string; confianza: string },
    };
  };

  const first = await startTestService(t, place, node.environment);
  const live = await ask(first.url);
  assert.equal(live.status, 200);
  const store = openDatabase({ ...place, access: "visitor" });
  const storedSlot = await eventually(
    "an answer on disk",
    async () => {
      const [row] = await store.db.selectFrom("stored_answers").select("slot").limit(1).execute();
      return row === undefined ? null : Number(row.slot);
    },
    STORED_WITHIN_MS,
  );
  await store.close();
  await first.kill();
  const killedAtMs = Date.now();
  await reach.close();

  const again = await startTestService(t, place, node.environment);
  const stored = await ask(again.url);
  assert.equal(stored.status, 200);
  assert.ok(stored.slot >= storedSlot);
  assert.ok(
    Date.parse(stored.body.updated_at) <= killedAtMs,
    "the time of the state, not of the answer",
  );
  assert.notEqual(stored.body.confianza, "alta");
});
