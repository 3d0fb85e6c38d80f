import assert from "node:assert/strict";
import { test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import { createPageTokens } from "#src/users/page-tokens.ts";
import { TOKEN_APP_NOW_MS as NOW, startTokenApp } from "#test/support/api/token-app.ts";
import { someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, PLAIN_TOKEN, SOMEBODY } from "#test/support/markets/markets.ts";
import { TEST_AUTH_SECRET, TEST_PUBLIC_URL } from "#test/support/users/users.ts";

test("each power of a mint that was read is none or set, with its holder", async (t) => {
  const token = {
    ...PLAIN_TOKEN,
    freezeAuthority: SOMEBODY,
    transferHookAuthority: SOMEBODY,
    transferFee: {
      feeBps: 150,
      maximum: 2n ** 64n - 1n,
      authority: null,
      announced: { epoch: 900n, feeBps: 500, maximum: 7n },
    },
  };
  const get = await startTokenApp(t, { snapshot: async () => someSnapshot({ token }) });
  const { status, body } = await get("");
  assert.equal(status, 200);
  assert.equal(body.supply_units, "1000000000000000");
  assert.equal(body.supply_tokens, 1_000_000_000);
  const none = { status: "none", address: null };
  const set = { status: "set", address: SOMEBODY };
  assert.deepEqual([body.mint_authority, body.freeze_authority], [none, set]);
  assert.deepEqual(body.permanent_delegate, none);
  assert.deepEqual(body.transfer_hook, { ...none, authority: set });
  assert.deepEqual(body.transfer_fee, {
    status: "set",
    fee_pct: 1.5,
    max_fee_units: "18446744073709551615",
    authority: none,
    announced: { status: "set", from_epoch: 900, fee_pct: 5, max_fee_units: "7" },
  });
  assert.deepEqual(body.pausable, { status: "none", is_paused: false, authority: none });
  assert.deepEqual([body.accounts_start_frozen, body.is_transferable], [false, true]);
});

test("a mint that can't be read has unknown powers, not none", async (t) => {
  const get = await startTokenApp(t, {
    snapshot: async () => someSnapshot({ token: null, decimals: null, measurement: null }),
  });
  const { body } = await get("");
  const unknown = { status: "unknown", address: null };
  for (const power of ["mint_authority", "freeze_authority", "permanent_delegate"]) {
    assert.deepEqual(body[power], unknown, power);
  }
  assert.deepEqual(body.transfer_hook, { ...unknown, authority: unknown });
  assert.deepEqual(body.pausable, { status: "unknown", is_paused: null, authority: unknown });
  assert.equal(body.transfer_fee.fee_pct, null);
  assert.equal(body.transfer_fee.announced.status, "unknown");
  assert.deepEqual([body.supply_units, body.is_transferable], [null, null]);
});

test("a blocked token's pools are unknown, and an empty market's are none", async (t) => {
  const blocked = await startTokenApp(t, {
    snapshot: async () => someSnapshot({ measurement: null, blocked: "stale" }),
  });
  const unknown = (await blocked("/pools")).body;
  assert.deepEqual([unknown.state, unknown.pools], ["bloqueado_dato", null]);
  const { mint: _mint, ...nothing } = assess(marketOf([]));
  const empty = await startTokenApp(t, { snapshot: async () => someSnapshot(nothing) });
  const none = (await empty("/pools")).body;
  assert.deepEqual([none.state, none.pools], ["ok", []]);
});

test("pools are listed with their share of the depth, and the shares add up to 100 %", async (t) => {
  const get = await startTokenApp(t);
  const { status, body } = await get("/pools");
  assert.equal(status, 200);
  assert.equal(body.pools.length, 2);
  for (const { program, amm } of body.pools)
    assert.deepEqual([program, amm], ["raydium-cpmm", "raydium"]);
  const shares = body.pools.map((pool: { share_pct: number }) => pool.share_pct);
  assert.ok(Math.abs(shares[0] + shares[1] - 100) < 1e-9);
  assert.ok(shares[0] > shares[1]);
});

test("a wrong size, unit, time or step is refused and says how it is written", async (t) => {
  const get = await startTokenApp(t);
  const wrong: readonly (readonly [string, string])[] = [
    ["/exitability/at", "invalid_size"],
    ["/exitability/at?size=0.001", "invalid_size"],
    ["/exitability/at?size=1001", "invalid_size"],
    ["/exitability/at?size=1&unit=eur", "invalid_size"],
    ["/exitability/at?size=0.1234567891", "invalid_size"],
    ["/exitability/at?size=-1&unit=token", "invalid_size"],
    ["/exitability/at?size=0.000&unit=token", "invalid_size"],
    ["/exitability/at?size=1.123456789012345&unit=token", "invalid_size"],
    ["/exitability/at?size=1&profile=x", "invalid_profile"],
    ["/history?from=yesterday", "invalid_body"],
    ["/history?from=hello+1", "invalid_body"],
    ["/history?step=1", "invalid_body"],
    ["?at_slot=400000000", "invalid_body"],
    ["/pools?at_slot=400000000", "invalid_body"],
    ["/history?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z", "invalid_body"],
    ["/history?from=2026-03-01T00:00:00Z&to=2026-01-01T00:00:00Z", "invalid_body"],
  ];
  for (const [path, code] of wrong) {
    const { status, body } = await get(path);
    assert.deepEqual([status, body.error], [400, code], path);
  }
});

test("on the dashboard everything on one token's page counts once an hour", async (t) => {
  const get = await startTokenApp(t);
  const pageTokens = createPageTokens({ authSecret: TEST_AUTH_SECRET, publicUrl: TEST_PUBLIC_URL });
  const [cookie = ""] = pageTokens.cookie(NOW).split(";");
  const site = "same-origin";
  const page = { "sec-fetch-site": site, "x-forwarded-for": "203.0.113.5", cookie };
  for (const path of ["/exitability", "", "/pools", "/exitability/at?size=1", "/exitability"]) {
    const { status, headers } = await get(path, page);
    assert.equal(status, 200, path);
    assert.equal(headers["x-ratelimit-remaining"], "4", path);
  }
  const other = { "x-forwarded-for": "203.0.113.5" };
  assert.equal((await get("/pools", other)).headers["x-ratelimit-remaining"], "3");
});
