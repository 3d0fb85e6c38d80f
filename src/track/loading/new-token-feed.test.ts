import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  derivedPool,
  namedAddress,
  PLAIN_PROGRAM,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type {
  ObservedTransaction,
  TransactionEvents,
  TransactionSource,
} from "#src/chain/chain-source.ts";
import { assess } from "#src/measure/assess.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import {
  placeMint,
  placePool,
  placeToken,
  SOL,
  setReserves,
} from "#test/simulation/track/plain-market.ts";
import { Tracker } from "../tracker.ts";

const MINT = namedAddress("token");
const BASE = 500_000_000_000_000n;
const RESERVES = { base: BASE, quote: 80n * SOL };

function track(chain: ScriptedChain, transactions: TransactionSource | null = null) {
  const venues = [transactions === null ? plainVenue() : namelessCurve()];
  const tracker = new Tracker({
    source: chain,
    venues,
    clock: { nowMs: () => chain.nowMs },
    database: null,
    everything: { venues, transactions },
  });
  return tracker;
}

/** A curve program whose accounts name no coin, as pump's do not. */
function namelessCurve(): ReturnType<typeof plainVenue> {
  const venue = plainVenue("pump-curve");
  return {
    ...venue,
    kind: "curve",
    outline: (pool, known, mint) => (mint === undefined ? null : venue.outline(pool, known, mint)),
  };
}

async function pass(chain: ScriptedChain, tracker: Tracker, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot++) {
    chain.advance(1);
    tracker.tick();
    await tracker.idle();
  }
}

/** The depth of a tracked token, without a request for it. */
function depthOf(tracker: Tracker, mint: Address): bigint | undefined {
  const market = tracker.market(mint);
  return market === null ? undefined : assess(market).measurement?.depthLamports;
}

test("a token is tracked from its first pool on, without a request", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  await pass(chain, tracker, 2);
  assert.equal(tracker.health().tokens, 0);
  placeToken(chain, MINT, 80);
  await pass(chain, tracker, 3);
  assert.equal(tracker.health().tokens, 1);
  assert.equal(depthOf(tracker, MINT), 80n * SOL);
  await tracker.close();
});

test("a second pool is added to its token, a stable's pool to the stable, and other pairs are ignored", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  placeToken(chain, MINT, 80);
  placeMint(chain, USDC);
  await pass(chain, tracker, 3);
  placePool(chain, plainPool("second", WSOL, MINT), { base: 20n * SOL, quote: BASE });
  placePool(chain, plainPool("hop", USDC, WSOL), RESERVES);
  placePool(chain, plainPool("odd", namedAddress("x"), namedAddress("y")), RESERVES);
  await pass(chain, tracker, 3);
  assert.equal(tracker.health().tokens, 2);
  assert.equal(depthOf(tracker, MINT), 100n * SOL);
  assert.equal(depthOf(tracker, USDC), 80n * SOL);
  await tracker.close();
});

test("accounts without updates in the stream stay valid, without reads, until a gap", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  placeToken(chain, MINT, 80);
  const pool = plainPool(`${MINT} main`, MINT, WSOL);
  await pass(chain, tracker, 5);
  const reads = chain.reads.length;
  const heard: number[] = [];
  tracker.onSnapshot(({ assessment }) => heard.push(chain.nowMs - assessment.stateTimeMs));
  await pass(chain, tracker, 1_000);
  assert.equal(chain.reads.length, reads);
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  tracker.tick();
  assert.ok((heard.at(-1) ?? Number.POSITIVE_INFINITY) < 3_000, `${heard.at(-1)} ms old`);
  chain.gap();
  await pass(chain, tracker, 5);
  assert.ok(chain.reads.length > reads);
  await tracker.close();
});

test("after a gap that names what it lost, only that is read again", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  const other = namedAddress("other token");
  placeToken(chain, MINT, 80);
  const { vaultA } = placeToken(chain, other, 80);
  await pass(chain, tracker, 5);
  const before = chain.reads.length;
  chain.gap(null, new Set([vaultA]));
  assert.ok((slotOf(tracker, other) ?? 0n) < chain.slot - 1n);
  assert.equal(slotOf(tracker, MINT), chain.slot - 1n);
  await pass(chain, tracker, 5);
  assert.equal(slotOf(tracker, other), chain.slot - 1n);
  const read = new Set(chain.reads.slice(before).flat());
  read.delete(CLOCK_SYSVAR);
  assert.deepEqual(read, new Set([vaultA]));
  await tracker.close();
});

test("while part of the stream is lost, an account without updates is not taken for unchanged", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  placeToken(chain, MINT, 80);
  await pass(chain, tracker, 5);
  chain.claimWhole(false);
  await pass(chain, tracker, 100);
  const ageMs = () => {
    const market = tracker.market(MINT);
    return market === null ? null : chain.nowMs - market.stateTimeMs;
  };
  assert.ok((ageMs() ?? 0) > 30_000, `${ageMs()} ms old`);
  chain.claimWhole(true);
  await pass(chain, tracker, 10);
  assert.ok((ageMs() ?? Number.POSITIVE_INFINITY) < 3_000, `${ageMs()} ms old`);
  await tracker.close();
});

function slotOf(tracker: Tracker, mint: Address): bigint | undefined {
  return tracker.market(mint)?.slot;
}

test("an answer claims the slot that all streams have reached, whatever other slots arrive", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  placeToken(chain, MINT, 80);
  chain.claimWhole(true);
  await pass(chain, tracker, 10);
  assert.equal(slotOf(tracker, MINT), chain.slot - 1n, "one stream: the slot before the clock's");
  const slowest = chain.slot;
  chain.reach(slowest);
  await pass(chain, tracker, 10);
  assert.equal(slotOf(tracker, MINT), slowest);
  // The WebSocket, used for a time, was ahead: the streams begin at an older slot.
  chain.claimWhole(false);
  await pass(chain, tracker, 10);
  const begun = chain.slot - 4n;
  chain.reach(begun);
  chain.claimWhole(true);
  await pass(chain, tracker, 10);
  assert.equal(slotOf(tracker, MINT), begun);
  await tracker.close();
});

test("an answer with accounts that no stream delivers claims no newer slot than their notifications", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  const pool = placeToken(chain, MINT, 80);
  const placedSlot = chain.slot;
  await pass(chain, tracker, 5);
  chain.placeElsewhere([pool.vaultA]);
  await pass(chain, tracker, 10);
  const claimed = slotOf(tracker, MINT) ?? 0n;
  assert.ok(claimed >= placedSlot && claimed <= placedSlot + 5n, `${claimed} after ${placedSlot}`);
  const changedSlot = chain.slot;
  setReserves(chain, pool, { base: BASE, quote: 40n * SOL });
  await pass(chain, tracker, 10);
  assert.equal(slotOf(tracker, MINT), changedSlot);
  chain.placeElsewhere([]);
  await pass(chain, tracker, 10);
  assert.equal(slotOf(tracker, MINT), chain.slot - 1n);
  await tracker.close();
});

const CURVE = derivedPool(MINT, WSOL);
const TRADE = {
  signature: "s",
  slot: 1_000n,
  logs: ["Program log: Instruction: InitializeMint2"],
  instructions: [
    {
      programId: PLAIN_PROGRAM,
      accounts: [namedAddress("fees"), MINT, CURVE.address],
      data: new Uint8Array(0),
    },
  ],
};

for (const [how, transaction] of [
  ["a trade", TRADE],
  ["its first transaction, which is read where only logs are received", logsOf(TRADE)],
] as const) {
  test(`a curve without its mint is assigned by ${how}`, async () => {
    const chain = new ScriptedChain();
    let events: TransactionEvents | null = null;
    const tracker = track(chain, {
      readTransaction: async () => TRADE,
      followTransactions: (given) => {
        events = given;
        return { add: () => {}, remove: () => {}, close: async () => {} };
      },
    });
    placeMint(chain, MINT);
    placePool(chain, CURVE, RESERVES);
    await pass(chain, tracker, 3);
    assert.equal(tracker.health().tokens, 0);
    assert.ok(events !== null);
    const { onTransaction }: TransactionEvents = events;
    onTransaction(transaction);
    await pass(chain, tracker, 3);
    assert.equal(depthOf(tracker, MINT), 80n * SOL);
    await tracker.close();
  });
}

test("only transactions of curves are followed: the accounts of other pools name their mints", async () => {
  const chain = new ScriptedChain();
  const followed: Address[] = [];
  const pools = { ...plainVenue(), programId: namedAddress("pools") };
  const venues = [pools, namelessCurve()];
  const transactions: TransactionSource = {
    readTransaction: async () => null,
    followTransactions: () => ({
      add: (addresses) => followed.push(...addresses),
      remove: () => {},
      close: async () => {},
    }),
  };
  const tracker = new Tracker({
    ...{ source: chain, venues, clock: { nowMs: () => chain.nowMs }, database: null },
    everything: { venues, transactions },
  });
  assert.deepEqual(followed, [PLAIN_PROGRAM]);
  await tracker.close();
});

test("of the accounts of a curve program only curves wait for their mint", async () => {
  const chain = new ScriptedChain();
  let named: TransactionEvents["named"];
  const tracker = track(chain, {
    readTransaction: async () => null,
    followTransactions: (events) => {
      named = events.named;
      return { add: () => {}, remove: () => {}, close: async () => {} };
    },
  });
  const other = namedAddress("the volume of a trader");
  chain.set(other, { owner: PLAIN_PROGRAM, lamports: 1n, data: Uint8Array.of(1, 2, 3) });
  placePool(chain, CURVE, RESERVES);
  await pass(chain, tracker, 3);
  assert.equal(named?.has(CURVE.address), true);
  assert.equal(named?.has(other), false);
  await tracker.close();
});

function logsOf(transaction: ObservedTransaction): ObservedTransaction {
  return { ...transaction, instructions: null };
}

test("a request for a token of the stream includes its pools without trades", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, plainPool("quiet", MINT, WSOL), RESERVES);
  const tracker = track(chain);
  placePool(chain, plainPool("busy", MINT, WSOL), { base: BASE, quote: 20n * SOL });
  await pass(chain, tracker, 3);
  assert.equal(depthOf(tracker, MINT), 20n * SOL);
  assert.equal(tracker.latest(MINT), null);
  for (const snapshot of await Promise.all([tracker.snapshot(MINT), tracker.snapshot(MINT)])) {
    assert.equal(snapshot.kind, "assessed");
    assert.equal(snapshot.assessment.measurement?.depthLamports, 100n * SOL);
  }
  assert.notEqual(tracker.latest(MINT), null);
  await tracker.close();
});

test("a watched token of the stream is assessed with its pools without trades", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, plainPool("quiet", MINT, WSOL), RESERVES);
  const tracker = track(chain);
  placePool(chain, plainPool("busy", MINT, WSOL), { base: BASE, quote: 20n * SOL });
  await pass(chain, tracker, 3);
  tracker.setWatched([MINT]);
  await tracker.idle();
  assert.equal(depthOf(tracker, MINT), 100n * SOL);
  await tracker.close();
});

test("many watched tokens of the stream are all searched, at most eight at the same time", async (t) => {
  const mints = Array.from({ length: 30 }, (_, index) => namedAddress(`watched ${index}`));
  const chain = new ScriptedChain();
  const tracker = track(chain);
  for (const mint of mints) {
    placeMint(chain, mint);
    placePool(chain, plainPool(`of ${mint}`, mint, WSOL), RESERVES);
  }
  await pass(chain, tracker, 3);
  assert.equal(tracker.mints().length, mints.length);
  const searching = new Map<unknown, number>();
  let most = 0;
  const search = chain.searchAccounts.bind(chain);
  t.mock.method(chain, "searchAccounts", async (filter: ProgramFilter) => {
    const mint = filter.memcmp
      .map(({ bytes }) => bytes)
      .find((it) => mints.includes(it as Address));
    searching.set(mint, (searching.get(mint) ?? 0) + 1);
    most = Math.max(most, searching.size);
    await nextTurn();
    const left = (searching.get(mint) ?? 0) - 1;
    if (left > 0) searching.set(mint, left);
    else searching.delete(mint);
    return search(filter);
  });
  tracker.setWatched(mints);
  await pass(chain, tracker, 10);
  assert.ok(mints.every((mint) => tracker.latest(mint) !== null));
  assert.ok(most > 1 && most <= 8, `${most} at once`);
  await tracker.close();
});

test("a second pool that appears while its token is read is followed without a further change of it", async () => {
  const chain = new ScriptedChain();
  const tracker = track(chain);
  chain.advance(1);
  placeMint(chain, MINT);
  placePool(chain, plainPool("first", MINT, WSOL), RESERVES);
  tracker.tick();
  // The first batch is being read.
  placePool(chain, plainPool("second", MINT, WSOL), RESERVES);
  tracker.tick();
  await tracker.idle();
  await pass(chain, tracker, 5);
  assert.equal(depthOf(tracker, MINT), 160n * SOL);
  await tracker.close();
});
