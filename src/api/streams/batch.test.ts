import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { NO_OBJECTS, oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";

const PATH = "/api/exitability/batch";
const UNKNOWN = "So11111111111111111111111111111111111111113";

const markets = someMarkets((mint) => {
  if (mint === SOME_MINT) return someSnapshot();
  return { kind: mint === UNKNOWN ? "unavailable" : "not-found", mint };
});

function mintsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, place) => `${SOME_MINT.slice(0, -3)}${place + 111}`);
}

async function keyOf(
  app: TestApp,
  tier: "free" | "degen" | "pro",
): Promise<Record<string, string>> {
  const { cookie, origin } = await app.signIn(`${tier}@example.com`);
  const { user_id } = (await app.send("GET", "/api/account/me", { headers: { cookie } })).json();
  await app.store.db.updateTable("users").set({ tier }).where("id", "=", user_id).execute();
  const issued = await app.send("POST", "/api/account/keys", { headers: { cookie, origin } });
  return { "x-api-key": issued.json().key };
}

test("each token has its own outcome, in the order asked, as its own request would", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const mints = [UNKNOWN, SOME_MINT, "nonsense", WSOL, SOME_MINT];
      const answer = await send("POST", PATH, { payload: { mints, size: 5 } });
      const { items } = answer.json();
      const outcomes = items.map((item: Record<string, unknown>) => [
        item["status"],
        item["error"],
      ]);
      assert.deepEqual(outcomes, [
        [503, "chain_unavailable"],
        [200, null],
        [404, "not_found"],
        [404, "not_found"],
      ]);
      const alone = await send("GET", `/api/token/${SOME_MINT}/exitability?size=5`);
      assert.deepEqual(items[1].exitability, alone.json());
      // Of four tokens the one unreachable and the one that is not an address were given back.
      assert.equal(answer.headers["x-ratelimit-remaining"], "3");
      assert.equal(alone.headers["x-ratelimit-remaining"], "2");
    },
    { markets },
  );
});

test("with a daily gate every token is a query, and those beyond it have status 429", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const payload = { mints: mintsOf(7) };
      const first = await send("POST", PATH, { payload });
      const statuses = first.json().items.map(({ status }: { status: number }) => status);
      assert.deepEqual(statuses, [404, 404, 404, 404, 404, 429, 429]);
      const second = await send("POST", PATH, { payload });
      assert.equal(second.statusCode, 429);
      assert.equal(second.headers["retry-after"], "86400");
      assert.equal(second.json().used, 5);
    },
    { markets },
  );
});

test("without one every ten known tokens are a query, all of them or none", async (t) => {
  await oneApp(
    t,
    async (app) => {
      const headers = await keyOf(app, "pro");
      const ask = (tokens: number) =>
        app.send("POST", PATH, { headers, payload: { mints: mintsOf(tokens) } });
      assert.equal((await ask(11)).headers["x-ratelimit-remaining"], "598");
      for (let batch = 0; batch < 59; batch++) assert.equal((await ask(100)).statusCode, 200);
      const refused = await ask(100);
      assert.equal(refused.statusCode, 429);
      assert.equal(refused.headers["x-ratelimit-remaining"], "8", "what was taken is given back");
      assert.equal(refused.json().used, 592);
      assert.match(refused.json().message, /592 of 600 .* this takes 10/);
      assert.equal((await ask(80)).headers["x-ratelimit-remaining"], "0");
    },
    { markets: { ...markets, latest: (mint) => ({ kind: "not-found", mint }) } },
  );
});

test("S3: without one each token that has to be loaded first is a query", async (t) => {
  await oneApp(
    t,
    async (app) => {
      const headers = await keyOf(app, "degen");
      const ask = () => app.send("POST", PATH, { headers, payload: { mints: mintsOf(100) } });
      assert.ok(Number((await ask()).headers["x-ratelimit-remaining"]) < 60);
      assert.equal((await ask()).statusCode, 429);
    },
    { markets },
  );
});

test("a wrong key is refused before what is wrong with the body, and every refusal says what is left", async (t) => {
  await oneApp(t, async ({ app }) => {
    const json = { "content-type": "application/json" };
    const ask = (headers: Record<string, string>, payload: string) =>
      app.inject({ method: "POST", url: PATH, headers, payload });
    for (const [headers, payload, status] of [
      [json, "{", 400],
      [{ "content-type": "text/plain" }, "x", 415],
      [json, `{"mints":["${"x".repeat(20_000)}"]}`, 413],
    ] as const) {
      const wrong = await ask(headers, payload);
      assert.equal(wrong.statusCode, status);
      assert.equal(wrong.headers["x-ratelimit-remaining"], "5");
      const stranger = await ask({ ...headers, "x-api-key": "exi_nothing" }, payload);
      assert.deepEqual(refusal(stranger), [401, "unauthorized"]);
    }
  });
});

test("a token that fails on our side fails alone, and is given back", async (t) => {
  const [broken = ""] = mintsOf(1);
  const onlyOneFails = someMarkets((mint) => {
    if (mint === broken) throw new TypeError("a bug");
    return someSnapshot();
  });
  await oneApp(
    t,
    async ({ send }) => {
      const answer = await send("POST", PATH, { payload: { mints: [broken, SOME_MINT] } });
      const [failed, measured] = answer.json().items;
      assert.deepEqual([failed.status, failed.error], [500, "server_error"]);
      assert.equal(measured.status, 200);
      assert.equal(answer.headers["x-ratelimit-remaining"], "4");
    },
    { markets: onlyOneFails },
  );
});

test("a batch that fails on our side, whole, takes no query", async (t) => {
  const broken = someMarkets(() => {
    throw new TypeError("a bug");
  });
  await oneApp(
    t,
    async ({ send }) => {
      const failed = await send("POST", PATH, { payload: { mints: mintsOf(3) } });
      assert.deepEqual(refusal(failed), [500, "server_error"]);
      assert.equal(failed.headers["x-ratelimit-remaining"], "5");
      const stream = await send("GET", `/api/token/${SOME_MINT}/exitability/stream`);
      assert.deepEqual(refusal(stream), [500, "server_error"]);
      assert.equal(stream.headers["x-ratelimit-remaining"], "5");
    },
    { markets: broken },
  );
});

test("a size that a program has computed is taken to its last digit", async (t) => {
  await oneApp(t, async ({ send }) => {
    const size = 0.1 + 0.2;
    const response = await send("POST", PATH, { payload: { mints: [SOME_MINT], size } });
    const [item] = response.json().items;
    assert.equal(item.exitability.slippage.size_requested, size);
    assert.equal(item.exitability.slippage.size_used, 0.5);
  });
});

test("a wrong key, body, profile or size is refused with its code, and nothing is counted", async (t) => {
  await oneApp(t, async ({ send }) => {
    const wrong: readonly (readonly [object, string])[] = [
      [{}, "invalid_body"],
      [{ mints: [] }, "invalid_body"],
      [{ mints: mintsOf(101) }, "invalid_body"],
      [{ mints: SOME_MINT }, "invalid_body"],
      [{ mints: [7] }, "invalid_body"],
      [{ mints: [SOME_MINT], profile: "whale" }, "invalid_profile"],
      [{ mints: [SOME_MINT], size: 0 }, "invalid_size"],
      [{ mints: [SOME_MINT], size: "1" }, "invalid_size"],
    ];
    for (const [payload, code] of wrong) {
      const response = await send("POST", PATH, { payload });
      assert.deepEqual(refusal(response), [400, code], JSON.stringify(payload));
      assert.equal(response.headers["x-ratelimit-remaining"], "5");
    }
    for (const [what, payload, expected] of NO_OBJECTS) {
      const headers = { "content-type": "application/json" };
      const response = await send("POST", PATH, { payload, headers });
      assert.equal(response.statusCode, expected[0], what);
    }
    const headers = { "x-api-key": "exi_nothing" };
    assert.deepEqual(refusal(await send("POST", PATH, { headers, payload: {} })), [
      401,
      "unauthorized",
    ]);
  });
});
