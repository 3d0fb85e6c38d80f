import assert from "node:assert/strict";
import { test } from "node:test";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import type { Store } from "#src/store/schema.ts";
import { alertsOfUser, type NewUserAlert, sumGrades } from "#src/store/user-alerts.ts";
import { setSeenSides } from "#src/store/watchlist.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { SILENT_LOG } from "#test/support/failure-loggers.ts";
import { marketOf, poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { scriptedMarkets } from "#test/support/markets/scripted-markets.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { recordUserAlerts } from "#test/support/users/user-alerts.ts";
import { someUser, watch } from "#test/support/users/watching-users.ts";
import { Grading } from "./grading.ts";

const MINT = poolAddress(700);
const SIZE = 5_000_000_000n;
const MINUTE_MS = 60_000;

const marketWith = (sol: number): Market => marketOf([poolOfSol(sol)], { mint: MINT });

/** An alert of five SOL in a pool of `atAlertSol`, graded as time goes on. */
async function scene(store: Store, change: Partial<NewUserAlert>, atAlertSol = 40) {
  let nowMs = 1_800_000_000_000;
  const userId = await someUser(store, "ana@example.com");
  const entryId = await watch(store, userId, { mint: MINT, sizeSol: 5 });
  await setSeenSides(store.db, [
    { entryId, sizeLamports: SIZE, isHigh: false, isBlockReported: null },
  ]);
  const scripted = scriptedMarkets({ nowMs: () => nowMs });
  const exit = exitAt(marketWith(atAlertSol), SIZE, "retail");
  assert.ok(exit.kind === "sold");
  const alert: NewUserAlert = {
    dedupe: `test/${nowMs}`,
    entryId,
    userId,
    mint: MINT,
    tokenName: null,
    tokenSymbol: null,
    sizeLamports: SIZE,
    kind: "deterioration",
    cause: "sold",
    share: 1,
    causes: null,
    slot: 1n,
    slippagePct: { before: 5, after: exit.slippagePct },
    c10Sol: { before: 10, after: 4 },
    depthSol: { before: null, after: null },
    position: { baseUnits: exit.baseUnitsSold, paidLamports: exit.paidLamports },
    sinceMs: nowMs,
    ...change,
  };
  await recordUserAlerts(store, [alert], { nowMs, newUid: () => "msg_1" });
  const grading = new Grading({
    store,
    markets: scripted.markets,
    clock: { nowMs: () => nowMs },
    log: SILENT_LOG,
  });
  return {
    ...scripted,
    grading,
    advance: (minutes: number) => {
      nowMs += minutes * MINUTE_MS;
    },
    grade: async () => {
      await grading.runDue();
      const [graded] = await alertsOfUser(store.db, { userId, beforeId: null, limit: 1 });
      return graded?.grade ?? null;
    },
  };
}

test("an alert is graded half an hour later: worse where C10 did not come back, and what waiting cost", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { show, grade, advance } = await scene(store, {});
    show(marketWith(20));
    advance(29);
    assert.equal(await grade(), null);
    advance(1);
    const graded = await grade();
    assert.ok(graded?.wasWorse);
    assert.ok(graded.waitedCostPct !== null && graded.waitedCostPct > 5);
    const [sum] = await sumGrades(store.db, 0);
    assert.deepEqual([sum?.kind, sum?.alerts, sum?.graded, sum?.worse], ["deterioration", 1, 1, 1]);
    assert.equal(sum?.meanWaitedCostPct, graded.waitedCostPct);
  });
});

test("an alert after which C10 came back was not worse, and waiting paid", async (t) => {
  const { show, grade, advance } = await scene(await sqliteDatabase(t), {});
  show(marketWith(200));
  advance(30);
  const graded = await grade();
  assert.equal(graded?.wasWorse, false);
  assert.ok((graded?.waitedCostPct ?? 0) < 0);
});

test("an alert at the entry's size is judged by its own threshold", async (t) => {
  for (const [sol, wasWorse] of [
    [50, true],
    [70, false],
  ] as const) {
    const { show, grade, advance } = await scene(await sqliteDatabase(t), { kind: "slippage" });
    show(marketWith(sol));
    advance(30);
    assert.equal((await grade())?.wasWorse, wasWorse, `${sol}`);
  }
});

test("a position that can't be sold any more has lost all; one that could not be then has no cost", async (t) => {
  const store = await sqliteDatabase(t);
  const { show, grade, advance } = await scene(store, { kind: "no-exit" });
  show(marketOf([], { mint: MINT }));
  advance(30);
  assert.deepEqual(await grade().then((graded) => [graded?.wasWorse, graded?.waitedCostPct]), [
    true,
    100,
  ]);
  const other = await scene(await sqliteDatabase(t), { position: null });
  other.show(marketWith(20));
  other.advance(30);
  assert.equal((await other.grade())?.waitedCostPct, null);
});

test("a size that the rule of a family forbids by now has an unknown cost", async (t) => {
  const size = 20n * SOL;
  const before = exitAt(marketWith(1_000), size, "retail");
  assert.ok(before.kind === "sold");
  const { show, grade, advance } = await scene(await sqliteDatabase(t), {
    sizeLamports: size,
    position: { baseUnits: before.baseUnitsSold, paidLamports: before.paidLamports },
  });
  const shape = { family: "other", venue: "orca-whirlpool" } as const;
  show(marketOf([poolOfSol(1_000, 0.001, shape)], { mint: MINT }));
  advance(30);
  const graded = await grade();
  assert.ok(graded !== null);
  assert.equal(graded.waitedCostPct, null);
});

test("a market without an answer leaves the alert without a grade, and is retried until the deadline", async (t) => {
  const { show, grade, advance } = await scene(await sqliteDatabase(t), {});
  advance(30);
  assert.equal(await grade(), null, "not tracked");
  show(marketOf([], { mint: MINT, isSearchComplete: false }));
  advance(2);
  assert.equal(await grade(), null, "blocked");
  show(marketWith(20));
  advance(2);
  assert.equal((await grade())?.wasWorse, true);
  const never = await scene(await sqliteDatabase(t), {});
  never.advance(5 * 60);
  assert.equal(await never.grade(), null);
  never.show(marketWith(20));
  never.advance(5);
  assert.equal(await never.grading.runDue(), 0, "given up");
});
