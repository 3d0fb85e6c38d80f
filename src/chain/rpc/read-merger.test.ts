import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import type { AccountsRead } from "../chain-source.ts";
import { ReadMerger } from "./read-merger.ts";
import { RpcFailure } from "./rpc-failure.ts";

const REFUSED = new RpcFailure({ kind: "http", status: 429, retryAfterMs: null });
const TOO_MANY = new RpcFailure({ kind: "http", status: 413, retryAfterMs: null });
const at = (name: string) => name as Address;
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => at(`${prefix}${index}`));

/** Calls are held until the test answers them. */
function held({ batchSize = 100, repeats = (_error: unknown): boolean => false } = {}) {
  type Sent = PromiseWithResolvers<AccountsRead> & { readonly addresses: readonly Address[] };
  const sent: Sent[] = [];
  const turns: (() => void)[] = [];
  let arrived = Promise.withResolvers<void>();
  let isFree = true;
  let size = batchSize;
  const merger = new ReadMerger({
    turn: () => (isFree ? Promise.resolve() : new Promise<void>((resolve) => turns.push(resolve))),
    send: ({ addresses }) => {
      const call = { ...Promise.withResolvers<AccountsRead>(), addresses };
      sent.push(call);
      arrived.resolve();
      arrived = Promise.withResolvers();
      return call.promise;
    },
    repeats,
    batchSize: () => size,
    maxActive: 4,
    maxWaiting: 10,
    overloadedMessage: "busy",
  });
  const nth = async (place: number): Promise<Sent> => {
    while (sent.length <= place) await arrived.promise;
    return sent[place] as Sent;
  };
  const answer = (call: Sent, slot = 5n) =>
    call.resolve({ slot, accounts: new Map(call.addresses.map((address) => [address, null])) });
  return {
    ...{ merger, sent, nth, answer },
    /** Maximum number of accounts that the node accepts in a call. */
    learn: (accepted: number) => {
      size = accepted;
    },
    /** From now on no turn comes. */
    holdTurns: () => {
      isFree = false;
    },
    freeTurns: () => {
      isFree = true;
      for (const turn of turns.splice(0)) turn();
    },
  };
}

test("reads that wait go together in one call, and each reader gets its own accounts", async () => {
  const { merger, nth, answer, sent } = held();
  const first = merger.read([at("mint"), at("pool")], undefined);
  const second = merger.read([at("pool"), at("vault")], undefined);
  const call = await nth(0);
  assert.deepEqual(call.addresses, ["mint", "pool", "vault"]);
  answer(call);
  assert.deepEqual([...(await first).accounts.keys()], ["mint", "pool"]);
  assert.deepEqual([...(await second).accounts.keys()], ["pool", "vault"]);
  assert.equal(sent.length, 1);
});

test("a read is never divided, so that its accounts are of one slot", async () => {
  const { merger, nth, answer } = held({ batchSize: 5 });
  const reads = [names("a", 3), names("b", 3), names("c", 2)].map((addresses) =>
    merger.read(addresses, undefined),
  );
  const [one, other] = [await nth(0), await nth(1)];
  assert.deepEqual(one.addresses, [...names("a", 3), ...names("c", 2)]);
  assert.deepEqual(other.addresses, names("b", 3));
  answer(one);
  answer(other);
  await Promise.all(reads);
});

test("reads that come while the provider's rate holds a call back join it", async () => {
  const { merger, nth, answer, sent, holdTurns, freeTurns } = held();
  holdTurns();
  const reads = ["a", "b", "c"].map((name) => merger.read([at(name)], undefined));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(sent.length, 0);
  reads.push(merger.read([at("late")], undefined));
  freeTurns();
  const call = await nth(0);
  assert.deepEqual(call.addresses, ["a", "b", "c", "late"]);
  answer(call);
  await Promise.all(reads);
});

test("a call refused for its rate is repeated together with the reads that came meanwhile", async () => {
  const { merger, nth, answer } = held({ repeats: (error) => error === REFUSED });
  const first = merger.read([at("a")], undefined);
  const refused = await nth(0);
  const second = merger.read([at("b")], undefined);
  await new Promise((resolve) => setImmediate(resolve));
  refused.reject(REFUSED);
  const repeated = await nth(1);
  assert.deepEqual(repeated.addresses.toSorted(), ["a", "b"]);
  answer(repeated);
  await Promise.all([first, second]);
});

test("one token's huge accounts do not fail the reads of the others", async () => {
  const { merger, nth, answer } = held();
  const huge = merger.read([at("huge")], undefined);
  const small = merger.read([at("small")], undefined);
  const tooLarge = new RpcFailure({ kind: "too-large", limitBytes: 1 });
  (await nth(0)).reject(tooLarge);
  (await nth(1)).reject(tooLarge);
  answer(await nth(2));
  await assert.rejects(huge, tooLarge);
  assert.deepEqual([...(await small).accounts.keys()], ["small"]);
});

test("reads of a call with too many accounts are merged again within the size learned from it", async () => {
  const { merger, nth, answer, learn, sent } = held();
  const reads = [names("a", 4), names("b", 3), names("c", 2)].map((addresses) =>
    merger.read(addresses, undefined),
  );
  const refused = await nth(0);
  assert.equal(refused.addresses.length, 9);
  learn(5);
  refused.reject(TOO_MANY);
  const again = [await nth(1), await nth(2)];
  assert.deepEqual(
    again.map(({ addresses }) => addresses),
    [names("a", 4), [...names("b", 3), ...names("c", 2)]],
  );
  for (const call of again) answer(call);
  await Promise.all(reads);
  assert.equal(sent.length, 3);
});

test("an aborted read ends at once and leaves the others alone", async () => {
  const { merger, nth, answer } = held();
  const stop = new AbortController();
  const aborted = merger.read([at("a")], stop.signal);
  const kept = merger.read([at("b")], undefined);
  const call = await nth(0);
  stop.abort(new Error("no longer needed"));
  await assert.rejects(aborted, /no longer needed/);
  answer(call);
  assert.deepEqual([...(await kept).accounts.keys()], ["b"]);
});

test("too many waiting reads are refused", async () => {
  const { merger, nth, answer, holdTurns, freeTurns } = held();
  holdTurns();
  const reads = names("a", 10).map((address) => merger.read([address], undefined));
  await assert.rejects(merger.read([at("b")], undefined), { code: "overloaded" });
  freeTurns();
  answer(await nth(0));
  await Promise.all(reads);
});

test("a read that waits for other reads is sent when its timer fires, although the clock is behind the timer", async (t) => {
  const { merger, nth, answer, sent } = held();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  // The mocked timer fires while hardly a millisecond has passed by performance.now().
  const read = merger.read([at("a")], undefined, 800);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(sent.length, 0);
  t.mock.timers.tick(800);
  answer(await nth(0));
  assert.deepEqual([...(await read).accounts.keys()], ["a"]);
});

test("a read that fills a call does not wait for other reads, nor do several that fill a call together", async () => {
  const { merger, nth, answer, sent } = held({ batchSize: 5 });
  const full = merger.read(names("a", 5), undefined, 60_000);
  const call = await nth(0);
  assert.deepEqual(call.addresses, names("a", 5));
  const clock = at("clock");
  const parts = ["b", "c"].map((name) => merger.read([at(name), clock], undefined, 60_000));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(sent.length, 1, "three distinct accounts leave room for others");
  parts.push(merger.read([...names("d", 2), clock], undefined, 60_000));
  const joined = await nth(1);
  assert.deepEqual(joined.addresses, ["b", "clock", "c", "d0", "d1"]);
  answer(call);
  answer(joined);
  await Promise.all([full, ...parts]);
});
