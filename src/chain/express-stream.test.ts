import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { EventLog } from "#test/support/event-log.ts";
import { eventually } from "#test/support/eventually.ts";
import { followAll } from "#test/support/follow-all.ts";
import { OTHER_POOL, POOL, startChain } from "#test/support/followed-geyser.ts";
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

test("if the server accepts fewer accounts in a request, the last ones do not come by express", async (t) => {
  const { chain, all, log, express, updateTo } = await startExpress(t);
  express.change([OTHER_POOL], []);
  await eventually("both", () => (express.delivered.has(OTHER_POOL) ? true : null));
  chain.geyser.cut();
  chain.geyser.refusalOf = ({ accounts, slots }) => {
    const count = Object.values(accounts).reduce((sum, { account }) => sum + account.length, 0);
    const isExpress = Object.values(accounts).some(({ account }) => account.includes(CLOCK_SYSVAR));
    return isExpress && count > 2 && slots !== undefined
      ? "Message length too large: found 138 bytes, the limit is: 120 bytes"
      : null;
  };
  await chain.geyser.open();
  await log.first((event) => event.kind === "gap", "the express is open again");
  assert.ok(!express.delivered.has(OTHER_POOL));
  chain.set(POOL, 9);
  await updateTo(9);
  chain.set(OTHER_POOL, 9);
  await all.updateTo(OTHER_POOL, 9);
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
  await eventually("later slots", () => (chain.ledger.clock.slot > 400_000_020n ? true : null));
  assert.equal(log.events.length, length);
});
