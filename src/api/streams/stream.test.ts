import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { AppError } from "#src/platform/app-error.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { oneApp, refusal } from "#test/support/api/app.ts";
import {
  changingMarket,
  openStream,
  slipping,
  slippingLadder,
} from "#test/support/api/exitability-streams.ts";
import { SOME_MINT, someMarkets, someMeasurement } from "#test/support/markets/assessments.ts";
import { poolAddress } from "#test/support/pools/pools.ts";

test("a stream sends the changes that reach the threshold, and nothing smaller", async (t) => {
  const { markets, change } = changingMarket();
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const url = `${address}/api/stream?mints=${SOME_MINT}&threshold=0.5`;
      const stream = await openStream(t, url);
      assert.equal(stream.headers.get("x-ratelimit-remaining"), "4");
      const first = await stream.next();
      assert.equal(first.event, "exitability");
      assert.equal(JSON.parse(first.data).slippage.all["1"], 1);
      change(1.2);
      change(1.5);
      assert.equal(JSON.parse((await stream.next()).data).slippage.all["1"], 1.5);
      stream.close();
    },
    { markets },
  );
});

test("without a threshold a change of depth is sent, within the same second of chain time", async (t) => {
  const { markets, tell } = changingMarket();
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const url = `${address}/api/token/${SOME_MINT}/exitability/stream`;
      const stream = await openStream(t, url);
      const first = JSON.parse((await stream.next()).data);
      tell(() => ({
        measurement: {
          ...someMeasurement,
          retail: slippingLadder(1),
          depthLamports: 45_000_000_000n,
        },
      }));
      const second = JSON.parse((await stream.next()).data);
      assert.deepEqual([first.depth_sol, second.depth_sol], [45.2, 45]);
      assert.deepEqual({ ...second, depth_sol: first.depth_sol }, first);
      stream.close();
    },
    { markets },
  );
});

/** A market that knows nothing of any token at first; and how often it was searched and measured. */
function emptyMarket(kind: "unavailable" | "not-found") {
  let held: AssessedSnapshot | null = null;
  const listeners = new Set<(snapshot: AssessedSnapshot) => void>();
  const calls = { searched: 0, measured: 0 };
  const markets = someMarkets(
    (mint) => {
      calls.searched++;
      return held ?? { kind, mint };
    },
    {
      latest: () => {
        calls.measured++;
        return held;
      },
      touch: () => held !== null,
      onSnapshot: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  );
  const tell = (snapshot: AssessedSnapshot) => {
    held = snapshot;
    for (const listener of listeners) listener(snapshot);
  };
  const hold = (snapshot: AssessedSnapshot) => {
    held = snapshot;
  };
  return { markets, calls, tell, hold };
}

const LOOK_MS = 10_000;

test("a token that could not be loaded at first is sent as soon as it can be", async (t) => {
  const { markets, hold } = emptyMarket("unavailable");
  t.mock.timers.enable({ apis: ["setInterval"] });
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=${SOME_MINT}`);
      const first = await stream.next();
      assert.deepEqual([first.event, JSON.parse(first.data).status], ["unavailable", 503]);
      hold(slipping(2));
      t.mock.timers.tick(LOOK_MS);
      const second = await stream.next();
      assert.equal(second.event, "exitability");
      assert.equal(JSON.parse(second.data).slippage.all["1"], 2);
      stream.close();
    },
    { markets },
  );
});

test("a token whose first load fails is unavailable with 500, and the other tokens are followed", async (t) => {
  const { markets, change } = changingMarket();
  const failing = {
    ...markets,
    snapshot: (): never => {
      throw new Error("the database is gone");
    },
  };
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const url = `${address}/api/stream?mints=${poolAddress(1)},${SOME_MINT}`;
      const stream = await openStream(t, url);
      const first = [await stream.next(), await stream.next()];
      const unavailable = first.find(({ event }) => event === "unavailable");
      const { token_id, status, error } = JSON.parse(unavailable?.data ?? "");
      assert.deepEqual([token_id, status, error], [poolAddress(1), 500, "server_error"]);
      change(3);
      assert.equal(JSON.parse((await stream.next()).data).slippage.all["1"], 3);
      stream.close();
    },
    { markets: failing },
  );
});

test("a missing token is sent once it is found, and is not searched for again", async (t) => {
  const { markets, calls, tell } = emptyMarket("not-found");
  t.mock.timers.enable({ apis: ["setInterval"] });
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=${SOME_MINT}`);
      const first = await stream.next();
      assert.deepEqual([first.event, JSON.parse(first.data).status], ["unavailable", 404]);
      const { searched } = calls;
      t.mock.timers.tick(LOOK_MS);
      tell(slipping(4));
      assert.equal(JSON.parse((await stream.next()).data).slippage.all["1"], 4);
      assert.equal(calls.searched, searched);
      stream.close();
    },
    { markets },
  );
});

test("following a token keeps it requested, and measures it only if no update is published", async (t) => {
  const { markets, calls, tell, hold } = emptyMarket("not-found");
  hold(slipping(1));
  let touched = 0;
  const touch = () => {
    touched++;
    return true;
  };
  t.mock.timers.enable({ apis: ["setInterval"] });
  await oneApp(
    t,
    async ({ app, users }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=${SOME_MINT}`);
      assert.equal((await stream.next()).event, "exitability");
      const { measured } = calls;
      for (let look = 1; look <= 6; look++) {
        users.advance(LOOK_MS);
        tell(slipping(1));
        t.mock.timers.tick(LOOK_MS);
        assert.deepEqual([touched, calls.measured], [look, measured]);
      }
      users.advance(3 * LOOK_MS);
      t.mock.timers.tick(LOOK_MS);
      assert.equal(calls.measured, measured + 1);
      stream.close();
    },
    { markets: { ...markets, touch } },
  );
});

test("a threshold may be written as any program writes a number", async (t) => {
  const { markets } = changingMarket();
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      for (const threshold of [0, 1e-7, 0.1 + 0.2, 100]) {
        const url = `${address}/api/stream?mints=${SOME_MINT}&threshold=${threshold}`;
        const stream = await openStream(t, url);
        assert.equal((await stream.next()).event, "exitability", url);
        stream.close();
      }
    },
    { markets },
  );
});

test("two sizes that a number does not distinguish snap each to their own standard size", async (t) => {
  const { markets } = changingMarket();
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      for (const [size, used] of [
        ["0.75", 1],
        ["0.74999999999999999999", 0.5],
      ] as const) {
        const url = `${address}/api/stream?mints=${SOME_MINT}&size=${size}`;
        const { slippage } = JSON.parse((await (await openStream(t, url)).next()).data);
        assert.deepEqual([slippage.size_requested, slippage.size_used], [0.75, used]);
      }
    },
    { markets },
  );
});

test("beyond what the tier follows at once, the refusal says when a stream may have ended", async (t) => {
  const { markets } = changingMarket();
  const tokens = (count: number) =>
    [SOME_MINT, ...Array.from({ length: count - 1 }, (_, place) => `x${place}`)].join(",");
  await oneApp(
    t,
    async ({ app, send }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=${tokens(4)}`);
      const refused = await send("GET", `/api/stream?mints=${tokens(7)}`);
      assert.deepEqual(refusal(refused), [429, "rate_limit_exceeded"]);
      assert.equal(refused.headers["retry-after"], "60");
      const { used, limit } = refused.json();
      assert.deepEqual([used, limit], [4, 10]);
      stream.close();
    },
    { markets },
  );
});

test("a stream that failed because its query could not be given back follows no token", async (t) => {
  const { markets } = changingMarket();
  await oneApp(
    t,
    async ({ app, send, store: { db } }, t) => {
      await sql`create trigger no_refund before update on daily_usage when new.used < old.used
        begin select raise(abort, 'refused'); end`.execute(db);
      const failed = await send("GET", `/api/stream?mints=${SOME_MINT},x`);
      assert.deepEqual(refusal(failed), [500, "server_error"]);
      await sql`drop trigger no_refund`.execute(db);
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const ten = [SOME_MINT, ...Array.from({ length: 9 }, (_, place) => `x${place}`)];
      const stream = await openStream(t, `${address}/api/stream?mints=${ten}`);
      stream.close();
    },
    { markets },
  );
});

test("a stream of one token that has none is refused as its question is", async (t) => {
  const { markets } = changingMarket();
  await oneApp(
    t,
    async ({ send }) => {
      const reasons = [
        ["nonsense", /not a Solana address/],
        [WSOL, /SOL itself/],
        [`${SOME_MINT.slice(0, -1)}q`, /no pool or curve/],
      ] as const;
      for (const [id, reason] of reasons) {
        const path = `/api/token/${id}/exitability`;
        const response = await send("GET", `${path}/stream`);
        assert.deepEqual(refusal(response), [404, "not_found"]);
        assert.match(response.json().message, reason);
        assert.equal(response.json().message, (await send("GET", path)).json().message);
      }
    },
    { markets },
  );
});

test("an invalid address costs nothing, and is reported as such", async (t) => {
  await oneApp(
    t,
    async ({ app, send }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=x,${SOME_MINT},y`);
      const told = [await stream.next(), await stream.next(), await stream.next()];
      assert.deepEqual(told.map(({ event }) => event).sort(), [
        "exitability",
        "unavailable",
        "unavailable",
      ]);
      const next = await send("GET", `/api/token/${SOME_MINT}/exitability`);
      assert.equal(next.headers["x-ratelimit-remaining"], "3");
    },
    { markets: changingMarket().markets },
  );
});

test("an event of processed state names it, and one of confirmed state is as the contract has it", async (t) => {
  const { markets, tell } = changingMarket();
  await oneApp(
    t,
    async ({ app, send }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=${SOME_MINT}`);
      assert.equal(JSON.parse((await stream.next()).data).commitment, undefined);
      tell(({ slot }) => ({ commitment: "processed", slot: slot + 1n, blocked: "stale" }));
      assert.equal(JSON.parse((await stream.next()).data).commitment, "processed");
      const answer = await send("GET", `/api/token/${SOME_MINT}/exitability`);
      assert.equal(answer.json().commitment, "processed");
      stream.close();
    },
    { markets },
  );
});

test("a stream has the headers of every answer, and one asked for by HEAD is over with them", async (t) => {
  const { markets } = changingMarket();
  await oneApp(
    t,
    async ({ send }) => {
      const { statusCode, headers, body } = await send("HEAD", `/api/stream?mints=${SOME_MINT}`);
      assert.deepEqual([statusCode, body], [200, ""]);
      assert.equal(headers["content-type"], "text/event-stream; charset=utf-8");
      assert.equal(headers["x-chain"], "demo");
      assert.equal(headers["x-commitment"], "confirmed");
      assert.ok(headers["x-request-id"]);
      assert.match(String(headers.vary), /x-api-key/);
    },
    { markets },
  );
});

test("wrong lists, thresholds, sizes and keys are refused, and so are too many tokens", async (t) => {
  await oneApp(t, async ({ send }) => {
    const many = Array.from({ length: 101 }, (_, place) => `x${place}`).join(",");
    const wrong: readonly (readonly [string, string])[] = [
      ["", "invalid_body"],
      ["?mints=", "invalid_body"],
      [`?mints=${many}`, "invalid_body"],
      [`?mints=${"x".repeat(101)}`, "invalid_body"],
      [`?mints=${SOME_MINT}&threshold=-1`, "invalid_body"],
      [`?mints=${SOME_MINT}&threshold=100.1`, "invalid_body"],
      [`?mints=${SOME_MINT}&size=0`, "invalid_size"],
      [`?mints=${SOME_MINT}&profile=x`, "invalid_profile"],
    ];
    for (const [query, code] of wrong) {
      assert.deepEqual(refusal(await send("GET", `/api/stream${query}`)), [400, code], query);
    }
    const headers = { "x-api-key": "exi_nothing" };
    const url = `/api/stream?mints=${SOME_MINT}`;
    assert.equal((await send("GET", url, { headers })).statusCode, 401);
    const eleven = Array.from({ length: 11 }, (_, place) => `x${place}`).join(",");
    const refused = await send("GET", `/api/stream?mints=${eleven}`);
    assert.deepEqual(refusal(refused), [429, "rate_limit_exceeded"]);
    assert.equal(refused.headers["retry-after"], "86400");
    const { used, limit, register_url } = refused.json();
    assert.deepEqual([used, limit, register_url], [0, 10, "/api/oracle/register"]);
    assert.equal((await send("GET", "/api/token/x/pools")).headers["x-ratelimit-remaining"], "5");
  });
});

test("a stream of one token is refused with the code of the same question, and takes no query", async (t) => {
  for (const code of ["overloaded", "chain_unavailable"] as const) {
    const markets = someMarkets(() => {
      throw new AppError(code, { publicMessage: "Too many tokens are being loaded." });
    });
    await oneApp(
      t,
      async ({ send }) => {
        const question = `/api/token/${SOME_MINT}/exitability`;
        const alone = await send("GET", question);
        const stream = await send("GET", `${question}/stream`);
        assert.deepEqual(refusal(stream), [503, code]);
        for (const name of ["retry-after", "x-ratelimit-remaining"])
          assert.equal(stream.headers[name], alone.headers[name], name);
        assert.equal(stream.headers["x-ratelimit-remaining"], "5");
      },
      { markets },
    );
  }
});
