import assert from "node:assert/strict";
import { test } from "node:test";
import {
  derivedPool,
  namedAddress,
  PLAIN_PROGRAM,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { assess } from "#src/measure/assess.ts";
import { AppError } from "#src/platform/app-error.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, placeToken, SOL } from "#test/simulation/track/plain-market.ts";
import {
  fakeNode,
  isUnavailable,
  notFound,
  result,
  sourceAt,
} from "#test/support/chain/fake-rpc-node.ts";
import { MAX_POOLS } from "./choose-pools.ts";
import { loadMarket } from "./load-market.ts";

const MINT = namedAddress("token");
const RESERVES = { base: 500_000_000_000_000n, quote: 80n * SOL };

function depsFor(chain: ScriptedChain) {
  return { source: chain, venues: [plainVenue()], clock: { nowMs: () => chain.nowMs } };
}

async function load(chain: ScriptedChain, mint = MINT) {
  const loaded = await loadMarket(depsFor(chain), mint);
  assert.equal(loaded.kind, "market");
  return loaded;
}

test("a token's pools are found on both mint sides and at derived addresses", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  const pools = [
    placePool(chain, plainPool("one", MINT, WSOL), RESERVES),
    placePool(chain, plainPool("inverted", WSOL, MINT), RESERVES),
    placePool(chain, derivedPool(MINT, WSOL), RESERVES),
  ];
  const { market } = await load(chain);
  assert.deepEqual(
    new Set(market.pools.map(({ address }) => address)),
    new Set(pools.map(({ address }) => address)),
  );
  assert.ok(market.isSearchComplete);
  assert.equal(market.unpriced.length, 0);
});

test("all accounts of a market are of one slot, with the block time of that slot", async () => {
  const chain = new ScriptedChain();
  const pool = placeToken(chain, MINT, 80);
  chain.advance(5);
  const { market, accounts } = await load(chain);
  assert.equal(market.slot, chain.slot);
  assert.equal(market.stateTimeMs, Math.floor(chain.nowMs / 1000) * 1000);
  assert.equal(market.nowMs, chain.nowMs);
  for (const address of [MINT, pool.address, pool.vaultA, pool.vaultB]) {
    assert.equal(accounts.get(address)?.slot, chain.slot);
  }
});

test("recorded accounts are assessed at their own time", async () => {
  const chain = new ScriptedChain({ origin: "recorded" });
  placeToken(chain, MINT, 80);
  const { market } = await loadMarket(
    { ...depsFor(chain), clock: { nowMs: () => chain.nowMs + 1e9 } },
    MINT,
  ).then((loaded) => {
    assert.equal(loaded.kind, "market");
    return loaded;
  });
  assert.equal(market.nowMs, market.stateTimeMs);
});

test("a pool quoted in a token without a way to SOL is known and not priced", async () => {
  const chain = new ScriptedChain();
  const odd = namedAddress("another token");
  placeMint(chain, MINT);
  placePool(chain, plainPool("odd", MINT, odd), RESERVES);
  const { market } = await load(chain);
  assert.equal(market.pools.length, 1);
  const { blocked, findings } = assess(market);
  assert.equal(blocked, "unpriced-majority");
  const named = findings.find(({ kind }) => kind === "unpriced-pools");
  assert.deepEqual(named?.kind === "unpriced-pools" && named.quoteMints, [odd]);
});

test("a token quoted in another token is sold through that token's pools, up to two further hops", async () => {
  const chain = new ScriptedChain();
  const [near, far] = [namedAddress("near"), namedAddress("far")];
  for (const mint of [MINT, near, far]) placeMint(chain, mint);
  placePool(chain, plainPool("token", MINT, near), RESERVES);
  placePool(chain, plainPool("near", near, far), RESERVES);
  placePool(chain, plainPool("far", far, WSOL), RESERVES);
  const { market } = await load(chain);
  assert.deepEqual(new Set(market.hopPools.map(({ baseMint }) => baseMint)), new Set([near, far]));
  const { blocked, measurement } = assess(market);
  assert.equal(blocked, null);
  assert.ok(measurement !== null && measurement.midPrice !== null);
});

test("of many quote mints, those with the most of the token behind them are followed to SOL", async () => {
  const chain = new ScriptedChain();
  const honest = namedAddress("honest quote");
  placeMint(chain, MINT);
  placePool(chain, plainPool("honest", MINT, honest), RESERVES);
  placePool(chain, plainPool("hop", honest, WSOL), RESERVES);
  for (let index = 0; index < 60; index++) {
    const quote = namedAddress(`junk quote ${index}`);
    placePool(chain, plainPool(`junk ${index}`, MINT, quote), { base: 1_000n, quote: 10n ** 18n });
  }
  const { market } = await load(chain);
  assert.ok(market.hopPools.some(({ baseMint }) => baseMint === honest));
  assert.ok(assess(market).measurement?.midPrice);
  assert.ok(market.pools.length <= 8);
  assert.equal(chain.searches.length, 2 * 4);
});

test("a pool quoted in a stable brings that stable's SOL pools for the second hop", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placeMint(chain, USDC);
  placePool(chain, plainPool("usdc", MINT, USDC), RESERVES);
  const hop = placePool(chain, plainPool("hop", USDC, WSOL), {
    base: 1_000_000_000_000n,
    quote: 5_000n * SOL,
  });
  const { market } = await load(chain);
  assert.deepEqual(
    market.hopPools.map(({ address, baseMint }) => ({ address, baseMint })),
    [{ address: hop.address, baseMint: USDC }],
  );
});

test("for a stable, only SOL pools count", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, USDC);
  placePool(chain, plainPool("token", USDC, MINT), RESERVES);
  const hop = placePool(chain, plainPool("hop", USDC, WSOL), RESERVES);
  const { market } = await load(chain, USDC);
  assert.deepEqual(
    market.pools.map(({ address }) => address),
    [hop.address],
  );
  assert.equal(market.hopPools.length, 0);
});

test("not found: no mint, no pool after a complete search, and SOL itself", async () => {
  const chain = new ScriptedChain();
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
  placeMint(chain, MINT);
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
  assert.deepEqual(await loadMarket(depsFor(chain), WSOL), { kind: "not-found" });
});

test("S3: an address without an account, or with one that is not a mint, costs at most three reads and no search", async () => {
  const chain = new ScriptedChain();
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
  assert.ok(chain.reads.length <= 3, `${chain.reads.length} reads`);
  chain.set(MINT, { owner: TOKEN_PROGRAM, lamports: 1n, data: new Uint8Array(165) });
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
  assert.equal(chain.searches.length, 0);
});

test("a wallet's address costs one read and no search", async () => {
  const chain = new ScriptedChain();
  chain.set(MINT, { owner: SYSTEM_PROGRAM, lamports: 1n, data: new Uint8Array() });
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
  assert.equal(chain.reads.length, 1);
  assert.equal(chain.searches.length, 0);
});

test("a pool's address is not found, and names the token that it trades against SOL", async () => {
  const chain = new ScriptedChain();
  for (const [base, quote] of [
    [MINT, WSOL],
    [WSOL, MINT],
    [MINT, USDC],
  ] as const) {
    const { address } = placePool(chain, plainPool(`of ${base}`, base, quote), RESERVES);
    const found = await loadMarket(depsFor(chain), address);
    assert.deepEqual(found, { kind: "not-found", poolOf: MINT });
  }
  const money = placePool(chain, plainPool("money", WSOL, USDC), RESERVES);
  assert.deepEqual(await loadMarket(depsFor(chain), money.address), { kind: "not-found" });
  assert.equal(chain.searches.length, 0);
});

test("pools of a mint whose account is absent are known, and block the token", async () => {
  const chain = new ScriptedChain();
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
  placePool(chain, derivedPool(MINT, WSOL), RESERVES);
  const { market } = await load(chain);
  assert.equal(market.token, null);
  const { blocked, measurement, decimals } = assess(market);
  assert.deepEqual(
    { blocked, measurement, decimals },
    { blocked: "mint-unreadable", measurement: null, decimals: null },
  );
});

test("a provider that refuses searches leaves the search incomplete, and derived pools in", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  placePool(chain, derivedPool(MINT, WSOL), RESERVES);
  placePool(chain, plainPool("hidden", MINT, WSOL), RESERVES);
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  const { market, refusals } = await load(chain);
  assert.deepEqual(
    market.pools.map(({ address }) => address),
    [derivedPool(MINT, WSOL).address],
  );
  assert.equal(market.isSearchComplete, false);
  assert.equal(refusals.length, 2);
});

test("an incomplete search without pools gives a market marked as incomplete, never not-found", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  chain.refusedPrograms.add(PLAIN_PROGRAM);
  const { market } = await load(chain);
  assert.equal(market.pools.length, 0);
  assert.equal(market.isSearchComplete, false);
});

test("a derived address with lamports sent by others is not a pool", async () => {
  const chain = new ScriptedChain();
  placeMint(chain, MINT);
  chain.set(derivedPool(MINT, WSOL).address, {
    owner: SYSTEM_PROGRAM,
    lamports: 1n,
    data: new Uint8Array(0),
  });
  assert.deepEqual(await loadMarket(depsFor(chain), MINT), { kind: "not-found" });
});

test("a pool whose vault was not returned is known, unpriced, and weighed by the other vault", async () => {
  const chain = new ScriptedChain();
  const main = placeToken(chain, MINT, 80);
  const broken = placePool(chain, plainPool("broken", MINT, WSOL), RESERVES);
  chain.leftOut.add(broken.vaultA);
  const { market } = await load(chain);
  assert.deepEqual(
    market.pools.map(({ address }) => address),
    [main.address],
  );
  assert.deepEqual(
    market.unpriced.map(({ address, reason, quoteHeld, quoteMint }) => ({
      address,
      reason,
      quoteHeld,
      quoteMint,
    })),
    [
      {
        address: broken.address,
        reason: "missing-account",
        quoteHeld: 80n * SOL,
        quoteMint: WSOL,
      },
    ],
  );
});

test("a mint account that the node does not return is a failure, never not-found", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  chain.leftOut.add(MINT);
  await assert.rejects(loadMarket(depsFor(chain), MINT), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "chain_unavailable");
    return true;
  });
});

test("a node that has lost its state knows no account, and is a failure, never not-found", async (t) => {
  const { httpUrl } = await fakeNode(t, (request, response) => {
    const [addresses] = request.params;
    if (request.method !== "getMultipleAccounts" || !Array.isArray(addresses)) {
      notFound(response, request);
      return;
    }
    result(response, request, { context: { slot: 5 }, value: addresses.map(() => null) });
  });
  const deps = { source: sourceAt(t, httpUrl), venues: [plainVenue()], clock: { nowMs: () => 0 } };
  await assert.rejects(loadMarket(deps, MINT), isUnavailable);
});

test("hundreds of junk pools can't push out the pools that hold the quote", async () => {
  const chain = new ScriptedChain();
  const main = placeToken(chain, MINT, 80);
  for (let index = 0; index < 300; index++) {
    placePool(chain, plainPool(`junk ${index}`, MINT, WSOL), { base: 1_000n, quote: 1_000n });
  }
  const derived = placePool(chain, derivedPool(MINT, WSOL), { base: 1n, quote: 1n });
  const { market } = await load(chain);
  const kept = new Set(market.pools.map(({ address }) => address));
  assert.ok(kept.has(main.address));
  assert.ok(kept.has(derived.address));
  assert.equal(market.pools.length, MAX_POOLS + 1);
  assert.ok(market.isSearchComplete);
  assert.equal(market.unpriced.length, 1);
  assert.equal(market.unpriced[0]?.quoteHeld, 1_000n * BigInt(301 - MAX_POOLS));
});

test("pools that hold much of the token and nothing of what they pay push out none that pays", async () => {
  const chain = new ScriptedChain();
  const quote = namedAddress("quote");
  for (const mint of [MINT, quote]) placeMint(chain, mint);
  const honest = placePool(chain, plainPool("honest", MINT, quote), RESERVES);
  placePool(chain, plainPool("hop", quote, WSOL), RESERVES);
  for (let index = 0; index < 40; index++) {
    placePool(chain, plainPool(`asks ${index}`, MINT, quote), {
      base: 2n * RESERVES.base,
      quote: 1n,
    });
    placePool(chain, plainPool(`empty ${index}`, MINT, WSOL), { base: 1n, quote: 0n });
  }
  const { market } = await load(chain);
  assert.ok(market.pools.some(({ address }) => address === honest.address));
  assert.ok((assess(market).measurement?.depthLamports ?? 0n) > 0n);
});

test("a pool that is left out because its vault was not returned is not taken for an empty one", async () => {
  const chain = new ScriptedChain();
  placeToken(chain, MINT, 80);
  for (let index = 0; index < MAX_POOLS; index++) {
    placePool(chain, plainPool(`junk ${index}`, MINT, WSOL), { base: 1_000n, quote: 1_000n });
  }
  const broken = placePool(chain, plainPool("broken", MINT, WSOL), RESERVES);
  chain.leftOut.add(broken.vaultB);
  const { market } = await load(chain);
  assert.deepEqual(
    market.unpriced.map(({ quoteHeld }) => quoteHeld),
    [1_000n, null],
  );
});

test("a venue that throws affects its own pool only", async () => {
  const chain = new ScriptedChain();
  const main = placeToken(chain, MINT, 80);
  const bad = placePool(chain, plainPool("bad", MINT, WSOL), RESERVES);
  const venue = plainVenue();
  const deps = {
    ...depsFor(chain),
    venues: [
      {
        ...venue,
        decode: (pool: typeof MINT, known: Parameters<typeof venue.decode>[1]) => {
          if (pool === bad.address) throw new RangeError("a bug of ours");
          return venue.decode(pool, known);
        },
      },
    ],
  };
  const loaded = await loadMarket(deps, MINT);
  assert.equal(loaded.kind, "market");
  assert.deepEqual(
    loaded.market.pools.map(({ address }) => address),
    [main.address],
  );
  assert.equal(loaded.market.unpriced[0]?.reason, "undecodable");
});
