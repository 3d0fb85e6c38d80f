import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress, plainVenue } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Database } from "#src/store/connection/database.ts";
import { answerAt } from "#src/track/history/stored-answers.ts";
import { Tracker } from "#src/track/tracker.ts";
import { placeToken, SOL, setReserves } from "#test/simulation/track/plain-market.ts";
import { refusal } from "#test/support/api/app.ts";
import { buildCheckedApp } from "#test/support/api/conformance.ts";
import { plainHttpDeps } from "#test/support/api/http-deps.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { SOME_MINT, someMarkets } from "#test/support/markets/assessments.ts";
import { testUsers } from "#test/support/users/users.ts";
import type { HttpDeps } from "../app.ts";

const MINT = namedAddress("token");
const PATH = `/api/token/${MINT}/exitability`;
const BASE = 500_000_000_000_000n;
const STEP_SLOTS = 10;
const FIRST_STATE_SLOTS = 200;
const MINUTE_SLOTS = 150;
const QUERIES = ["", "profile=pro&size=10"];
const FROM_THE_DATABASE_ALONE = () => {
  throw new Error("a past slot is not a question to the chain");
};

/** The service's HTTP surface on these markets; each question comes from an address of its own. */
async function serve(
  t: TestContext,
  database: Database,
  { markets, clock }: Pick<HttpDeps, "markets" | "clock">,
) {
  const app = await buildCheckedApp({
    ...plainHttpDeps(),
    markets,
    users: await testUsers(t, database, { clock }),
    clock,
  });
  let asker = 0;
  const get = (query: string, headers: Record<string, string> = {}, path = PATH) => {
    const address = `10.${asker >> 16}.${(asker >> 8) & 255}.${asker++ & 255}`;
    const url = `${path}?${query}`;
    return app.inject({ url, headers: { "x-forwarded-for": address, ...headers } });
  };
  return { get, close: () => app.close() };
}

type Get = Awaited<ReturnType<typeof serve>>["get"];

/** A tracker on a chain, answering as the whole service does. */
async function track(t: TestContext, database: Database, chain: ScriptedChain) {
  const clock = { nowMs: () => chain.nowMs };
  const venues = [plainVenue()];
  const tracker = new Tracker({ source: chain, venues, clock, database, stateDays: 2 });
  const served = await serve(t, database, { markets: tracker, clock });
  const { get } = served;

  /** Lets chain time pass; what is answered meanwhile is noted. */
  async function pass(slots: number, note: (get: Get) => Promise<void> = async () => undefined) {
    for (let slot = 0; slot < slots; slot += STEP_SLOTS) {
      chain.advance(STEP_SLOTS);
      tracker.tick();
      await tracker.idle();
      await note(get);
    }
  }

  return {
    get,
    pass,
    /** The newest slot that is stored, a token's first one included. */
    async newestSlot(): Promise<number> {
      await get("");
      await pass(FIRST_STATE_SLOTS);
      return (await get("at_slot=999999999999999")).json().slot_before;
    },
    async close() {
      await served.close();
      await tracker.close();
    },
  };
}

/** As a process without a tracker answers: nothing but the database. */
function serveReplica(t: TestContext, database: Database) {
  const markets = someMarkets(FROM_THE_DATABASE_ALONE, {
    latest: FROM_THE_DATABASE_ALONE,
    answerAt: (mint, slot) => answerAt(database.db, mint, slot),
  });
  return serve(t, database, { markets, clock: { nowMs: () => 2_000_000_000_000 } });
}

test("what was answered at a slot is answered again to the byte: later, after a restart, by another process", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const chain = new ScriptedChain();
    const pool = placeToken(chain, MINT, 80);
    const service = await track(t, database, chain);
    const live = new Map<string, string>();
    const note = async (get: Get) => {
      for (const query of QUERIES) {
        const { headers, body } = await get(query);
        live.set(`${headers["x-state-slot"]} ${query}`, body);
      }
    };
    await note(service.get);
    await service.pass(FIRST_STATE_SLOTS, note);
    for (const sol of [60n, 41n, 7n]) {
      await service.pass(MINUTE_SLOTS, note);
      setReserves(chain, pool, { base: BASE, quote: sol * SOL });
    }
    await service.pass(3 * MINUTE_SLOTS, note);

    const told = new Map<string, string>();
    const used = new Set<string>();
    const bodies = new Set<string>();
    for (const [key, body] of live) {
      const [slot, query] = key.split(" ");
      const asked = `at_slot=${slot}&${query}`;
      const response = await service.get(asked);
      if (response.statusCode === 404) continue;
      assert.equal(response.statusCode, 200, `${asked} ${response.body}`);
      assert.equal(response.headers["x-state-slot"], slot);
      assert.equal(response.body, body, asked);
      told.set(asked, body);
      used.add(String(slot));
      bodies.add(body);
    }
    t.diagnostic(
      `${live.size} answers asked again by their slot: ${told.size} identical, ${live.size - told.size} not stored`,
    );
    assert.ok(used.size >= 3, `of ${[...used]}`);
    assert.ok(bodies.size > QUERIES.length);

    setReserves(chain, pool, { base: BASE, quote: 1n * SOL });
    await service.pass(2 * MINUTE_SLOTS);
    for (const [asked, body] of told) assert.equal((await service.get(asked)).body, body);
    await service.close();
    chain.advance(100 * MINUTE_SLOTS);
    const restarted = await track(t, database, chain);
    await restarted.get("");
    await restarted.pass(MINUTE_SLOTS);
    const replica = await serveReplica(t, database);
    for (const { get } of [restarted, replica]) {
      for (const [asked, body] of told) assert.equal((await get(asked)).body, body);
    }
    await restarted.close();
    await replica.close();
  });
});

test("an answer of a past slot may be kept by who asked alone, has a tag, and counts like any other", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const service = await track(t, database, chain);
    const slot = String(await service.newestSlot());
    const { headers } = await service.get(`at_slot=${slot}`);
    assert.equal(headers["x-state-slot"], slot);
    assert.match(String(headers["cache-control"]), /^private, .*immutable$/);
    assert.equal(headers["x-ratelimit-remaining"], "4");
    const known = { "if-none-match": String(headers.etag) };
    const again = await service.get(`at_slot=${slot}`, known);
    assert.deepEqual([again.statusCode, again.body], [304, ""]);
    const english = await service.get(`at_slot=${slot}`, { "accept-language": "en" });
    assert.match(english.json().aviso, /history/);
    await service.close();
  });
});

test("a slot of which nothing is stored is refused with the slots that there are, never filled in", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const chain = new ScriptedChain();
    placeToken(chain, MINT, 80);
    const service = await track(t, database, chain);
    const first = await service.newestSlot();
    const refused = async (slot: number | string) => {
      const response = await service.get(`at_slot=${slot}`);
      assert.deepEqual(refusal(response), [404, "state_not_stored"]);
      assert.equal(response.headers["x-ratelimit-remaining"], "4");
      const { slot_before: before, slot_after: after, at_slot: asked } = response.json();
      assert.equal(asked, Number(slot));
      return [before, after];
    };
    assert.deepEqual(await refused(first - 1), [null, first]);
    assert.deepEqual(await refused(first + 1), [first, null], "a later one may still be stored");
    assert.deepEqual(await refused("999999999999999"), [first, null]);
    await service.close();

    chain.advance(100 * MINUTE_SLOTS);
    const later = await track(t, database, chain);
    const second = await later.newestSlot();
    const between = await later.get(`at_slot=${first + 1}`);
    assert.equal(between.statusCode, 404);
    assert.deepEqual([between.json().slot_before, between.json().slot_after], [first, second]);
    const never = await later.get("at_slot=1", {}, `/api/token/${SOME_MINT}/exitability`);
    assert.deepEqual(refusal(never), [404, "state_not_stored"]);
    await later.close();
  });
});

test("an invalid slot, or a slot with a sale of any size, is refused and never answered from current data", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const { get, close } = await serveReplica(t, database);
    for (const slot of ["", "-1", "1.5", "1e3", "x", "1000000000000000", "1&at_slot=2"]) {
      const response = await get(`at_slot=${slot}`);
      assert.deepEqual(refusal(response), [400, "invalid_body"], slot);
      assert.equal(response.headers["x-ratelimit-remaining"], "5");
    }
    assert.deepEqual(refusal(await get("size=2&at_slot=1", {}, `${PATH}/at`)), [
      400,
      "invalid_body",
    ]);
    assert.deepEqual(refusal(await get("at_slot=1", {}, "/api/token/x/exitability")), [
      404,
      "not_found",
    ]);
    await close();
  });
});

test("states are gone when their days are over, and those of later days stay readable", async (t) => {
  await eachDatabase(t, async (t, database) => {
    const chain = new ScriptedChain({ nowMs: Date.UTC(2027, 0, 10, 23, 59) });
    const pool = placeToken(chain, MINT, 80);
    const service = await track(t, database, chain);
    const oldest = await service.newestSlot();
    await service.pass(2 * MINUTE_SLOTS);
    setReserves(chain, pool, { base: BASE, quote: 50n * SOL });
    await service.pass(2 * MINUTE_SLOTS);
    const nextDay = await service.newestSlot();
    assert.notEqual(nextDay, oldest);
    const before = await service.get(`at_slot=${nextDay}`);
    assert.equal((await service.get(`at_slot=${oldest}`)).statusCode, 200);
    await service.close();
    chain.nowMs += 86_400_000;
    const later = await track(t, database, chain);
    await later.pass(STEP_SLOTS);
    assert.equal((await later.get(`at_slot=${oldest}`)).json().error, "state_not_stored");
    assert.equal((await later.get(`at_slot=${nextDay}`)).body, before.body);
    await later.close();
  });
});
