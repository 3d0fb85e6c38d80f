import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases/databases.ts";
import {
  claimSignInRequests,
  deleteOldCodesSent,
  finishSignInRequest,
  postponeSignInRequest,
  requestSignIn,
  spendCode,
} from "./sign-in-requests.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const requestOf = (email: string) => ({
  email,
  asker: "asker",
  address: null,
  isFromKnownBrowser: false,
});
const claim = { limit: 10, leaseMs: MINUTE };

test("one address gets at most one code a minute and five an hour", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const sentAtMinutes: number[] = [];
    for (let minute = 0; minute <= 2 * 60; minute++) {
      for (const ms of [minute * MINUTE, minute * MINUTE + 1, (minute + 1) * MINUTE - 1])
        if (await spendCode(db, "a@example.com", NOW + ms)) sentAtMinutes.push(ms / MINUTE);
    }
    assert.deepEqual(sentAtMinutes, [0, 1, 2, 3, 4, 60, 61, 62, 63, 64, 120]);
    assert.equal(await spendCode(db, "b@example.com", NOW), true);
  });
});

test("parallel requests for one address send one code", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const sent = await Promise.all(
      Array.from({ length: 30 }, () => spendCode(db, "a@example.com", NOW)),
    );
    assert.equal(sent.filter(Boolean).length, 1);
  });
});

test("deleteOldCodesSent keeps the times that still limit", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await spendCode(db, "a@example.com", NOW);
    await deleteOldCodesSent(db, NOW + 3_599_999);
    assert.equal(await spendCode(db, "a@example.com", NOW + MINUTE - 1), false);
    await deleteOldCodesSent(db, NOW + 3_600_001);
    assert.deepEqual(await db.selectFrom("codes_sent").selectAll().execute(), []);
  });
});

test("a request is claimed once, and is due again if its claimant dies", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    await requestSignIn(store.db, requestOf("a@example.com"), NOW);
    await requestSignIn(store.db, requestOf("b@example.com"), NOW);
    const [first, second] = await Promise.all([
      claimSignInRequests(store, { ...claim, nowMs: NOW }),
      claimSignInRequests(store, { ...claim, nowMs: NOW }),
    ]);
    const claimed = [...first, ...second];
    assert.deepEqual(claimed.map(({ email }) => email).sort(), ["a@example.com", "b@example.com"]);
    assert.ok(claimed.every(({ attempts }) => attempts === 0));
    const [a] = claimed;
    if (a !== undefined) await finishSignInRequest(store.db, a.id);
    assert.deepEqual(await claimSignInRequests(store, { ...claim, nowMs: NOW + 59_999 }), []);
    const again = await claimSignInRequests(store, { ...claim, nowMs: NOW + MINUTE });
    assert.deepEqual(
      again.map(({ attempts }) => attempts),
      [1],
    );
  });
});

test("a postponed request is not due before its time", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    await requestSignIn(store.db, requestOf("a@example.com"), NOW);
    const [request] = await claimSignInRequests(store, { ...claim, nowMs: NOW });
    assert.ok(request);
    await postponeSignInRequest(store.db, request.id, NOW + 5 * MINUTE);
    assert.deepEqual(await claimSignInRequests(store, { ...claim, nowMs: NOW + 2 * MINUTE }), []);
    const due = await claimSignInRequests(store, { ...claim, nowMs: NOW + 5 * MINUTE });
    assert.equal(due.length, 1);
  });
});
