import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { EventLog } from "#test/support/event-log.ts";
import { eventually } from "#test/support/eventually.ts";
import { followAll } from "#test/support/follow-all.ts";
import { OTHER_POOL, POOL, startChain } from "#test/support/followed-geyser.ts";
import { testAddress } from "#test/support/test-accounts.ts";
import type { AccountUpdate } from "./chain-source.ts";

type ExpressEvent =
  | { readonly kind: "update"; readonly update: AccountUpdate }
  | { readonly kind: "reached"; readonly slot: bigint }
  | { readonly kind: "gap" };

/** A chain with two followed accounts, of which POOL also comes by express. */
async function startExpress(t: TestContext) {
  const chain = await startChain(t);
  const all = followAll(chain);
  all.following.add([POOL, OTHER_POOL]);
  await all.followed(OTHER_POOL);
  const log = new EventLog<ExpressEvent>();
  const express =
    all.following.openExpress?.({
      onUpdate: (update) => log.add({ kind: "update", update }),
      onReached: (slot) => log.add({ kind: "reached", slot }),
      onGap: () => log.add({ kind: "gap" }),
    }) ?? assert.fail("no express");
  express.change([POOL], []);
  await eventually("its account comes by express", () =>
    express.delivered.has(POOL) ? true : null,
  );
  const updateTo = (byte: number) =>
    log.first(
      (event) =>
        event.kind === "update" &&
        event.update.address === POOL &&
        event.update.account?.data[0] === byte,
      `POOL becomes ${byte} by express`,
    );
  return { chain, all, log, express, updateTo };
}

/** For `eventually`: until the chain has a newer slot than now. */
function nextSlotOf({ ledger }: Awaited<ReturnType<typeof startChain>>): () => true | null {
  const { slot } = ledger.clock;
  return () => (ledger.clock.slot > slot ? true : null);
}

test("an account comes by express as well, before the slot that is reported next", async (t) => {
  const { chain, all, log, updateTo } = await startExpress(t);
  chain.set(POOL, 9);
  chain.set(OTHER_POOL, 8);
  await all.updateTo(POOL, 9);
  await all.updateTo(OTHER_POOL, 8);
  const told = await updateTo(9);
  assert.ok(told.kind === "update");
  const { slot } = told.update;
  await log.first((event) => event.kind === "reached" && event.slot >= slot, "its slot");
  const place = log.events.indexOf(told);
  const before = log.events
    .slice(0, place)
    .flatMap((event) => (event.kind === "reached" ? [event.slot] : []));
  assert.ok(before.every((reached) => reached < slot));
  const addresses = log.events.flatMap((event) =>
    event.kind === "update" ? [event.update.address] : [],
  );
  assert.ok(!addresses.includes(OTHER_POOL));
});

test("what is removed from the express is not of it from that moment on, and still comes without it", async (t) => {
  const { chain, all, express, updateTo } = await startExpress(t);
  express.change([], [POOL]);
  assert.ok(!express.delivered.has(POOL));
  chain.set(POOL, 9);
  await all.updateTo(POOL, 9);
  express.change([POOL], []);
  assert.ok(!express.delivered.has(POOL), "the server has not applied it yet");
  await eventually("it comes again", () => (express.delivered.has(POOL) ? true : null));
  chain.set(POOL, 10);
  await updateTo(10);
});

test("an express that was lost reports a gap of its own, if the server has not kept the missed slots", async (t) => {
  const { chain, all, log, express, updateTo } = await startExpress(t);
  chain.geyser.cut();
  chain.geyser.refusalOf = ({ fromSlot, accounts }) => {
    const isExpress = Object.values(accounts).some(({ account }) => account.includes(CLOCK_SYSVAR));
    return fromSlot !== undefined && isExpress ? "no earlier slots" : null;
  };
  await chain.geyser.open();
  await log.first((event) => event.kind === "gap", "a gap of the express");
  assert.ok(express.delivered.has(POOL));
  chain.set(POOL, 9);
  await updateTo(9);
  assert.ok(!all.log.events.some(({ kind }) => kind === "gap"));
});

test("if the server accepts fewer accounts in a request, the last ones do not come by express: a gap", async (t) => {
  const { chain, all, log, express, updateTo } = await startExpress(t);
  express.change([OTHER_POOL], []);
  await eventually("both", () => (express.delivered.has(OTHER_POOL) ? true : null));
  chain.geyser.refusalOf = ({ accounts, ping }) => {
    const addresses = Object.values(accounts).flatMap(({ account }) => account);
    return ping === undefined && addresses.includes(CLOCK_SYSVAR) && addresses.length > 2
      ? "Message length too large: found 138 bytes, the limit is: 120 bytes"
      : null;
  };
  express.change([testAddress(9)], []);
  await log.first((event) => event.kind === "gap", "a gap");
  assert.deepEqual([express.delivered.has(POOL), express.delivered.has(OTHER_POOL)], [true, false]);
  const { length } = log.events;
  await eventually("it is open again", () =>
    log.events.slice(length).some(({ kind }) => kind === "reached") ? true : null,
  );
  chain.set(POOL, 9);
  await updateTo(9);
  chain.set(OTHER_POOL, 9);
  await all.updateTo(OTHER_POOL, 9);
});

test("a gap is reported before any update of a later slot", async (t) => {
  const { chain, log, updateTo } = await startExpress(t);
  const missed = chain.ledger.clock.slot + 3n;
  chain.geyser.tellsSlot = (slot) => slot !== missed;
  const { length } = log.events;
  for (let byte = 10; byte < 40; byte++) {
    chain.set(POOL, byte);
    await eventually("the next slot", nextSlotOf(chain));
  }
  await updateTo(39);
  const events = log.events.slice(length);
  const gap = events.findIndex(({ kind }) => kind === "gap");
  assert.ok(gap >= 0);
  for (const event of events.slice(0, gap))
    assert.ok(event.kind !== "update" || event.update.slot <= missed);
});

test("the express is opened after the other streams, and closed while one of them is refused", async (t) => {
  const { chain, all, log, express } = await startExpress(t);
  const isExpress = (request: SubscribeRequest) =>
    Object.values(request.accounts).every(({ account }) => !account.includes(OTHER_POOL));
  const subscribed = chain.geyser.requests.filter(({ ping }) => ping === undefined);
  assert.ok(subscribed[0] !== undefined && !isExpress(subscribed[0]));
  chain.geyser.refusalOf = (request) => (isExpress(request) ? null : "too many streams");
  chain.geyser.cut();
  await chain.geyser.open();
  await eventually("it is closed", () => (express.delivered.size === 0 ? true : null));
  assert.ok(log.events.some(({ kind }) => kind === "gap"));
  chain.geyser.refusalOf = () => null;
  await eventually("it is open again", () => (express.delivered.has(POOL) ? true : null));
  await all.log.first(({ kind }) => kind === "whole", "whole");
});

test("no express where slots may be dropped, and none after the end of its subscription", async (t) => {
  const processed = followAll(await startChain(t, { commitment: "processed" }));
  assert.equal(processed.following.openExpress, undefined);
  const { chain, all, log } = await startExpress(t);
  const { clientCount } = chain.geyser;
  await all.following.close();
  await eventually("it is closed", () => (chain.geyser.clientCount < clientCount ? true : null));
  const { length } = log.events;
  chain.set(POOL, 9);
  for (let slots = 0; slots < 5; slots++) await eventually("the next slot", nextSlotOf(chain));
  assert.equal(log.events.length, length);
});
