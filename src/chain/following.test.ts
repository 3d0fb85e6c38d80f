import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { FaultyLink } from "#test/simulation/chaos/faulty-link.ts";
import { lagBehind } from "#test/simulation/chaos/lagging-ledger.ts";
import { followAll } from "#test/support/chain/follow-all.ts";
import { closeAfter } from "#test/support/ending.ts";
import { EventLog } from "#test/support/event-log.ts";
import { testAccount, testAddress } from "#test/support/pools/test-accounts.ts";
import type { AccountUpdate, ObservedTransaction } from "./chain-source.ts";
import { createRpcSource } from "./rpc/rpc-source.ts";

const PROGRAM = testAddress(1);
const POOL = testAddress(2);
const OTHER_POOL = testAddress(3);
const START = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const LINK_TIMING = { silentAfterMs: 500, firstWaitMs: 5, longestWaitMs: 40, settleMs: 1 };

/** A chain whose slots the test ends, or that ends automatically every few milliseconds. */
async function startChain(t: TestContext) {
  const ledger = new Ledger(START);
  const node = createLocalNode({ ledger });
  const link = new FaultyLink(await node.listen());
  await link.open();
  const source = createRpcSource({
    ...link.urls,
    origin: "live",
    clock: { nowMs: () => performance.now() },
    random: () => 0.5,
    retry: { attempts: 2, firstWaitMs: 1, longestWaitMs: 5 },
    linkTiming: LINK_TIMING,
    staleWaitMs: 1,
  });
  const endSlot = () => ledger.advance({ ...ledger.clock, slot: ledger.clock.slot + 1n });
  const pulse = setInterval(endSlot, 10);
  closeAfter(t, async () => {
    clearInterval(pulse);
    await source.close();
    await link.cut();
    await node.close();
  });
  const set = (address: Address, byte: number) =>
    ledger.apply(new Map([[address, testAccount(PROGRAM, [byte])]]));
  return { ledger, link, source, set };
}

test("a followed account's changes arrive with their slots, as do slots", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL, OTHER_POOL]);
  await followed(POOL);
  chain.set(POOL, 7);
  const told = await updateTo(POOL, 7);
  assert.ok(told.kind === "update" && told.update.slot >= START.slot);
  assert.equal(told.update.account?.slot, told.update.slot);
  await log.first((event) => event.kind === "slot", "a slot");
  assert.equal(chain.link.connections, 1);
});

test("a notification of a slot that the chain can't have reached is dropped, of an account and of a program", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, log } = followAll(chain);
  const named: AccountUpdate[] = [];
  const ofProgram = { programId: PROGRAM, dataSize: null, memcmp: [] };
  chain.source.followProgram(ofProgram, (update) => named.push(update));
  following.add([POOL]);
  await followed(POOL);
  await chain.source.readAccounts([POOL]);
  const { clock } = chain.ledger;
  chain.ledger.advance({ ...clock, slot: 1_000_000_000_000n });
  chain.set(POOL, 66);
  chain.ledger.advance({ ...clock, slot: clock.slot + 1n });
  chain.set(POOL, 7);
  await updateTo(POOL, 7);
  const seen = [...log.events.flatMap((it) => (it.kind === "update" ? it.update : [])), ...named];
  assert.ok(seen.some(({ slot }) => slot > clock.slot));
  assert.deepEqual(
    seen.filter(({ slot }) => slot > clock.slot + 5_000n),
    [],
  );
});

test("a closed account is published as not existing", async (t) => {
  const chain = await startChain(t);
  const { following, followed, log } = followAll(chain);
  chain.set(POOL, 1);
  following.add([POOL]);
  await followed(POOL);
  chain.ledger.apply(new Map([[POOL, null]]));
  await log.first((told) => told.kind === "update" && told.update.account === null, "closing");
});

test("an address that was removed, or a subscription that was closed, gets no further updates", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL, OTHER_POOL]);
  await Promise.all([followed(POOL), followed(OTHER_POOL)]);
  following.remove([POOL]);
  await chain.source.readClock();
  chain.set(POOL, 5);
  chain.set(OTHER_POOL, 6);
  await updateTo(OTHER_POOL, 6);
  const ofPool = log.events.filter(
    (told) => told.kind === "update" && told.update.address === POOL,
  );
  assert.deepEqual(
    ofPool.filter((told) => told.kind === "update" && told.update.account?.data[0] === 5),
    [],
  );
  await following.close();
  const before = log.events.length;
  const second = followAll(chain);
  second.following.add([OTHER_POOL]);
  await second.followed(OTHER_POOL);
  chain.set(OTHER_POOL, 9);
  await second.updateTo(OTHER_POOL, 9);
  assert.equal(log.events.length, before);
});

test("after a reconnect everything is followed again and a gap is published", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, gap, log } = followAll(chain);
  following.add([POOL, OTHER_POOL]);
  await Promise.all([followed(POOL), followed(OTHER_POOL)]);
  await log.first((told) => told.kind === "slot", "a slot");
  await chain.link.cut();
  const cutAt = chain.ledger.clock.slot;
  chain.set(POOL, 3);
  await chain.link.open();
  const told = await gap();
  assert.ok(told.kind === "gap" && told.sinceSlot !== null && told.sinceSlot <= cutAt);
  const read = await chain.source.readAccounts([POOL]);
  assert.equal(read.accounts.get(POOL)?.data[0], 3);
  chain.set(OTHER_POOL, 4);
  await updateTo(OTHER_POOL, 4);
});

test("a link that is open but silent is left for a new one", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, gap } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const connections = new EventLog<number>();
  chain.link.onConnection = connections.add;
  chain.link.freeze();
  chain.set(POOL, 8);
  await connections.first(() => true, "a new connection");
  chain.link.thaw();
  await gap();
  chain.set(POOL, 9);
  await updateTo(POOL, 9);
});

test("reads from a node that lags are honest about their slot", async (t) => {
  const chain = await startChain(t);
  const lagging = lagBehind(chain.ledger, 5);
  const laggingNode = createLocalNode({ ledger: lagging });
  closeAfter(t, laggingNode.close);
  chain.set(POOL, 1);
  const fresh = await chain.source.readAccounts([POOL]);
  chain.link.readFrom(await laggingNode.listen());
  const stale = await chain.source.readAccounts([POOL]);
  assert.ok(stale.slot <= fresh.slot + 5n);
  const account = stale.accounts.get(POOL);
  assert.ok(account === null || account === undefined || account.slot === stale.slot);
});

test("with every tenth notification lost, the last state still comes with the next change", async (t) => {
  const chain = await startChain(t);
  chain.link.losesNotification = (n) => n % 10 === 0;
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const slotEnds = new EventLog<bigint>();
  chain.ledger.listen({
    onAccount: () => {},
    onTransaction: () => {},
    onSlot: slotEnds.add,
  });
  for (let byte = 1; byte <= 25; byte++) {
    chain.set(POOL, byte);
    const { slot } = chain.ledger.clock;
    await slotEnds.first((ended) => ended > slot, "the slot's end");
  }
  await updateTo(POOL, 25);
  const received = new Set(
    log.events.flatMap((told) => (told.kind === "update" ? [told.update.account?.data[0]] : [])),
  );
  assert.ok(received.size < 25, `${received.size} of 25 arrived`);
});

test("new accounts of a program are published if they match", async (t) => {
  const chain = await startChain(t);
  const mint = testAddress(9);
  const log = new EventLog<AccountUpdate>();
  const memcmp = [{ offset: 1, bytes: mint }];
  const subscription = chain.source.followProgram(
    { programId: PROGRAM, dataSize: 33, memcmp },
    log.add,
  );
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const bytes = bytesOf(mint);
  chain.ledger.apply(
    new Map([
      [testAddress(20), testAccount(PROGRAM, [1, ...bytes])],
      [testAddress(21), testAccount(PROGRAM, [1, ...bytes, 0])],
      [testAddress(22), testAccount(testAddress(30), [1, ...bytes])],
    ]),
  );
  await log.first(({ address }) => address === testAddress(20), "the new pool");
  assert.deepEqual([...new Set(log.events.map(({ address }) => address))], [testAddress(20)]);
  await subscription.close();
});

test("a program's accounts are named without their data where only their addresses are wanted", async (t) => {
  const chain = await startChain(t);
  const names = new EventLog<Address>();
  const filter = { programId: PROGRAM, dataSize: 2_000, memcmp: [] };
  const unexpected = () => assert.fail("a whole account");
  const subscription = chain.source.followProgram(filter, unexpected, names.add);
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const whole = testAccount(PROGRAM, Array(2_000).fill(1));
  chain.ledger.apply(new Map([[testAddress(20), whole]]));
  await names.first((address) => address === testAddress(20), "the new account");
  await subscription.close();
});

test("transactions that mention an address are published with their logs, and can be read whole", async (t) => {
  const chain = await startChain(t);
  const log = new EventLog<ObservedTransaction>();
  const transactions = chain.source.followTransactions({ onTransaction: log.add, onGap: () => {} });
  transactions.add([POOL]);
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const instruction = { programId: PROGRAM, accounts: [POOL], data: Uint8Array.of(1, 2) };
  const swap = {
    signature: "5".repeat(87),
    slot: chain.ledger.clock.slot,
    unixTimestamp: START.unixTimestamp,
    feePayer: testAddress(50),
    logs: ["Program log: swapped"],
    instruction,
    inner: [{ programId: PROGRAM, accounts: [], data: Uint8Array.of(3) }],
  };
  const elsewhere = { ...instruction, accounts: [OTHER_POOL] };
  chain.ledger.addTransaction({ ...swap, signature: "6".repeat(87), instruction: elsewhere });
  chain.ledger.addTransaction(swap);
  const told = await log.first(() => true, "the transaction");
  const { signature, slot, logs } = swap;
  assert.deepEqual(told, { signature, slot, logs, instructions: null });
  assert.deepEqual(await chain.source.readTransaction(signature), {
    ...{ signature, slot, logs, feePayer: swap.feePayer, blockTime: START.unixTimestamp },
    tokenAmounts: new Map(),
    instructions: [instruction, swap.inner[0]],
  });
  assert.equal(await chain.source.readTransaction("7".repeat(87)), null);
});

test("a listener that throws costs its one event", async (t) => {
  const chain = await startChain(t);
  const broken = chain.source.follow({
    onUpdate: () => {
      throw new Error("listener's mistake");
    },
    onSlot: () => {},
    onGap: () => {},
  });
  broken.add([POOL]);
  const { following, followed, updateTo } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  chain.set(POOL, 1);
  await updateTo(POOL, 1);
});
