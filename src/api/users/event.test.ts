import assert from "node:assert/strict";
import { test } from "node:test";
import { eachApp, NO_OBJECTS, oneApp, refusal } from "#test/support/api/app.ts";

const URL = "/api/oracle/event";
const JSON_TYPE = { "content-type": "application/json" };

test("each step of the funnel is recorded", async (t) => {
  await oneApp(t, async ({ send, store }) => {
    for (const eventName of [
      "registro",
      "waitlist_email",
      "click_pagar",
      "checkout_iniciado",
      "pago_real",
      "click_upgrade_desde_limite",
      "click_avisame_pro",
      "alerta_click",
      "watchlist_add",
    ]) {
      const response = await send("POST", URL, { payload: { event_name: eventName } });
      assert.equal(response.statusCode, 201);
      assert.deepEqual(response.json(), { status: "recorded", event_name: eventName });
      const row = await store.db
        .selectFrom("events")
        .selectAll()
        .where("event_name", "=", eventName)
        .executeTakeFirst();
      assert.deepEqual([row?.email, row?.payload, row?.utm_source], [null, null, null]);
    }
  });
});

test("an event keeps what it was given, and e-mail only then", async (t) => {
  await eachApp(t, async ({ send, store, users }) => {
    const payload = {
      event_name: "click_pagar",
      email: "Ana@example.com",
      payload: { plan: "pro", nested: { list: [1, "ñ", null] } },
      utm_source: "x",
      utm_medium: "cpc",
      utm_campaign: "otoño",
      unknown: "ignored",
    };
    assert.equal((await send("POST", URL, { payload })).statusCode, 201);
    const [row] = await store.db.selectFrom("events").selectAll().execute();
    assert.deepEqual(
      { ...row, id: 0n },
      {
        id: 0n,
        event_name: "click_pagar",
        email: "unproven:ana@example.com",
        payload: JSON.stringify(payload.payload),
        utm_source: "x",
        utm_medium: "cpc",
        utm_campaign: "otoño",
        at_ms: BigInt(users.clock.nowMs()),
      },
    );
  });
});

test("an event refuses what the contract refuses, and stores nothing", async (t) => {
  await oneApp(t, async ({ send, store, users }) => {
    for (const [what, payload, expected] of NO_OBJECTS) {
      const response = await send("POST", URL, { payload, headers: JSON_TYPE });
      assert.deepEqual(refusal(response), expected, what);
    }
    const event_name = "registro";
    const deep = `{"event_name":"registro","payload":{"a":${"[".repeat(8_000)}${"]".repeat(8_000)}}}`;
    for (const [payload, code] of [
      [{}, "missing_event_name"],
      [{ event_name: "" }, "missing_event_name"],
      [{ event_name: "nada" }, "invalid_event_name"],
      [{ event_name: "toString" }, "invalid_event_name"],
      [{ event_name: 7 }, "invalid_event_name"],
      [{ event_name: ["registro"] }, "invalid_event_name"],
      [{ event_name: "Registro" }, "invalid_event_name"],
      [{ event_name, email: "nobody" }, "invalid_email"],
      [{ event_name, email: 7 }, "invalid_email"],
      [{ event_name, payload: [] }, "invalid_body"],
      [{ event_name, payload: "text" }, "invalid_body"],
      [{ event_name, payload: null }, "invalid_body"],
      [{ event_name, payload: { a: "x".repeat(8 * 1024) } }, "invalid_body"],
      [{ event_name, utm_source: 7 }, "invalid_body"],
      [{ event_name, utm_medium: "x".repeat(257) }, "invalid_body"],
      [{ event_name, utm_campaign: "\u0000" }, "invalid_body"],
      [{ email: "nobody" }, "missing_event_name"],
      [deep, "invalid_body"],
    ] as const) {
      users.advance(60_000);
      const response = await send("POST", URL, { payload, headers: JSON_TYPE });
      const shown = JSON.stringify(payload).slice(0, 80);
      assert.deepEqual(refusal(response), [400, code], shown);
    }
    assert.deepEqual(await store.db.selectFrom("events").selectAll().execute(), []);
  });
});

test("a payload of 8 KiB to the byte is kept, and one more is not", async (t) => {
  await oneApp(t, async ({ send }) => {
    const fits = { a: "x".repeat(8 * 1024 - JSON.stringify({ a: "" }).length) };
    const over = { a: `${fits.a}x` };
    for (const [payload, status] of [
      [fits, 201],
      [over, 400],
    ] as const) {
      const body = { event_name: "registro", payload };
      assert.equal((await send("POST", URL, { payload: body })).statusCode, status);
    }
  });
});

test("events are throttled by address", async (t) => {
  await oneApp(t, async ({ send }) => {
    const payload = { event_name: "registro" };
    for (let call = 0; call < 120; call++)
      assert.equal((await send("POST", URL, { payload })).statusCode, 201);
    const refused = await send("POST", URL, { payload });
    assert.deepEqual(refusal(refused), [429, "rate_limit_exceeded"]);
    assert.equal(refused.headers["retry-after"], "60");
  });
});

test("a payload above 2 KiB is stored as its beginning, as much as fits", async (t) => {
  await oneApp(t, async ({ send, store }) => {
    for (const filler of ["x", "ñ", '"', "😀"]) {
      const payload = { a: filler.repeat(3_000 / Buffer.byteLength(filler)) };
      const body = { event_name: "registro", payload };
      assert.equal((await send("POST", URL, { payload: body })).statusCode, 201);
      const [row] = await store.db
        .selectFrom("events")
        .selectAll()
        .orderBy("id", "desc")
        .limit(1)
        .execute();
      const stored = row?.payload ?? "";
      const bytes = Buffer.byteLength(stored);
      const { cut } = JSON.parse(stored) as { readonly cut: string };
      assert.ok(bytes <= 2_048 && bytes > 2_030, `${bytes} bytes of ${filler}`);
      assert.ok(JSON.stringify(payload).startsWith(cut.replace(/\ufffd$/, "")));
    }
  });
});

test("the cookie proves an address only in a request of our own pages", async (t) => {
  await oneApp(t, async ({ send, signIn, store }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const payload = { event_name: "registro", email: "ana@example.com" };
    for (const [headers, email] of [
      [{ cookie, origin }, "ana@example.com"],
      [{ cookie, origin: "https://evil.example" }, "unproven:ana@example.com"],
      [{ cookie, "sec-fetch-site": "cross-site" }, "unproven:ana@example.com"],
      [{ cookie }, "unproven:ana@example.com"],
    ] as const) {
      await store.db.deleteFrom("events").execute();
      assert.equal((await send("POST", URL, { payload, headers })).statusCode, 201);
      const rows = await store.db.selectFrom("events").select("email").execute();
      assert.deepEqual(rows, [{ email }]);
    }
  });
});

test("an unknown field is ignored, whatever it is called, and gives the body no field", async (t) => {
  await oneApp(t, async ({ send }) => {
    const inherited = '{"__proto__":{"event_name":"registro"}}';
    const refused = await send("POST", URL, { payload: inherited, headers: JSON_TYPE });
    assert.deepEqual(refusal(refused), [400, "missing_event_name"]);
    for (const field of ["__proto__", "constructor"]) {
      const payload = `{"event_name":"registro","${field}":{"prototype":{"a":1}}}`;
      const response = await send("POST", URL, { payload, headers: JSON_TYPE });
      assert.equal(response.statusCode, 201, field);
    }
  });
});
