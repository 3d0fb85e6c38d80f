import assert from "node:assert/strict";
import { test } from "node:test";
import {
  mintAccount,
  namedAddress,
  type PlainPool,
  plainPool,
  plainPoolAccount,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { createCompleteStream, createLiveState } from "../following/live-state.ts";
import { MAX_POOLS } from "../pools/choose-pools.ts";
import { NewTokenFeed } from "./new-token-feed.ts";

const MINT = namedAddress("token");
const POOL = plainPool("pool", MINT, WSOL);

/** Where so many batches hang, all further tokens wait. */
const BATCHES_AT_ONCE = 4;
const TOKENS_IN_A_BATCH = 20;

/** A feed whose first reads hang until `release`, so that the token waits to be read. */
async function hangingFeed() {
  const chain = new ScriptedChain();
  chain.set(MINT, mintAccount());
  const gate = Promise.withResolvers<void>();
  const read = chain.readAccounts.bind(chain);
  chain.readAccounts = async (addresses: readonly Address[]) => {
    await gate.promise;
    return await read(addresses);
  };
  const state = createLiveState(createCompleteStream());
  const asked: Address[] = [];
  const plain = plainVenue();
  const venue: typeof plain = {
    ...plain,
    accountsNeeded: (pool, known) => {
      asked.push(pool);
      return plain.accountsNeeded(pool, known);
    },
  };
  const feed = new NewTokenFeed({
    ...{ source: chain, state, venues: [venue], transactions: null },
    clock: { nowMs: () => chain.nowMs },
    signal: new AbortController().signal,
    onChange: () => {},
    onNewToken: () => {},
    onFailure: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
  });
  const trade = (pool: PlainPool, feeBps: number): void =>
    chain.set(pool.address, plainPoolAccount(pool, { feeBps }));
  for (let index = 0; index < BATCHES_AT_ONCE * TOKENS_IN_A_BATCH; index++)
    trade(plainPool(`other ${index}`, namedAddress(`other ${index}`), WSOL), 0);
  feed.pump();
  const release = async (): Promise<void> => {
    gate.resolve();
    await feed.idle();
    feed.pump();
    await feed.idle();
  };
  return { chain, state, feed, asked, trade, release };
}

test("of a pool that trades while its token waits to be read, the newest account alone is kept", async () => {
  const { chain, state, feed, asked, trade, release } = await hangingFeed();
  chain.delivery = ({ slot }) => (slot % 10n === 0n ? "held" : "now");
  for (let feeBps = 1; feeBps <= 99; feeBps++) {
    chain.advance(1);
    trade(POOL, feeBps);
    feed.pump();
  }
  // The newest update has arrived already: those that are late change nothing.
  chain.release();
  await release();
  const { address } = POOL;
  const newest = plainPoolAccount(POOL, { feeBps: 99 }).data;
  assert.deepEqual(state.accounts.get(address)?.content?.data, newest);
  const times = asked.filter((pool) => pool === address).length;
  assert.ok(times > 0 && times < 10, `asked ${times} times which accounts the pool needs`);
  await feed.close();
});

test("of a token with more pools than are followed, named while it waits, the search counts as incomplete", async () => {
  const { chain, state, feed, trade, release } = await hangingFeed();
  for (let index = 0; index < MAX_POOLS; index++) trade(plainPool(`pool ${index}`, MINT, WSOL), 30);
  const whole = namedAddress("whole");
  chain.set(whole, mintAccount());
  for (let index = 0; index < MAX_POOLS; index++)
    trade(plainPool(`whole ${index}`, whole, WSOL), 30);
  trade(POOL, 30);
  await release();
  const [cut, complete] = [MINT, whole].map((mint) => state.tokens.get(mint)?.group);
  assert.deepEqual([cut?.pools.size, cut?.isSearchComplete], [MAX_POOLS, false]);
  assert.deepEqual([complete?.pools.size, complete?.isSearchComplete], [MAX_POOLS, true]);
  await feed.close();
});
