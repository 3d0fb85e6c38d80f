import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { type TestContext, test } from "node:test";
import {
  derivedPool,
  namedAddress,
  PLAIN_PROGRAM,
  type PlainAccount,
  plainPool,
  plainVenue,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource, SearchResult } from "#src/chain/chain-source.ts";
import { assess } from "#src/measure/assess.ts";
import { type Address, address, bytesOf } from "#src/units/address.ts";
import { isOnCurve } from "#src/units/curve-membership.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
import { closeAfter } from "#test/support/ending.ts";
import { type Discovery, discoverInStages } from "./discover-pools.ts";
import { loadMarket } from "./load-market.ts";

const MINT = namedAddress("token");
const RESERVES = { base: 500_000_000_000_000n, quote: 80n * SOL };
const QUERY = { mint: MINT, pairedWith: null, keep: 40 };
const OWNER_AT = 32;

function depsFor(source: ChainSource) {
  return { source, venues: [plainVenue()] };
}

/** The chain with some of its calls replaced. */
function withCalls(chain: ScriptedChain, calls: Partial<ChainSource>): ChainSource {
  return Object.assign(Object.create(chain) as ChainSource, {
    ...Object.fromEntries(
      (["readAccounts", "searchAccounts", "findLargestAccounts"] as const).map((name) => [
        name,
        (...args: never[]) => (chain[name] as (...args: never[]) => unknown)(...args),
      ]),
    ),
    ...calls,
  });
}

function addressesOf({ pools }: Discovery): ReadonlySet<Address> {
  return new Set(pools.map(({ address }) => address));
}

/** An address that only a program can sign for. */
function programAddress(name: string): Address {
  for (let index = 0; ; index++) {
    const address = namedAddress(`${name} ${index}`);
    if (!isOnCurve(bytesOf(address))) return address;
  }
}

function placeVault(chain: ScriptedChain, owner: Address): Address {
  const vault = namedAddress(`vault of ${owner}`);
  chain.set(vault, withOwner(vaultAccount(MINT, 900_000_000_000_000n), owner));
  return vault;
}

function withOwner(account: PlainAccount, owner: Address): PlainAccount {
  const data = Uint8Array.from(account.data);
  data.set(bytesOf(owner), OWNER_AT);
  return { ...account, data };
}

test("a pool at a derived address is returned while the searches hang; what they find is added later", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const derived = placePool(chain, derivedPool(MINT, WSOL), RESERVES);
  const other = placePool(chain, plainPool("other", MINT, WSOL), RESERVES);
  const searched = Promise.withResolvers<void>();
  const source = withCalls(chain, {
    searchAccounts: async (filter): Promise<SearchResult> => {
      await searched.promise;
      return await chain.searchAccounts(filter);
    },
  });
  const { first, rest } = await discoverInStages(depsFor(source), QUERY);
  assert.deepEqual(addressesOf(first), new Set([derived.address]));
  assert.equal(first.isComplete, false);
  assert.deepEqual(chain.holderSearches, [], "holders are not asked for before the first result");
  searched.resolve();
  let staged = await rest;
  while (staged?.rest) staged = await staged.rest;
  assert.deepEqual(staged && addressesOf(staged.first), new Set([derived.address, other.address]));
  assert.ok(staged?.first.isComplete);
});

test("where searches are spaced, a first result with a pool sends none, and they follow it", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const derived = placePool(chain, derivedPool(MINT, WSOL), RESERVES);
  const other = placePool(chain, plainPool("other", MINT, WSOL), RESERVES);
  const answered = Promise.withResolvers<void>();
  const source = withCalls(chain, { searchPauseMs: () => 60 });
  const deps = { ...depsFor(source), whenAnswered: () => answered.promise };
  const { first, rest } = await discoverInStages(deps, QUERY);
  assert.deepEqual(addressesOf(first), new Set([derived.address]));
  assert.deepEqual([chain.searches, chain.holderSearches], [[], []]);
  answered.resolve();
  let staged = await rest;
  while (staged?.rest) staged = await staged.rest;
  assert.deepEqual(staged && addressesOf(staged.first), new Set([derived.address, other.address]));
  assert.ok(staged?.first.isComplete);
  assert.deepEqual(chain.holderSearches, [], "the searches were answered: holders cost nothing");
});

test("where first answers never end, the searches begin after a while, and wait for them no more", async (t) => {
  const pass = withTime(t);
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, derivedPool(MINT, WSOL), RESERVES);
  const other = placePool(chain, plainPool("other", MINT, WSOL), RESERVES);
  const signals: AbortSignal[] = [];
  const whenAnswered = (signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  const source = withCalls(chain, { searchPauseMs: () => 60 });
  const { rest } = await discoverInStages({ ...depsFor(source), whenAnswered }, QUERY);
  const searched = (async () => {
    let staged = await rest;
    while (staged?.rest) staged = await staged.rest;
    return staged;
  })();
  await pass(10_000);
  const staged = await searched;
  assert.ok(staged && addressesOf(staged.first).has(other.address));
  assert.ok(signals.length > 0 && signals.every((signal) => signal.aborted));
});

test("a vault's authority names the venue, whose searches alone a first result waits for", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const pool = placePool(chain, plainPool("searchable", MINT, WSOL), RESERVES);
  const authority = programAddress("authority");
  placeVault(chain, authority);
  const soon: string[] = [];
  const source = withCalls(chain, {
    searchPauseMs: () => 60,
    searchSoon: async (filter) => {
      soon.push(filter.programId);
      return await chain.searchAccounts(filter);
    },
    readLastMention: () => assert.fail("no transaction is read"),
  });
  const deps = { source, venues: [{ ...plainVenue(), vaultAuthority: authority }] };
  const { first } = await discoverInStages(deps, QUERY);
  assert.deepEqual(addressesOf(first), new Set([pool.address]));
  assert.ok(soon.length > 0 && soon.every((programId) => programId === PLAIN_PROGRAM));
});

test("where every search is answered, holders cost no call", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const pool = placePool(chain, derivedPool(MINT, WSOL), RESERVES);
  const { first: found, rest } = await discoverInStages(depsFor(chain), QUERY);
  assert.deepEqual(addressesOf(found), new Set([pool.address]));
  assert.ok(found.isComplete && rest === null);
  assert.deepEqual(chain.holderSearches, []);
});

test("where searches are refused, the owner of a large token account names its pool", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const pool = { ...plainPool("unsearchable", MINT, WSOL), address: programAddress("pool") };
  placePool(chain, pool, RESERVES);
  placeVault(chain, pool.address);
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  const { first } = await discoverInStages(depsFor(chain), QUERY);
  assert.deepEqual(addressesOf(first), new Set([pool.address]));
  assert.equal(first.isComplete, false);
});

test("where one authority holds all vaults, the vault's last transaction names the pool", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const pool = placePool(chain, plainPool("unsearchable", MINT, WSOL), RESERVES);
  const vault = placeVault(chain, programAddress("authority"));
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  const asked: Address[] = [];
  const source = withCalls(chain, {
    readLastMention: async (address) => {
      asked.push(address);
      const accounts = [namedAddress("trader"), pool.address, pool.vaultA];
      const instructions = [{ programId: PLAIN_PROGRAM, accounts, data: new Uint8Array(0) }];
      return { signature: "5".repeat(87), slot: chain.slot, logs: [], instructions };
    },
  });
  const { first } = await discoverInStages(depsFor(source), QUERY);
  assert.deepEqual(addressesOf(first), new Set([pool.address]));
  assert.deepEqual(asked, [vault]);
});

test("an answer without any pool comes although the searches hang, and is incomplete", async (t) => {
  const pass = withTime(t);
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const source = withCalls(chain, { searchAccounts: () => new Promise(() => {}) });
  const asked = discoverInStages(depsFor(source), QUERY);
  await pass(4_000);
  const { first, rest } = await asked;
  assert.equal(first.pools.length, 0);
  assert.equal(first.isComplete, false);
  assert.ok(rest !== null);
});

const MOONIT = address("MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG");

test("a token held by a program that no venue models is blocked with the venue's name, not missing", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const curve = programAddress("curve");
  placeVault(chain, curve);
  chain.set(curve, { owner: MOONIT, lamports: 1n, data: new Uint8Array(100) });
  const clock = { nowMs: () => chain.nowMs };
  const loaded = await loadMarket({ ...depsFor(chain), clock }, MINT);
  assert.ok(loaded.kind === "market");
  assert.ok(loaded.market.isSearchComplete);
  const { blocked, findings } = assess(loaded.market);
  assert.equal(blocked, "unpriced-majority");
  const found = findings.find(({ kind }) => kind === "unpriced-pools");
  assert.ok(found?.kind === "unpriced-pools");
  assert.deepEqual(found.venues, ["moonit"]);
});

test("less than a hundredth of the largest holding on such a program is ignored", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const curve = programAddress("curve");
  const vault = placeVault(chain, curve);
  chain.set(curve, { owner: MOONIT, lamports: 1n, data: new Uint8Array(100) });
  chain.set(vault, withOwner(vaultAccount(MINT, 8_000_000_000_000n), curve));
  placeVault(chain, namedAddress("a wallet"));
  const { first, rest } = await discoverInStages(depsFor(chain), QUERY);
  assert.deepEqual([first.unmodelled, rest], [[], null]);
});

/** Time passes only by the returned function. */
function withTime(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  syncBuiltinESMExports();
  closeAfter(t, () => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
  return async (ms) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(100);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
}

/** A chain whose searches hang; one of the two largest holders is a pool, the other an authority. */
function heldPool() {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const pool = { ...plainPool("held", MINT, WSOL), address: programAddress("held pool") };
  placePool(chain, pool, RESERVES);
  placeVault(chain, pool.address);
  placeVault(chain, programAddress("authority"));
  const calls: Partial<ChainSource> = { searchAccounts: () => new Promise(() => {}) };
  return { chain, pool, calls };
}

test("a first result waits somewhat longer for holders that name a pool", async (t) => {
  const pass = withTime(t);
  const { chain, pool, calls } = heldPool();
  const listed = Promise.withResolvers<void>();
  const source = withCalls(chain, {
    ...calls,
    findLargestAccounts: async (mint) => {
      await listed.promise;
      return await chain.findLargestAccounts(mint);
    },
  });
  const asked = discoverInStages(depsFor(source), QUERY);
  await pass(4_500);
  listed.resolve();
  await pass(500);
  const { first } = await asked;
  assert.deepEqual(addressesOf(first), new Set([pool.address]));
  const never = discoverInStages(
    depsFor(withCalls(chain, { ...source, findLargestAccounts: () => new Promise(() => {}) })),
    QUERY,
  );
  await pass(6_000);
  assert.equal((await never).first.pools.length, 0);
});

test("a pool that holders name is returned in time although another vault's transaction is read for long", async (t) => {
  const pass = withTime(t);
  const { chain, pool, calls } = heldPool();
  const read = Promise.withResolvers<null>();
  const source = withCalls(chain, { ...calls, readLastMention: () => read.promise });
  const asked = discoverInStages(depsFor(source), QUERY);
  const found = asked.then(({ first }) => addressesOf(first));
  await pass(3_500);
  assert.deepEqual(await Promise.race([found, Promise.resolve(null)]), new Set([pool.address]));
  const { rest } = await asked;
  read.resolve(null);
  assert.deepEqual(addressesOf((await rest)?.first ?? assert.fail()), new Set([pool.address]));
});

test("a pool that holders name is returned although a stage after them fails", async (t) => {
  const pass = withTime(t);
  const { chain, pool, calls } = heldPool();
  const listed = Promise.withResolvers<void>();
  const graduated = namedAddress("graduated");
  const source = withCalls(chain, {
    ...calls,
    findLargestAccounts: async (mint) => {
      await listed.promise;
      return await chain.findLargestAccounts(mint);
    },
    readAccounts: async (addresses) => {
      if (addresses.includes(graduated)) throw new Error("the node went away");
      return await chain.readAccounts(addresses);
    },
  });
  const amm = plainVenue();
  const search: typeof amm.search = (...query) => ({
    ...amm.search(...query),
    graduated: { addresses: () => [graduated], isReserved: false },
  });
  const venues = [
    { ...amm, kind: "curve" as const },
    { ...amm, search },
  ];
  const asked = discoverInStages({ source, venues }, QUERY);
  asked.catch(() => undefined);
  await pass(4_000);
  listed.resolve();
  await pass(1_000);
  const { first, rest } = await asked;
  assert.deepEqual(addressesOf(first), new Set([pool.address]));
  assert.deepEqual(await rest, { first, rest: null });
});
