import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { RpcFailure } from "#src/chain/rpc/rpc-failure.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Database } from "#src/store/connection/database.ts";
import { lastFollowedAtMs } from "#src/store/known-pools.ts";
import { placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import { track } from "#test/simulation/track/tracker-on.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";

/** A process that followed `count` tokens at once, and the tokens. */
async function followMany(chain: ScriptedChain, database: Database, count: number) {
  const mints = Array.from({ length: count }, (_, index) => namedAddress(`token ${index}`));
  for (const mint of mints) placeToken(chain, mint, 80);
  const first = track(chain, database);
  for (let start = 0; start < count; start += 50) {
    await Promise.all(mints.slice(start, start + 50).map((mint) => first.snapshot(mint)));
  }
  await first.close();
  return mints;
}

/** The number of tokens in each read, if the first `failures` reads fail. */
async function batchSizes(
  t: TestContext,
  { failures, cause }: { readonly failures: number; readonly cause: Error },
): Promise<readonly number[]> {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const mints = new Set(await followMany(chain, database, 240));
  const sizes: number[] = [];
  const readAccounts: ChainSource["readAccounts"] = async (addresses) => {
    const size = addresses.filter((address) => mints.has(address)).length;
    if (size > 0) sizes.push(size);
    if (size > 0 && sizes.length <= failures) throw cause;
    return await chain.readAccounts(addresses);
  };
  const tracker = track(chain, database, { readAccounts });
  await tracker.restore();
  await eventually("all are followed", () => {
    tracker.tick();
    chain.advance(2);
    return tracker.mints().length >= mints.size ? true : null;
  });
  await tracker.close();
  return sizes;
}

test("after failures of several batches the tokens are read together as before", async (t) => {
  const sizes = await batchSizes(t, { failures: 4, cause: new Error("unreachable") });
  assert.deepEqual(sizes, new Array(9).fill(48));
});

test("a read that is refused because of the node's load is repeated unchanged", async (t) => {
  const publicMessage = "Later.";
  const limited = new RpcFailure({ kind: "http", status: 429, retryAfterMs: null });
  for (const cause of [
    new AppError("overloaded", { publicMessage }),
    new AppError("chain_unavailable", { publicMessage, cause: limited }),
  ]) {
    assert.deepEqual(await batchSizes(t, { failures: 1, cause }), new Array(6).fill(48));
  }
});

test("tokens whose reads always fail are given up, and all others are followed", async (t) => {
  const database = await sqliteDatabase(t);
  const chain = new ScriptedChain();
  const mints = await followMany(chain, database, 100);
  const poisoned = new Set([0, 50, 99].flatMap((index) => mints[index] ?? []));
  let isRestoring = true;
  const tracker = track(chain, database, {
    readAccounts: async (addresses) => {
      if (isRestoring && addresses.some((at) => poisoned.has(at))) throw new Error("refused");
      return await chain.readAccounts(addresses);
    },
  });
  const endedAtMs = await lastFollowedAtMs(database.db);
  assert.ok(endedAtMs !== null);
  await tracker.restore();
  await eventually("the others are followed, and nothing waits", async () => {
    tracker.tick();
    chain.advance(10);
    if (tracker.mints().length < mints.length - poisoned.size) return null;
    const notedAtMs = (await lastFollowedAtMs(database.db)) ?? 0;
    return notedAtMs > endedAtMs ? true : null;
  });
  isRestoring = false;
  for (const mint of poisoned) {
    const snapshot = await tracker.snapshot(mint);
    assert.equal(snapshot.kind, "assessed");
    assert.equal(snapshot.assessment.measurement?.depthLamports, 80n * SOL);
  }
  assert.ok(chain.searches.length > 0);
  await tracker.close();
});
