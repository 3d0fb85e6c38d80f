import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { oneApp, type TestApp } from "#test/support/api/app.ts";
import { changingMarket, openStream } from "#test/support/api/exitability-streams.ts";
import { PATIENCE_MS } from "#test/support/eventually.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";

const HOUR_MS = 3_600_000;
const CHECKED_WITHIN_MS = 30_000;
const STREAM = `/api/token/${SOME_MINT}/exitability/stream`;
const ALERTS = "/api/account/alerts/stream";

/** The app with a clock for its timers as well, listening. */
function listening(t: TestContext, suite: (app: TestApp, base: string) => Promise<void>) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const start = async (app: TestApp) =>
    suite(app, await app.app.listen({ port: 0, host: "127.0.0.1" }));
  return oneApp(t, start, { markets: changingMarket().markets });
}

const reading = (url: string, headers: Record<string, string>) =>
  fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });

test("a stream ends within half a minute after its rotated key has expired, others go on", async (t) => {
  await listening(t, async ({ send, signIn, users }, base) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const headers = { cookie, origin };
    const old = (await send("POST", "/api/account/keys", { headers })).json();
    const fresh = (await send("POST", "/api/account/keys/rotate", { headers })).json();
    users.advance(24 * HOUR_MS - 1);
    const expiring = await reading(base + STREAM, { "x-api-key": old.key });
    const current = await openStream(t, base + STREAM, { "x-api-key": fresh.key });
    await current.next();
    users.advance(1);
    t.mock.timers.tick(CHECKED_WITHIN_MS);
    assert.match(await expiring.text(), /^event: exitability/);
    assert.equal((await current.next()).event, "heartbeat");
    current.close();
  });
});

for (const [kind, credentials] of [
  ["cookie", ({ cookie }) => ({ cookie })],
  ["access token", ({ accessToken }) => ({ authorization: `Bearer ${accessToken}` })],
] as const satisfies readonly (readonly [
  string,
  (of: Awaited<ReturnType<TestApp["signIn"]>>) => Record<string, string>,
])[])
  test(`streams of answers and of alerts end within half a minute after their session, by ${kind}`, async (t) => {
    await listening(t, async ({ signIn, users }, base) => {
      const headers = credentials(await signIn("ana@example.com"));
      const answers = await reading(base + STREAM, headers);
      const alerts = await reading(base + ALERTS, headers);
      users.advance(400 * 24 * HOUR_MS);
      t.mock.timers.tick(CHECKED_WITHIN_MS);
      assert.match(await answers.text(), /^event: exitability/);
      assert.match(await alerts.text(), /^event: heartbeat/);
    });
  });

test("while keys can't be read, a stream goes on", async (t) => {
  await listening(t, async ({ send, signIn, users }, base) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const headers = { cookie, origin };
    const { key } = (await send("POST", "/api/account/keys", { headers })).json();
    const stream = await openStream(t, base + STREAM, { "x-api-key": key });
    await stream.next();
    const checked = Promise.withResolvers<void>();
    t.mock.method(users.apiKeys, "isValid", async () => {
      checked.resolve();
      throw new Error("connection terminated");
    });
    t.mock.timers.tick(CHECKED_WITHIN_MS);
    await checked.promise;
    for (const _ of [1, 2]) assert.equal((await stream.next()).event, "heartbeat");
    t.mock.timers.tick(CHECKED_WITHIN_MS / 2);
    assert.equal((await stream.next()).event, "heartbeat");
    stream.close();
  });
});

test("a stream of alerts lives as long as its session, whichever key came with it", async (t) => {
  await listening(t, async ({ send, signIn, users }, base) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const { key } = (
      await send("POST", "/api/account/keys", { headers: { cookie, origin } })
    ).json();
    const withInvalid = await openStream(t, base + ALERTS, { cookie, "x-api-key": "mistyped" });
    for (const _ of [1, 2]) {
      t.mock.timers.tick(CHECKED_WITHIN_MS);
      for (const __ of [1, 2]) assert.equal((await withInvalid.next()).event, "heartbeat");
    }
    const withValid = await reading(base + ALERTS, { cookie, "x-api-key": key });
    users.advance(400 * 24 * HOUR_MS);
    t.mock.timers.tick(CHECKED_WITHIN_MS);
    assert.match(await withValid.text(), /^event: heartbeat/);
    withInvalid.close();
  });
});
