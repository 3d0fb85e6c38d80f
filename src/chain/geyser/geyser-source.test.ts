import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountUpdate, ObservedTransaction } from "#src/chain/chain-source.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { limitRefusal } from "#test/support/chain/fake-geyser.ts";
import { followAll } from "#test/support/chain/follow-all.ts";
import {
  OTHER_POOL,
  POOL,
  PROGRAM,
  START,
  someTransaction,
  startChain,
} from "#test/support/chain/followed-geyser.ts";
import { EventLog } from "#test/support/event-log.ts";
import { eventually } from "#test/support/eventually.ts";
import { testAccount, testAddress } from "#test/support/pools/test-accounts.ts";

test("followed accounts change as they do on the chain, closed ones included, and reads still work", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  chain.set(POOL, 7);
  const told = await updateTo(POOL, 7);
  assert.ok(told.kind === "update");
  assert.deepEqual(told.update.account, {
    ...testAccount(PROGRAM, []),
    data: Uint8Array.of(7),
    slot: told.update.slot,
  });
  chain.ledger.apply(new Map([[POOL, null]]));
  await log.first((event) => event.kind === "update" && event.update.account === null, "closing");
  await log.first((event) => event.kind === "slot", "a slot");
  assert.equal((await chain.source.readAccounts([POOL])).accounts.get(POOL), null);
  assert.deepEqual(chain.geyser.tokens, ["a-token"]);
});

test("an update of a slot that the chain can't have reached is dropped", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  await chain.source.readAccounts([POOL]);
  const { clock } = chain.ledger;
  chain.ledger.advance({ ...clock, slot: 1_000_000_000_000n });
  chain.set(POOL, 66);
  chain.ledger.advance({ ...clock, slot: clock.slot + 1n });
  chain.set(POOL, 7);
  await updateTo(POOL, 7);
  const slots = log.events.flatMap((it) => (it.kind === "update" ? it.update.slot : []));
  assert.deepEqual(
    slots.filter((slot) => slot > clock.slot + 5_000n),
    [],
  );
});

test("addresses added later join the open stream; removed ones leave it", async (t) => {
  const chain = await startChain(t);
  const { following, followed, updateTo, log } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  following.add([OTHER_POOL]);
  await followed(OTHER_POOL);
  chain.set(OTHER_POOL, 4);
  await updateTo(OTHER_POOL, 4);
  following.remove([POOL]);
  const third = testAddress(4);
  following.add([third]);
  await followed(third);
  assert.deepEqual(chain.geyser.requests.at(-1)?.accounts["accounts"]?.account.toSorted(), [
    ...[OTHER_POOL, third].toSorted(),
  ]);
  assert.equal(chain.geyser.clientCount, 1);
  chain.set(POOL, 5);
  chain.set(third, 6);
  await updateTo(third, 6);
  assert.ok(!log.events.some((told) => told.kind === "update" && told.update.address === POOL));
});

test("a stream never asks for every account of the chain", async (t) => {
  const chain = await startChain(t);
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  following.remove([POOL]);
  const subscription = chain.source.followProgram(
    { programId: PROGRAM, dataSize: null, memcmp: [] },
    () => {},
  );
  const second = followAll(chain);
  second.following.add([OTHER_POOL]);
  await second.followed(OTHER_POOL);
  await subscription.close();
  for (const { accounts } of chain.geyser.requests) {
    for (const { account, owner } of Object.values(accounts)) {
      assert.ok(account.length + owner.length > 0);
    }
  }
});

test("a whole program costs one filter, and brings its new accounts", async (t) => {
  const chain = await startChain(t);
  const log = new EventLog<AccountUpdate>();
  const mint = testAddress(9);
  const memcmp = [{ offset: 1, bytes: mint }];
  chain.source.followProgram({ programId: PROGRAM, dataSize: 33, memcmp }, log.add);
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
});

test("an account is reported as followed, though another stream is closed before its request is applied", async (t) => {
  const chain = await startChain(t);
  chain.geyser.refusalOf = (request) => limitRefusal(request, { filters: 1, addresses: 1 });
  const { following, followed } = followAll(chain);
  following.add([POOL, OTHER_POOL]);
  await followed(OTHER_POOL);
  const [kept, removed] = [testAddress(31), testAddress(32)];
  following.add([kept, removed]);
  await eventually("a stream for each", () => (chain.geyser.clientCount === 4 ? true : null));
  following.remove([removed]);
  await followed(kept);
});

const SMALL_PLANS = [
  ["5 filters of 200 accounts", { filters: 5, addresses: 200 }, 12, 1_000],
  ["1 filter of 10 accounts", { filters: 1, addresses: 10 }, 12, 40],
] as const;
for (const [plan, limits, programs, accounts] of SMALL_PLANS) {
  test(`a server with ${plan} streams every program and account, over several streams`, async (t) => {
    const chain = await startChain(t);
    chain.geyser.refusalOf = (request) => limitRefusal(request, limits);
    const born = new EventLog<AccountUpdate>();
    for (let index = 0; index < programs; index++) {
      const programId = index === 0 ? PROGRAM : testAddress(5_000 + index);
      for (let times = 0; times < 2; times++)
        chain.source.followProgram({ programId, dataSize: null, memcmp: [] }, born.add);
    }
    const transactions = new EventLog<ObservedTransaction>();
    chain.source
      .followTransactions({ onTransaction: transactions.add, onGap: () => {} })
      .add(Array.from({ length: programs }, (_, index) => testAddress(5_000 + index)));
    const { following, followed, updateTo } = followAll(chain);
    const addresses = Array.from({ length: accounts }, (_, index) => testAddress(10_000 + index));
    following.add(addresses);
    const last = addresses.at(-1) ?? POOL;
    await followed(last);
    chain.set(last, 9);
    await updateTo(last, 9);
    // Which of the streams opens first is open: the account changes until the program's reports it.
    let value = 10;
    await eventually("the program's account", () => {
      chain.set(last, value++);
      return born.events.some(({ address }) => address === last) ? true : null;
    });
    const lastProgram = testAddress(5_000 + programs - 1);
    const transaction = someTransaction(chain.ledger.clock.slot);
    await eventually("the last program's transaction", () => {
      const instruction = { ...transaction.instruction, programId: lastProgram };
      chain.ledger.addTransaction({ ...transaction, instruction });
      return transactions.events.length > 0 ? true : null;
    });
    // On a busy machine a stream may be silent for too long and be opened again.
    await eventually("every account and program on a stream", () => {
      const served = chain.geyser.subscriptions;
      const asked = served.flatMap((request) =>
        Object.values(request.accounts).flatMap(({ account, owner }) => [...account, ...owner]),
      );
      assert.equal(new Set(asked).size, asked.length, "each is asked for once");
      const isWhole = asked.length === accounts + programs && served.length > 1;
      return isWhole && chain.source.streamInUse?.().inUse === "grpc" ? true : null;
    });
    assert.ok(chain.warnings.some((line) => line.includes("Max amount of")));
  });
}

test("transactions come whole: logs, instructions and what they called", async (t) => {
  const chain = await startChain(t);
  const log = new EventLog<ObservedTransaction>();
  const gaps: (bigint | null)[] = [];
  const transactions = chain.source.followTransactions({
    onTransaction: log.add,
    onGap: (sinceSlot) => gaps.push(sinceSlot),
  });
  transactions.add([PROGRAM]);
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const transaction = someTransaction(chain.ledger.clock.slot);
  chain.ledger.addTransaction(transaction);
  const expected = {
    ...{ signature: transaction.signature, slot: transaction.slot, logs: transaction.logs },
    feePayer: testAddress(50),
    tokenAmounts: new Map([
      [testAddress(51), { before: 7n, after: 2n ** 64n - 1n }],
      [testAddress(53), { before: null, after: 0n }],
    ]),
    instructions: [transaction.instruction, transaction.inner[0]],
  };
  const streamed = await log.first(() => true, "the transaction");
  assert.deepEqual(comparable(streamed), comparable(expected));
  const read = await chain.source.readTransaction(transaction.signature);
  assert.deepEqual(comparable(read), comparable({ ...expected, blockTime: START.unixTimestamp }));
  assert.equal(await chain.source.readTransaction("6".repeat(87)), null);
});

test("a follower of named accounts gets only the transactions that name one of them", async (t) => {
  const chain = await startChain(t);
  const log = new EventLog<ObservedTransaction>();
  const named = Object.assign(new Set<Address>(), { mayHave: () => true, mayOccurIn: () => true });
  const onGap = () => {};
  const transactions = chain.source.followTransactions({ onTransaction: log.add, onGap, named });
  const all = new EventLog<ObservedTransaction>();
  const others = chain.source.followTransactions({ onTransaction: all.add, onGap });
  transactions.add([PROGRAM]);
  others.add([PROGRAM]);
  const { following, followed } = followAll(chain);
  following.add([POOL]);
  await followed(POOL);
  const first = someTransaction(chain.ledger.clock.slot);
  chain.ledger.addTransaction(first);
  await all.first(({ signature }) => signature === first.signature, "the transaction");
  const [account] = first.instruction.accounts;
  assert.ok(account !== undefined);
  named.add(account);
  const signature = `3${first.signature.slice(1)}`;
  chain.ledger.addTransaction({ ...first, signature });
  await log.first(() => true, "the transaction that names the account");
  assert.deepEqual(
    log.events.map((transaction) => transaction.signature),
    [signature],
  );
});

/** Bytes as hex, so that a Buffer equals the bytes that it holds. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part) => {
      if (typeof part === "bigint") return `${part}n`;
      if (part instanceof Map) return [...part];
      if (part?.type === "Buffer") return Buffer.from(part.data).toString("hex");
      return part instanceof Uint8Array ? Buffer.from(part).toString("hex") : part;
    }),
  );
}
