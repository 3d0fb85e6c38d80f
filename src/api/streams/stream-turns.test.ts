import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp } from "#test/support/api/app.ts";
import { openStream } from "#test/support/api/exitability-streams.ts";
import { SOME_MINT, someMarkets } from "#test/support/markets/assessments.ts";

const ROUND_MS = 10_000;

test("loads for a batch and for a stream, now and in later rounds, take the turns of their caller", async (t) => {
  const askers: (string | undefined)[] = [];
  const markets = someMarkets(() => ({ kind: "unavailable", mint: SOME_MINT }), {
    touch: () => false,
    onSnapshot: () => () => {},
    snapshot: async (mint, asker) => {
      askers.push(asker);
      return { kind: "unavailable", mint };
    },
  });
  t.mock.timers.enable({ apis: ["setInterval"] });
  await oneApp(
    t,
    async ({ app, send }, t) => {
      await send("GET", `/api/token/${SOME_MINT}/exitability`);
      const [asker] = askers.splice(0);
      assert.equal(asker, "address:127.0.0.1");
      await send("POST", "/api/exitability/batch", { payload: { mints: [SOME_MINT] } });
      assert.deepEqual(askers.splice(0), [asker]);
      await send("GET", `/api/token/${SOME_MINT}/exitability/stream`);
      assert.deepEqual(askers.splice(0), [asker]);
      const address = await app.listen({ port: 0, host: "127.0.0.1" });
      const stream = await openStream(t, `${address}/api/stream?mints=${SOME_MINT}`);
      assert.equal((await stream.next()).event, "unavailable");
      assert.deepEqual(askers.splice(0), [asker]);
      t.mock.timers.tick(ROUND_MS);
      assert.deepEqual(askers.splice(0), [asker]);
      stream.close();
    },
    { markets },
  );
});
