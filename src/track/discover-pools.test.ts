import assert from "node:assert/strict";
import { test } from "node:test";
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
import { type Address, address, addressBytes } from "#src/units/address.ts";
import { isOnCurve } from "#src/units/curve-membership.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL } from "#test/simulation/track/plain-market.ts";
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
    if (!isOnCurve(addressBytes(address) ?? new Uint8Array(32))) return address;
  }
}

function placeVault(chain: ScriptedChain, owner: Address): Address {
  const vault = namedAddress(`vault of ${owner}`);
  chain.set(vault, withOwner(vaultAccount(MINT, 900_000_000_000_000n), owner));
  return vault;
}

function withOwner(account: PlainAccount, owner: Address): PlainAccount {
  const data = Uint8Array.from(account.data);
  data.set(addressBytes(owner) ?? [], OWNER_AT);
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
      const instruction = { programId: PLAIN_PROGRAM, accounts, data: new Uint8Array(0) };
      const instructions = [{ ...instruction, outerIndex: 0, isInner: false }];
      return { signature: "5".repeat(87), slot: chain.slot, logs: [], instructions };
    },
  });
  const { first } = await discoverInStages(depsFor(source), QUERY);
  assert.deepEqual(addressesOf(first), new Set([pool.address]));
  assert.deepEqual(asked, [vault]);
});

test("an answer without any pool comes although the searches hang, and is incomplete", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const source = withCalls(chain, { searchAccounts: () => new Promise(() => {}) });
  const { first, rest } = await discoverInStages(depsFor(source), QUERY);
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
