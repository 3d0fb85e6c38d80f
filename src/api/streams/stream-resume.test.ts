import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp } from "#test/support/api/app.ts";
import {
  changingMarket,
  changingTokens,
  openStream,
} from "#test/support/api/exitability-streams.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";
import { poolAddress } from "#test/support/pools/pools.ts";

test("a reconnection with Last-Event-ID gets only what changed meanwhile", async (t) => {
  const { markets, change } = changingMarket();
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const url = `${address}/api/stream?mints=${SOME_MINT},nonsense`;
      const first = await openStream(t, url);
      const events = [await first.next(), await first.next()];
      const unavailable = events.find(({ event }) => event === "unavailable");
      assert.equal(JSON.parse(unavailable?.data ?? "").status, 404);
      const seen = events.find(({ event }) => event === "exitability")?.id ?? "";
      first.close();
      const again = await openStream(t, url, { "last-event-id": seen });
      assert.equal((await again.next()).event, "unavailable");
      change(3);
      assert.equal(JSON.parse((await again.next()).data).slippage.all["1"], 3);
      again.close();
    },
    { markets },
  );
});

test("changes below the threshold add up over a reconnection too", async (t) => {
  const other = poolAddress(1);
  const { markets, change } = changingTokens([SOME_MINT, other]);
  await oneApp(
    t,
    async ({ app }, t) => {
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const url = `${address}/api/stream?mints=${SOME_MINT},${other}&threshold=0.5`;
      const first = await openStream(t, url);
      await first.next();
      await first.next();
      change(SOME_MINT, 1.3);
      change(other, 3);
      const { data, id = "" } = await first.next();
      assert.equal(JSON.parse(data).token_id, other);
      first.close();
      const again = await openStream(t, url, { "last-event-id": id });
      change(SOME_MINT, 1.6);
      const next = JSON.parse((await again.next()).data);
      assert.deepEqual([next.token_id, next.slippage.all["1"]], [SOME_MINT, 1.6]);
      again.close();
    },
    { markets },
  );
});

test("a reader that resumes twice from one event gets what it received in part meanwhile", async (t) => {
  const other = poolAddress(1);
  const { markets, change } = changingTokens([SOME_MINT, other]);
  await oneApp(
    t,
    async ({ app, send, signIn }, t) => {
      const { cookie, origin } = await signIn("ana@example.com");
      const made = await send("POST", "/api/account/keys", { headers: { cookie, origin } });
      const key = { "x-api-key": made.json().key };
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const url = `${address}/api/stream?mints=${SOME_MINT},${other}&threshold=0.5`;
      const first = await openStream(t, url, key);
      const received = [await first.next(), await first.next()];
      const id = received.find((event) => event.id !== undefined)?.id ?? "";
      first.close();
      const second = await openStream(t, url, { ...key, "last-event-id": id });
      change(SOME_MINT, 3);
      change(other, 3);
      const part = await second.next();
      const { token_id } = JSON.parse(part.data);
      assert.equal(part.id, undefined, "the connection is lost before the event that has the id");
      second.close();
      change(token_id, 1);
      const third = await openStream(t, url, { ...key, "last-event-id": id });
      for (let left = 2; left > 0; left--) {
        const { event, data } = await third.next();
        assert.equal(event, "exitability", "both tokens were sent on the lost connection");
        const answer = JSON.parse(data);
        assert.equal(answer.slippage.all["1"], answer.token_id === token_id ? 1 : 3);
      }
      third.close();
    },
    { markets },
  );
});
