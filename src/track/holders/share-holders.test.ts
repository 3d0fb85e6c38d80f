import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { ByteWriter } from "#demo/byte-writer.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { KnownHolders, PoolHolders } from "#src/measure/questions/share-holders.ts";
import { AppError } from "#src/platform/app-error.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { PROGRAM_ID as DAMM_V1_PROGRAM } from "#src/venues/meteora-damm-v1/layout.ts";
import { meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import {
  PROGRAM_ID as DAMM_V2_PROGRAM,
  POSITION,
  POSITION_DISCRIMINATOR,
  POSITION_LENGTH,
} from "#src/venues/meteora-damm-v2/layout.ts";
import { positionTokenAccount } from "#src/venues/meteora-damm-v2/positions.ts";
import { INCINERATOR, RAYDIUM_LOCK_AUTHORITY } from "#src/venues/share-owner.ts";
import { dammV2Fixture, dammV2State } from "#test/support/pools/meteora-pools.ts";
import { type SharedPool, ShareHolders } from "./share-holders.ts";
import { largestPositions } from "./sum-positions.ts";

const MINT = namedAddress("share mint");
const POOL: SharedPool = {
  pool: namedAddress("pool"),
  quoteMint: WSOL,
  shares: { kind: "fungible", mint: MINT, issued: 1_000n },
};
/** A keypair's address, as wallets have: a point of the curve. */
const WALLET = address("7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5");
const FARM = findProgramAddress(["farm"], namedAddress("farm program"));

function chainWith(supply: bigint, held: readonly (readonly [string, Address, bigint])[]) {
  const chain = new ScriptedChain();
  chain.set(MINT, mintAccount({ supply, decimals: 9, slot: 0n }));
  for (const [name, owner, amount] of held) {
    chain.set(namedAddress(name), tokenAccount({ mint: MINT, owner, amount, slot: 0n }));
  }
  const closing = new AbortController();
  const clock = { nowMs: () => chain.nowMs };
  const holders = new ShareHolders({ source: chain, clock, signal: closing.signal });
  const ask = async (shared = POOL): Promise<PoolHolders> => {
    const found = (await holders.of([shared])).get(shared.pool);
    assert.ok(found);
    return found;
  };
  return { chain, holders, ask, closing };
}

function known(holders: PoolHolders): KnownHolders {
  assert.equal(holders.kind, "known");
  return holders as KnownHolders;
}

describe("who holds a pool's shares", () => {
  test("is summed by owner, without shares that cannot move", async () => {
    const { ask, chain } = chainWith(900n, [
      ["first", WALLET, 300n],
      ["second", WALLET, 100n],
      ["farmed", FARM, 200n],
      ["thrown away", INCINERATOR, 50n],
      ["sent to an ownerless address", SYSTEM_PROGRAM, 30n],
      ["kept by Raydium", RAYDIUM_LOCK_AUTHORITY, 20n],
      ["kept by Meteora", namedAddress("escrow"), 200n],
    ]);
    const data = Buffer.from("be6a7906c8b6154b".padEnd(400, "0"), "hex");
    chain.set(namedAddress("escrow"), { owner: DAMM_V1_PROGRAM, lamports: 1n, data });
    assert.deepEqual(known(await ask()), {
      kind: "known",
      issued: 1_000n,
      owners: [
        { owner: WALLET, standing: "wallet", shares: 400n },
        { owner: FARM, standing: "program", shares: 200n },
      ],
      // 100 were burned out of the mint's supply, 80 are at addresses without a key.
      burned: 180n,
      locked: 220n,
      locks: [],
      unlisted: 0n,
      slot: chain.slot,
    });
  });

  test("a migration's burned supply leaves no owner", async () => {
    const { ask } = chainWith(0n, [["emptied", WALLET, 0n]]);
    assert.partialDeepStrictEqual(known(await ask()), { owners: [], burned: 1_000n });
  });

  test("an account owned by a program counts as a program's, on the curve or not", async () => {
    const { ask, chain } = chainWith(1_000n, [["all", WALLET, 1_000n]]);
    chain.set(WALLET, { owner: namedAddress("vesting"), lamports: 1n, data: new Uint8Array(8) });
    assert.equal(known(await ask()).owners[0]?.standing, "program");
  });

  test("beyond the twenty largest accounts shares are unlisted, not burned", async () => {
    const many = Array.from({ length: 30 }, (_, index) => {
      const owner = namedAddress(`owner ${index}`);
      return [`account ${index}`, owner, index < 20 ? 40n : 10n] as const;
    });
    const { ask } = chainWith(900n, many);
    assert.partialDeepStrictEqual(known(await ask()), { unlisted: 100n, burned: 100n });
  });
});

const PAIR = namedAddress("position pool");

/** A DAMM v2 pool with a position of each of these, as its program writes them. */
function chainWithPositions(
  liquidity: bigint,
  positions: readonly {
    readonly owner: Address;
    readonly unlocked?: bigint;
    readonly vested?: bigint;
    readonly locked?: bigint;
  }[],
) {
  const { chain, holders } = chainWith(0n, []);
  const state = dammV2State({ liquidity });
  const { pool, accounts } = dammV2Fixture(state);
  for (const [address, account] of accounts) chain.set(address, account);
  const tokenAccounts = positions.map(
    ({ owner, unlocked = 0n, vested = 0n, locked = 0n }, index) => {
      const token = namedAddress(`position token ${index}`);
      const writer = new ByteWriter(new Uint8Array(POSITION_LENGTH))
        .raw(0, POSITION_DISCRIMINATOR)
        .address(POSITION.pool, pool)
        .address(POSITION.nftMint, token)
        .u128(POSITION.unlockedLiquidity, unlocked)
        .u128(POSITION.vestedLiquidity, vested)
        .u128(POSITION.permanentLockedLiquidity, locked);
      const position = { owner: DAMM_V2_PROGRAM, lamports: 1n, data: writer.bytes };
      chain.set(namedAddress(`position ${index}`), position);
      const holder = positionTokenAccount(token);
      chain.set(holder, tokenAccount({ mint: token, owner, amount: 1n, slot: 0n }));
      return holder;
    },
  );
  const ask = async (): Promise<PoolHolders | undefined> => {
    const shares = meteoraDammV2.shares(pool, accounts);
    assert.ok(shares?.kind === "positions");
    return (await holders.of([{ pool: PAIR, quoteMint: WSOL, shares }])).get(PAIR);
  };
  return { chain, ask, tokenAccounts };
}

describe("who owns a pool's positions", () => {
  test("is summed by owner; vesting with unknown dates counts for the owner, permanently locked liquidity for no owner", async () => {
    const { ask } = chainWithPositions(1_000n, [
      { owner: WALLET, unlocked: 100n, vested: 50n },
      { owner: FARM, unlocked: 200n },
      { owner: WALLET, unlocked: 60n, locked: 40n },
      { owner: FARM, locked: 545n },
    ]);
    assert.partialDeepStrictEqual(await ask(), {
      kind: "known",
      issued: 1_000n,
      owners: [
        { owner: WALLET, standing: "wallet", shares: 210n },
        { owner: FARM, standing: "program", shares: 200n },
      ],
      burned: 0n,
      locked: 585n,
      // A grain that belongs to no position.
      unlisted: 5n,
    });
  });

  test("beyond the twenty largest positions liquidity is unlisted", async () => {
    const many = Array.from({ length: 25 }, (_, index) => ({
      owner: WALLET,
      unlocked: index < 20 ? 40n : 10n,
    }));
    const { ask } = chainWithPositions(850n, many);
    assert.partialDeepStrictEqual(await ask(), { kind: "known", unlisted: 50n });
  });

  test("addresses are derived only for the positions whose owners are read", () => {
    const { accounts, pool } = dammV2Fixture(dammV2State({ liquidity: 1_000n }));
    const shares = meteoraDammV2.shares(pool, accounts);
    assert.ok(shares?.kind === "positions");
    const found = Array.from({ length: 25 }, (_, place) => {
      const { bytes: data } = new ByteWriter(new Uint8Array(POSITION_LENGTH))
        .raw(0, POSITION_DISCRIMINATOR)
        .u128(POSITION.unlockedLiquidity, BigInt(place));
      const account = { owner: DAMM_V2_PROGRAM, lamports: 1n, data, slot: 0n };
      return [namedAddress(`position ${place}`), account] as const;
    });
    const derived: bigint[] = [];
    const accountsOf: typeof shares.accountsOf = (position) => {
      derived.push(position.unlocked);
      return shares.accountsOf(position);
    };
    assert.equal(largestPositions({ ...shares, accountsOf }, new Map(found))?.all.length, 25);
    assert.deepEqual(
      derived,
      Array.from({ length: 20 }, (_, place) => 24n - BigInt(place)),
    );
  });

  test("is unknown if positions are missing, refused, or their tokens were moved", async () => {
    const missing = chainWithPositions(1_000n, [{ owner: WALLET, unlocked: 900n }]);
    const tooMuch = chainWithPositions(1_000n, [{ owner: WALLET, unlocked: 1_001n }]);
    for (const { ask } of [missing, tooMuch]) {
      assert.deepEqual(await ask(), { kind: "unknown", reason: "shares-do-not-add-up" });
    }
    const moved = chainWithPositions(1_000n, [{ owner: WALLET, unlocked: 1_000n }]);
    for (const holder of moved.tokenAccounts) moved.chain.set(holder, null);
    const refused = chainWithPositions(1_000n, [{ owner: WALLET, unlocked: 1_000n }]);
    refused.chain.refusedPrograms.add(DAMM_V2_PROGRAM);
    for (const { ask } of [moved, refused]) {
      assert.deepEqual(await ask(), { kind: "unknown", reason: "holders-not-read" });
    }
  });
});

describe("holders are unknown, never none", () => {
  const held = [["all", WALLET, 900n]] as const;

  test("if the node refuses, can't be reached, or omits an account", async () => {
    const refused = chainWith(900n, held);
    refused.chain.refusedPrograms.add(MINT);
    const dead = chainWith(900n, held);
    dead.chain.isReachable = false;
    const partly = chainWith(900n, held);
    partly.chain.leftOut.add(namedAddress("all"));
    for (const { ask } of [refused, dead, partly]) {
      assert.deepEqual(await ask(), { kind: "unknown", reason: "holders-not-read" });
    }
  });

  test("if the amounts do not add up to the counts of the pool and the mint", async () => {
    const moreThanSupply = chainWith(800n, held);
    const lessThanListed = chainWith(950n, held);
    const moreThanPool = chainWith(1_001n, [["all", WALLET, 1_001n]]);
    for (const { ask } of [moreThanSupply, lessThanListed, moreThanPool]) {
      assert.deepEqual(await ask(), { kind: "unknown", reason: "shares-do-not-add-up" });
    }
  });

  test("an unexpected failure is thrown, not returned as unknown", async () => {
    const { ask, chain } = chainWith(900n, held);
    chain.findLargestAccounts = async () => {
      throw new TypeError("our own mistake");
    };
    await assert.rejects(ask(), TypeError);
  });
});

describe("reading holders", () => {
  test("is shared by all requests within a minute, and repeated after it", async () => {
    const { ask, chain } = chainWith(900n, [["all", WALLET, 900n]]);
    const answers = await Promise.all([ask(), ask(), ask()]);
    assert.equal(chain.holderSearches.length, 1);
    assert.equal(answers[2], answers[0]);
    chain.nowMs += 59_000;
    assert.equal(await ask(), answers[0]);
    chain.nowMs += 1_000;
    assert.notEqual(await ask(), answers[0]);
    assert.equal(chain.holderSearches.length, 2);
    assert.equal(chain.reads.length, 4);
  });

  test("is repeated when the pool's own count changed, at most every five seconds", async () => {
    const { ask, chain } = chainWith(900n, [["all", WALLET, 900n]]);
    const first = await ask();
    const grown = { ...POOL, shares: { ...POOL.shares, issued: 1_100n } };
    chain.nowMs += 4_000;
    assert.equal(await ask(grown), first);
    chain.nowMs += 1_000;
    assert.equal(known(await ask(grown)).issued, 1_100n);
  });

  test("is retried ten seconds after a failure", async () => {
    const { ask, chain } = chainWith(900n, [["all", WALLET, 900n]]);
    chain.isReachable = false;
    assert.equal((await ask()).kind, "unknown");
    chain.isReachable = true;
    assert.equal((await ask()).kind, "unknown");
    chain.nowMs += 10_000;
    assert.equal((await ask()).kind, "known");
  });

  test("is refused if too many reads wait, and ends when the tracker closes", async () => {
    const { holders, chain, closing } = chainWith(900n, [["all", WALLET, 900n]]);
    const never = Promise.withResolvers<never>();
    chain.findLargestAccounts = (_mint: Address, signal?: AbortSignal) => {
      signal?.addEventListener("abort", () => never.reject(signal.reason));
      return never.promise;
    };
    const asked = Array.from({ length: 203 }, (_, index) =>
      holders.of([{ ...POOL, pool: namedAddress(`pool ${index}`) }]),
    );
    const isOverloaded = (error: unknown) =>
      error instanceof AppError && error.code === "overloaded";
    await assert.rejects(Promise.race(asked), isOverloaded);
    closing.abort(new Error("closed"));
    const settled = await Promise.allSettled(asked);
    assert.equal(settled.length, 203);
  });
});
