import assert from "node:assert/strict";
import { test } from "node:test";
import { eachApp, NO_OBJECTS, oneApp, refusal } from "#test/support/api/app.ts";

const URL = "/api/oracle/waitlist";
const JSON_TYPE = { "content-type": "application/json" };

test("the waitlist keeps an address once, and answers a repeated one the same", async (t) => {
  await eachApp(t, async ({ send, store }) => {
    const first = await send("POST", URL, { payload: { email: "ana@example.com" } });
    assert.equal(first.statusCode, 201);
    assert.equal(first.json().status, "waitlisted");
    assert.equal(typeof first.json().message, "string");
    const again = await send("POST", URL, {
      payload: { email: "ANA@example.com", origen: "landing" },
    });
    assert.deepEqual([again.statusCode, again.body], [201, first.body]);
    const rows = await store.db.selectFrom("waitlist").select(["email", "origen"]).execute();
    assert.deepEqual(rows, [{ email: "ana@example.com", origen: "api" }]);
  });
});

test("of parallel requests with one address one row is kept, and all succeed", async (t) => {
  await eachApp(t, async ({ send, store }) => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        send("POST", URL, { payload: { email: "ana@example.com", origen: "pro" } }),
      ),
    );
    assert.ok(answers.every(({ statusCode }) => statusCode === 201));
    assert.equal((await store.db.selectFrom("waitlist").selectAll().execute()).length, 1);
  });
});

test("the waitlist refuses what the contract refuses, and stores nothing", async (t) => {
  await oneApp(t, async ({ send, store, users }) => {
    for (const [what, payload, expected] of NO_OBJECTS) {
      users.advance(60_000);
      const response = await send("POST", URL, { payload, headers: JSON_TYPE });
      assert.deepEqual(refusal(response), expected, what);
    }
    const email = "a@example.com";
    for (const [payload, code] of [
      [{}, "invalid_email"],
      [{ email: 7 }, "invalid_email"],
      [{ email: "аna@example.com" }, "invalid_email"],
      [{ email, origen: 7 }, "invalid_body"],
      [{ email, origen: null }, "invalid_body"],
      [{ email, origen: "x".repeat(65) }, "invalid_body"],
      [{ email, origen: "a\u0000b" }, "invalid_body"],
      [{ email, origen: "a\r\nb" }, "invalid_body"],
      [{ email, origen: "\ud800" }, "invalid_body"],
      [{ email: "nobody", origen: 7 }, "invalid_email"],
    ] as const) {
      users.advance(60_000);
      const response = await send("POST", URL, { payload });
      assert.deepEqual(refusal(response), [400, code], JSON.stringify(payload));
    }
    assert.deepEqual(await store.db.selectFrom("waitlist").selectAll().execute(), []);
    const longest = await send("POST", URL, { payload: { email, origen: "ñ".repeat(64) } });
    assert.equal(longest.statusCode, 201);
  });
});

test("the waitlist is throttled by address", async (t) => {
  await oneApp(t, async ({ send }) => {
    const answers: number[] = [];
    for (let call = 0; call < 32; call++)
      answers.push((await send("POST", URL, { payload: { email: "a@b.co" } })).statusCode);
    assert.deepEqual(answers, [...Array<number>(30).fill(201), 429, 429]);
  });
});
