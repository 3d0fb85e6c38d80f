import assert from "node:assert/strict";
import { test } from "node:test";
import {
  askAgain,
  askAllEndpoints,
  askMain,
  type Question,
  type ToldAnswer,
} from "#bench/answers/answers-of-service.ts";
import { startDemoNode } from "#test/support/chain/demo-node.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { demoMint } from "#test/support/processes/dashboard.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { subscribe } from "#test/support/processes/subscriber.ts";

// `npm run answers` does the same with 500 answers.
const QUESTIONS: readonly Question[] = ["Steady", "Three", "Quiet", "Buck"].flatMap((word) => [
  { mint: demoMint(word), profile: "retail", size: "5" },
  { mint: demoMint(word), profile: "pro", size: "10" },
]);

test("a running service says one thing", async (t) => {
  const node = await startDemoNode(t);
  const place = sqlitePlace(t);
  const environment = { ACCOUNTS_DIR: "", ...node.environment };
  const service = await startTestService(t, place, environment);
  const { apiKey } = await subscribe(service, place, "bo@example.com");
  const asked = { url: service.url, keys: [apiKey] };

  await t.test("case 12: main, /at, batch and stream agree in lamports", async () => {
    for (const question of QUESTIONS) {
      assert.deepEqual(await askAllEndpoints(asked, question, 0), { kind: "same" });
    }
  });

  await t.test("case 10: an answer asked by its slot is the same bytes or not stored", async () => {
    const told: ToldAnswer[] = [];
    for (const question of QUESTIONS) told.push(await askMain(asked, question, 0));
    const allAgain = async (url: string) => {
      for (const answer of told) {
        const again = await askAgain({ ...asked, url }, answer, 0);
        assert.ok(again === "identical" || again === "not-stored", again);
      }
    };
    await allAgain(service.url);
    await service.kill();
    const restarted = await startTestService(t, place, environment);
    await allAgain(restarted.url);
  });
});
