import assert from "node:assert/strict";
import { once } from "node:events";
import { get as httpGet } from "node:http";
import { test } from "node:test";
import { endAlerts, recordAlert } from "#src/store/alerts.ts";
import { writeKnownPools } from "#src/store/known-pools.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { gradeAlert } from "#src/store/user-alerts.ts";
import { parseUserId, type UserId } from "#src/store/user-id.ts";
import { eachApp, oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { recordUserAlerts } from "#test/support/users/user-alerts.ts";
import { watch } from "#test/support/users/watching-users.ts";

const PATH = "/api/account/alerts";

async function watcher(app: TestApp, email: string) {
  const { cookie, origin } = await app.signIn(email);
  const me = await app.send("GET", "/api/account/me", { headers: { cookie } });
  const userId = parseUserId(me.json().user_id);
  assert.ok(userId);
  const entryId = await watch(app.store, userId, { mint: SOME_MINT, sizeSol: 2.5 });
  const page = async (query = "", language = "en") =>
    (
      await app.send("GET", PATH + query, { headers: { cookie, "accept-language": language } })
    ).json().items;
  return { cookie, origin, userId, entryId, page };
}

let recorded = 0;

async function alert(app: TestApp, { userId, entryId }: { userId: UserId; entryId: bigint }) {
  const nowMs = Date.UTC(2026, 10, 20, 12);
  const [id] = await recordUserAlerts(
    app.store,
    [
      {
        dedupe: `test/${recorded++}`,
        entryId,
        userId,
        mint: SOME_MINT,
        tokenName: "Evil\u202e\nToken",
        tokenSymbol: null,
        sizeLamports: 2_500_000_000n,
        kind: "deterioration",
        cause: "withdrawn",
        share: 0.8199,
        causes: null,
        slot: 400_000_001n,
        slippagePct: { before: 4.25, after: 31 },
        c10Sol: { before: 12.5, after: 3 },
        depthSol: { before: 240, after: null },
        position: null,
        sinceMs: nowMs - 1_000,
      },
    ],
    { nowMs, newUid: () => `msg_${recorded}` },
  );
  assert.ok(id !== undefined);
  app.alerting.feed.poll();
  return id;
}

test("an alert is shown with every figure, its cause and share, and its grade", async (t) => {
  await eachApp(t, async (app) => {
    const ana = await watcher(app, "ana@example.com");
    const id = await alert(app, ana);
    const [shown] = await ana.page();
    assert.deepEqual(shown, {
      id: String(id),
      entry_id: Number(ana.entryId),
      mint: SOME_MINT,
      token_name: "Evil\u202e\nToken",
      token_symbol: null,
      size_sol: 2.5,
      kind: "deterioration",
      cause: "liquidity-withdrawn",
      share_pct: 82,
      gone_pct: 76,
      causes: null,
      slot: 400_000_001,
      commitment: "confirmed",
      taken_back_at: null,
      slippage_before_pct: 4.25,
      slippage_after_pct: 31,
      c10_before_sol: 12.5,
      c10_after_sol: 3,
      depth_before_sol: 240,
      depth_after_sol: null,
      since: "2026-11-20T11:59:59.000Z",
      created_at: "2026-11-20T12:00:00.000Z",
      text:
        `“EvilToken” (${SOME_MINT.slice(0, 4)}…${SOME_MINT.slice(-4)}): a position of 2.5 SOL sells at 31.0 % slippage, 4.3 % before. ` +
        "What sells within 10 % went from 12.5 to 3 SOL: 76 % of it is gone. " +
        "Explained share of that loss: a liquidity withdrawal 82 % (slot 400000001). " +
        "Since 2026-11-20 11:59:59 UTC.",
      grade: null,
    });
    const [spanish] = await ana.page("", "es");
    assert.match(spanish.text, /una posición de 2,5 SOL .* una retirada de liquidez 82 %/);
    await gradeAlert(app.store.db, id, { gradedAtMs: 0, wasWorse: true, waitedCostPct: 12.34 });
    const [graded] = await ana.page();
    assert.deepEqual(graded.grade, {
      graded_at: "1970-01-01T00:00:00.000Z",
      was_worse: true,
      waited_cost_pct: 12.34,
    });
  });
});

test("pages go back from the newest, and contain no other user's alerts", async (t) => {
  await eachApp(t, async (app) => {
    const ana = await watcher(app, "ana@example.com");
    const eva = await watcher(app, "eva@example.com");
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      ids.unshift(String(await alert(app, ana)));
      await alert(app, eva);
    }
    const idsOf = async (query: string) =>
      (await ana.page(query)).map(({ id }: { id: string }) => id);
    assert.deepEqual(await idsOf(""), ids);
    assert.deepEqual(await idsOf("?limit=2"), ids.slice(0, 2));
    assert.deepEqual(await idsOf(`?limit=2&before=${ids[1]}`), ids.slice(2, 4));
    assert.deepEqual(await idsOf("?before=0"), []);
    for (const query of ["?limit=0", "?limit=101", "?limit=x", "?before=x", "?before=-1"]) {
      const response = await app.send("GET", PATH + query, { headers: { cookie: ana.cookie } });
      assert.deepEqual(refusal(response), [400, "invalid_body"], query);
    }
  });
});

test("the feed and its stream need the user's own session; an API key is refused", async (t) => {
  await oneApp(t, async (app) => {
    const { cookie, origin } = await app.signIn("ana@example.com");
    const made = await app.send("POST", "/api/account/keys", { headers: { cookie, origin } });
    for (const path of [PATH, `${PATH}/stream`])
      for (const headers of [{}, { "x-api-key": made.json().key }, { authorization: "Bearer x" }])
        assert.deepEqual(refusal(await app.send("GET", path, { headers })), [401, "unauthorized"]);
  });
});

test("an alert is pushed while the page is open, and what was missed comes after Last-Event-ID", async (t) => {
  await eachApp(t, async (app) => {
    const ana = await watcher(app, "ana@example.com");
    const eva = await watcher(app, "eva@example.com");
    const old = await alert(app, ana);
    const url = await app.app.listen({ host: "127.0.0.1", port: 0 });
    const live = await openStream(url, { cookie: ana.cookie });
    await alert(app, eva);
    const pushed = await alert(app, ana);
    assert.deepEqual(await live.next(), pushed);
    live.close();
    const missed = await alert(app, ana);
    const again = await openStream(url, { cookie: ana.cookie, "last-event-id": String(old) });
    assert.deepEqual([await again.next(), await again.next()], [pushed, missed]);
    again.close();
  });
});

test("new alerts are pushed after a Last-Event-ID above all that there are", async (t) => {
  await oneApp(t, async (app) => {
    const ana = await watcher(app, "ana@example.com");
    await alert(app, ana);
    const url = await app.app.listen({ host: "127.0.0.1", port: 0 });
    const live = await openStream(url, {
      cookie: ana.cookie,
      "last-event-id": "999999999999999999",
    });
    const pushed = await alert(app, ana);
    assert.deepEqual(await live.next(), pushed);
    live.close();
  });
});

test("a stream that can't follow the alerts ends, so that its reader reconnects", async (t) => {
  await oneApp(t, async (app, t) => {
    const ana = await watcher(app, "ana@example.com");
    const url = await app.app.listen({ host: "127.0.0.1", port: 0 });
    t.mock.method(app.alerting.feed, "follow", async () => {
      throw new Error("the database is gone");
    });
    const response = await fetch(`${url}${PATH}/stream`, { headers: { cookie: ana.cookie } });
    assert.deepEqual([response.status, await response.text()], [200, ""]);
  });
});

/** Reads a stream's events one by one. */
async function openStream(url: string, headers: Record<string, string>) {
  const request = httpGet(`${url}${PATH}/stream`, { headers });
  const [response] = await once(request, "response");
  assert.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
  response.setEncoding("utf8");
  let held = "";
  return {
    async next(): Promise<bigint> {
      for (;;) {
        const match = /event: alert\nid: (\d+)\ndata: (.*)\n\n/.exec(held);
        if (match !== null) {
          held = held.slice(match.index + match[0].length);
          assert.equal(JSON.parse(match[2] ?? "").id, match[1]);
          return BigInt(match[1] ?? "");
        }
        const [chunk] = await once(response, "data");
        held += chunk;
      }
    },
    close: () => request.destroy(),
  };
}

test("the tokens whose alert is on are listed for any caller, the newest first, until it ends", async (t) => {
  await eachApp(t, async (app) => {
    const { store, users } = app;
    const nowMs = users.clock.nowMs();
    const [first, second, old] = [poolAddress(1), poolAddress(2), poolAddress(3)];
    const tokens = [first, second, old].map((mint) => ({
      mint,
      name: "Evil\ud800Token",
      symbol: null,
      nowMs,
    }));
    await upsertTokens(store.db, tokens);
    for (const [mint, ageMs] of [
      [first, 60_000],
      [second, 30_000],
      [old, 2 * 86_400_000],
    ] as const)
      await recordAlert(store.db, {
        mint,
        detector: "test",
        cause: "withdrawn",
        share: 1,
        causes: null,
        slot: 5n,
        startedAtMs: nowMs - ageMs,
        before: { c10Sol: 12.5, depthSol: 240 },
        after: { c10Sol: 3, depthSol: null },
      });
    const current = async () => (await app.send("GET", "/api/alerts/current")).json().items;
    const items = await current();
    assert.deepEqual(
      items.map(({ mint }: { mint: string }) => mint),
      [second, first],
    );
    assert.deepEqual(
      [items[0].token_name, items[0].cause, items[0].c10_after_sol, items[0].depth_after_sol],
      ["Evil\ufffdToken", "liquidity-withdrawn", 3, null],
    );
    await endAlerts(store.db, { mint: second, endedAtMs: nowMs });
    assert.equal((await current()).length, 2, "read at most every two seconds");
    users.advance(2_000);
    assert.equal((await current()).length, 1);
  });
});

test("an alert of a token that is not followed any more is not listed: whether it is on is not known", async (t) => {
  await eachApp(t, async ({ send, store, users }) => {
    const nowMs = users.clock.nowMs();
    const [followed, letGo] = [poolAddress(1), poolAddress(2)];
    for (const [mint, followedAgoMs] of [
      [followed, 300_000],
      [letGo, 1_300_000],
    ] as const) {
      await recordAlert(store.db, {
        ...{ mint, detector: "test", cause: "withdrawn", share: 1, causes: null, slot: 5n },
        startedAtMs: nowMs - 7_200_000,
        before: { c10Sol: 12.5, depthSol: 240 },
        after: { c10Sol: 3, depthSol: null },
      });
      for (const isHop of [false, true]) {
        const followedAtMs = isHop ? nowMs : nowMs - followedAgoMs;
        await writeKnownPools(store.db, [{ mint, isHop, pools: "", followedAtMs, usedAtMs: 0 }]);
      }
    }
    // An hour later nothing newer is noted where a new process has not restored its tokens.
    for (const waitMs of [0, 3_600_000]) {
      users.advance(waitMs);
      const { items } = (await send("GET", "/api/alerts/current")).json();
      assert.deepEqual(
        items.map(({ mint }: { mint: string }) => mint),
        [followed],
      );
    }
  });
});
