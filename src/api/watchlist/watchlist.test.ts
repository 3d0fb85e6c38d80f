import assert from "node:assert/strict";
import { test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import { exitAt, exitOn } from "#src/measure/questions/exit-at.ts";
import { parseUserId } from "#src/store/user-id.ts";
import { setUserDisabled, setUserTier } from "#src/store/users.ts";
import type { UserTier } from "#src/users/tiers.ts";
import { eachApp, NO_OBJECTS, oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { poolAddress, TOKEN } from "#test/support/pools/pools.ts";

const PATH = "/api/oracle/watchlist";
const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;
const market = marketOf([poolOfSol(100)]);
const assessed = {
  ...someSnapshot(assess(market)),
  name: "Test Token",
  symbol: "TEST",
} as const;
/** One token is measured, every other is unknown to every venue. */
const setting = {
  markets: someMarkets(
    (mint) => (mint === TOKEN ? assessed : { kind: "not-found" as const, mint }),
    { exit: async (mint, sale) => (mint === TOKEN ? exitOn(market, sale) : null) },
  ),
};

type Headers = Readonly<Record<string, string>>;

function caller({ send }: TestApp, headers: Headers) {
  return {
    list: async () => (await send("GET", PATH, { headers })).json().items,
    add: (payload: object) => send("POST", PATH, { headers, payload }),
    patch: (payload: object) => send("PATCH", PATH, { headers, payload }),
    remove: (id: unknown) => send("DELETE", `${PATH}?id=${id}`, { headers }),
  };
}

async function browser(app: TestApp, email: string, tier: UserTier = "free") {
  const { cookie, origin, accessToken } = await app.signIn(email);
  const me = await app.send("GET", "/api/account/me", { headers: { cookie } });
  const userId = parseUserId(me.json().user_id);
  assert.ok(userId);
  const setTier = async (next: UserTier) => {
    await setUserTier(app.store.db, { userId, tier: next }, app.users.clock.nowMs());
  };
  if (tier !== "free") await setTier(tier);
  return { ...caller(app, { cookie, origin }), cookie, origin, accessToken, userId, setTier };
}

test("without a session every method answers 401: API keys and forged tokens are none, an invalid body does not matter", async (t) => {
  await oneApp(t, async (app) => {
    const { cookie, origin } = await browser(app, "ana@example.com");
    const made = await app.send("POST", "/api/account/keys", { headers: { cookie, origin } });
    const [name = "", value = ""] = cookie.split("=");
    for (const method of METHODS)
      for (const headers of [
        {},
        { "x-api-key": made.json().key },
        { authorization: "Bearer nonsense" },
        { authorization: `Bearer ${made.json().key}` },
        { cookie: `${name}=${value.slice(0, -8)}AAAAAAAA`, origin },
        { "content-type": "application/json" },
      ]) {
        const payload = method === "GET" || method === "DELETE" ? {} : { payload: "{" };
        const response = await app.send(method, PATH, { headers, ...payload });
        assert.deepEqual(refusal(response), [401, "unauthorized"], `${method}`);
      }
  });
});

test("a write with the cookie from elsewhere answers 403 and writes nothing; a Bearer token needs no origin", async (t) => {
  await oneApp(
    t,
    async (app) => {
      const { cookie, origin, accessToken, list } = await browser(app, "ana@example.com");
      const payload = { mint: TOKEN };
      for (const headers of [
        { cookie },
        { cookie, origin: "https://evil.example" },
        { cookie, origin: "null" },
        { cookie, "sec-fetch-site": "cross-site" },
        { cookie, origin, "sec-fetch-site": "same-site" },
      ])
        for (const method of ["POST", "PATCH", "DELETE"] as const) {
          const response = await app.send(method, `${PATH}?id=1`, { headers, payload });
          assert.deepEqual(refusal(response), [403, "forbidden_origin"]);
        }
      assert.deepEqual(await list(), []);
      const bearer = { authorization: `Bearer ${accessToken}`, origin: "https://evil.example" };
      assert.equal((await app.send("POST", PATH, { headers: bearer, payload })).statusCode, 201);
      assert.equal((await app.send("GET", PATH, { headers: bearer })).json().items.length, 1);
      const sameSite = { cookie, "sec-fetch-site": "same-origin" };
      const removed = await app.send("DELETE", `${PATH}?id=1`, { headers: sameSite });
      assert.equal(removed.statusCode, 200);
    },
    setting,
  );
});

test("an entry is added, listed with its exit at its own size, changed and deleted", async (t) => {
  await eachApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com", "degen");
      const added = await ana.add({ mint: TOKEN, size_sol: 3.21, note: "ignored" });
      assert.equal(added.statusCode, 201);
      const { status, id } = added.json();
      assert.deepEqual([status, Number.isSafeInteger(id)], ["added", true]);
      const other = await ana.add({ mint: poolAddress(1) });
      const [first, second] = await ana.list();
      const own = exitAt(market, 3_210_000_000n, "retail");
      assert.ok(own.kind === "sold");
      const { score, exit_max_sol, depth_sol, updated_at, ...exitability } = first.exitability;
      assert.deepEqual(
        { ...first, created_at: "", exitability },
        {
          id,
          user_id: ana.userId,
          mint: TOKEN,
          size_sol: 3.21,
          alerts_enabled: true,
          created_at: "",
          exitability: {
            state: "ok",
            slippage_pct: own.slippagePct,
            trend: "stable",
            alerta_deterioro: false,
            confianza: "alta",
            calidad_dato: "suficiente",
            token_name: "Test Token",
            token_symbol: "TEST",
          },
        },
      );
      assert.match(first.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(score > 0 && exit_max_sol === 10 && depth_sol === 100 && updated_at !== null);
      assert.deepEqual([second.id, second.size_sol], [other.json().id, 1]);
      assert.equal(second.exitability.state, "not_found");
      assert.equal(second.exitability.slippage_pct, null);

      const patched = await ana.patch({ id, size_sol: 0.01, alerts_enabled: false });
      assert.deepEqual([patched.statusCode, patched.json()], [200, { status: "updated" }]);
      const [changed] = await ana.list();
      assert.deepEqual([changed.size_sol, changed.alerts_enabled], [0.01, false]);
      assert.ok(changed.exitability.slippage_pct < own.slippagePct);
      const removed = await ana.remove(id);
      assert.deepEqual([removed.statusCode, removed.json()], [200, { status: "deleted" }]);
      assert.deepEqual(refusal(await ana.remove(id)), [404, "not_found"]);
      assert.equal((await ana.list()).length, 1);
    },
    setting,
  );
});

test("bodies other than an object answer invalid_body, after 401 and before anything in them", async (t) => {
  await oneApp(t, async (app) => {
    const { cookie, origin } = await browser(app, "ana@example.com");
    const headers = { cookie, origin, "content-type": "application/json" };
    for (const method of ["POST", "PATCH"] as const)
      for (const [what, payload, expected] of NO_OBJECTS)
        assert.deepEqual(
          refusal(await app.send(method, PATH, { headers, payload })),
          expected,
          what,
        );
  });
});

test("each error of a new entry has its own code, the mint before the size", async (t) => {
  await oneApp(t, async (app) => {
    const { add, list } = await browser(app, "ana@example.com");
    for (const mint of [undefined, null, 7, "", "abc", "1234567890", `1${TOKEN}1`, "0".repeat(44)])
      for (const extra of [{}, { size_sol: "x" }])
        assert.deepEqual(refusal(await add({ mint, ...extra })), [400, "invalid_mint"]);
    for (const size_sol of [0, 0.0099, 1000.0001, -1, "1", null, true, [], {}, 1e300])
      assert.deepEqual(refusal(await add({ mint: TOKEN, size_sol })), [400, "invalid_size"]);
    assert.deepEqual(await list(), []);
  });
});

test("an invalid change is refused before the entry is searched", async (t) => {
  await oneApp(t, async (app) => {
    const { patch, remove } = await browser(app, "ana@example.com");
    for (const id of [undefined, null, "1", 1.5, true, {}, 1e300])
      assert.deepEqual(refusal(await patch({ id, size_sol: 1 })), [400, "invalid_body"]);
    for (const [change, expected] of [
      [{}, [400, "no_changes"]],
      [{ size: 5, mint: TOKEN }, [400, "no_changes"]],
      [{ size_sol: 0 }, [400, "invalid_size"]],
      [{ size_sol: "2" }, [400, "invalid_size"]],
      [{ size_sol: null }, [400, "invalid_size"]],
      [{ alerts_enabled: "true" }, [400, "invalid_body"]],
      [{ alerts_enabled: 1 }, [400, "invalid_body"]],
      [{ alerts_enabled: null }, [400, "invalid_body"]],
      [{ alerts_enabled: true, size_sol: 2_000 }, [400, "invalid_size"]],
      [{ size_sol: 1 }, [404, "not_found"]],
    ] as const)
      assert.deepEqual(
        refusal(await patch({ id: 77, ...change })),
        expected,
        JSON.stringify(change),
      );
    for (const id of ["", "x", "-1", "1.5", "1e3", "9007199254740992", "9".repeat(40)])
      assert.deepEqual(refusal(await remove(id)), [400, "invalid_body"], id);
    assert.deepEqual(refusal(await remove("77&id=78")), [400, "invalid_body"]);
    assert.deepEqual(refusal(await remove(String(Number.MAX_SAFE_INTEGER))), [404, "not_found"]);
  });
});

test("another user's entry is answered like one that is not there, and stays as it is", async (t) => {
  await eachApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com");
      const eva = await browser(app, "eva@example.com");
      const { id } = (await ana.add({ mint: TOKEN, size_sol: 2 })).json();
      const before = await ana.list();
      const answers = async (entry: number) => [
        (await eva.patch({ id: entry, size_sol: 5 })).body,
        (await eva.patch({ id: entry, alerts_enabled: false })).body,
        (await eva.remove(entry)).body,
      ];
      assert.deepEqual(await answers(id), await answers(id + 1_000));
      assert.deepEqual(refusal(await eva.remove(id)), [404, "not_found"]);
      assert.deepEqual(await eva.list(), []);
      assert.deepEqual(await ana.list(), before);
      assert.equal((await eva.add({ mint: TOKEN })).statusCode, 201, "each user their own");
    },
    setting,
  );
});

test("a token watched already answers 409, also where the list is full, and a new one then 403", async (t) => {
  await eachApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com");
      assert.equal((await ana.add({ mint: TOKEN })).statusCode, 201);
      assert.deepEqual(refusal(await ana.add({ mint: TOKEN, size_sol: 2 })), [409, "duplicate"]);
      assert.deepEqual(refusal(await ana.add({ mint: poolAddress(1) })), [403, "limit_reached"]);
      assert.deepEqual(refusal(await ana.add({ mint: "x" })), [400, "invalid_mint"]);
    },
    setting,
  );
});

test("of many additions at once exactly as many succeed as the tier has places, and one of each token", async (t) => {
  await eachApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com", "degen");
      const mints = Array.from({ length: 30 }, (_, index) => poolAddress(index));
      const answers = await Promise.all(
        [...mints, ...mints].map(async (mint) => (await ana.add({ mint })).statusCode),
      );
      assert.equal(answers.filter((status) => status === 201).length, 20);
      assert.ok(answers.every((status) => [201, 403, 409].includes(status)));
      const watched = (await ana.list()).map(({ mint }: { mint: string }) => mint);
      assert.equal(watched.length, 20);
      assert.equal(new Set(watched).size, 20);
    },
    setting,
  );
});

test("after a downgrade the entries stay, can be changed and deleted, and new ones are refused", async (t) => {
  await eachApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com", "degen");
      for (let number = 0; number < 3; number++) await ana.add({ mint: poolAddress(number) });
      await ana.setTier("free");
      const [first, second, third] = await ana.list();
      assert.ok(first && second && third);
      assert.deepEqual(refusal(await ana.add({ mint: TOKEN })), [403, "limit_reached"]);
      assert.equal((await ana.patch({ id: first.id, size_sol: 9 })).statusCode, 200);
      for (const { id } of [first, second]) {
        await ana.remove(id);
        assert.deepEqual(refusal(await ana.add({ mint: TOKEN })), [403, "limit_reached"]);
      }
      await ana.remove(third.id);
      assert.equal((await ana.add({ mint: TOKEN })).statusCode, 201);
    },
    setting,
  );
});

test("a disabled user's session no longer reads or writes", async (t) => {
  await oneApp(t, async (app) => {
    const ana = await browser(app, "ana@example.com");
    const change = { userId: ana.userId, isDisabled: true };
    await setUserDisabled(app.store.db, change, app.users.clock.nowMs());
    app.users.advance(16_000);
    assert.deepEqual(refusal(await ana.add({ mint: TOKEN })), [401, "unauthorized"]);
  });
});

test("a blocked token shows null where nothing is known, never 0; an unreachable one shows null alone", async (t) => {
  const blocked = someSnapshot({ measurement: null, blocked: "stale" });
  const markets = someMarkets(
    (mint) => (mint === TOKEN ? blocked : { kind: "unavailable" as const, mint }),
    { exit: async () => null },
  );
  await oneApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com", "degen");
      await ana.add({ mint: TOKEN });
      await ana.add({ mint: poolAddress(1) });
      const [known, unknown] = await ana.list();
      const { state, calidad_dato, ...figures } = known.exitability;
      assert.deepEqual([state, calidad_dato], ["bloqueado_dato", "insuficiente"]);
      for (const name of ["score", "depth_sol", "exit_max_sol", "slippage_pct"])
        assert.equal(figures[name], null, name);
      for (const [name, value] of Object.entries(unknown.exitability))
        assert.equal(value, null, name);
    },
    { markets },
  );
});

test("a size above 10 SOL is refused where the family allows none, and its state shows it", async (t) => {
  const markets = someMarkets(() => someSnapshot({ family: "other" }), { exit: async () => null });
  await oneApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com");
      const { id } = (await ana.add({ mint: TOKEN, size_sol: 10.01 })).json();
      const stateOf = async () => (await ana.list())[0].exitability.state;
      assert.equal(await stateOf(), "bloqueado_tamano_amm");
      await ana.patch({ id, size_sol: 10 });
      assert.equal(await stateOf(), "ok");
    },
    { markets },
  );
});

test("the list is part of what a user takes along, and goes with the account", async (t) => {
  await eachApp(
    t,
    async (app) => {
      const ana = await browser(app, "ana@example.com");
      await ana.add({ mint: TOKEN, size_sol: 4 });
      const { cookie, origin } = ana;
      const data = await app.send("GET", "/api/account/export", { headers: { cookie } });
      const [entry] = data.json().watchlist;
      assert.deepEqual([entry.mint, entry.size_sol, entry.alerts_enabled], [TOKEN, 4, true]);
      await app.send("DELETE", "/api/account", { headers: { cookie, origin } });
      assert.deepEqual(
        await app.store.db.selectFrom("watchlist_entries").selectAll().execute(),
        [],
      );
    },
    setting,
  );
});

test("loads for a list take the turns of its user", async (t) => {
  const askers: (string | undefined)[] = [];
  const markets = someMarkets(() => assessed, {
    async snapshot(mint, asker) {
      askers.push(asker);
      return { kind: "not-found", mint };
    },
  });
  await oneApp(
    t,
    async (app) => {
      const { add, list, userId } = await browser(app, "lists@example.com");
      await add({ mint: poolAddress(1), size: 1 });
      askers.length = 0;
      await list();
      assert.deepEqual(askers, [`user:${userId}`]);
    },
    { markets },
  );
});
