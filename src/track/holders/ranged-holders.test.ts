import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { positionAccount } from "#demo/nested-positions.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { PoolHolders } from "#src/measure/questions/share-holders.ts";
import { type Address, address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { PERSONAL_POSITION, PROGRAM_ID } from "#src/venues/raydium-clmm/layout.ts";
import { clmmFixture, type Position } from "#test/support/pools/clmm-pools.ts";
import { ShareHolders } from "./share-holders.ts";

const WALLET = address("7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5");
/** Raydium's Burn & Earn holds the tokens of locked positions here. */
const LOCKER = address("kN1kEznaF5Xbd8LYuqtEFcxzWSBk5Fv6ygX6SqEGJVy");
/** Offset of a token account's state, and its value where it is frozen. */
const [STATE, FROZEN] = [108, 2];

type Owned = Position & { readonly owner: Address };

const around = (owner: Address, liquidity: bigint): Owned => ({
  owner,
  lower: -600,
  upper: 600,
  liquidity,
});

/** A CLMM pool, quoted in its second mint, and a position of each of these. */
function chainWith(positions: readonly Owned[]) {
  const chain = new ScriptedChain();
  const fixture = { tickSpacing: 60, sqrtPriceX64: 1n << 64n, positions };
  const { pool, mintB, accounts } = clmmFixture(fixture);
  const holder = (place: number) => namedAddress(`holder ${place}`);
  for (const [place, { owner, ...position }] of positions.entries()) {
    const token = namedAddress(`position token ${place}`);
    const account = positionAccount(PERSONAL_POSITION, { ...position, pool, token, slot: 1n });
    chain.set(namedAddress(`position ${place}`), account);
    chain.set(token, mintAccount({ supply: 1n, decimals: 0, slot: 0n }));
    chain.set(holder(place), tokenAccount({ mint: token, owner, amount: 1n, slot: 0n }));
  }
  const holders = new ShareHolders({
    source: chain,
    clock: { nowMs: () => chain.nowMs },
    signal: new AbortController().signal,
  });
  const ask = async (quoteMint = mintB): Promise<PoolHolders | undefined> => {
    const shares = raydiumClmm.shares(pool, accounts);
    assert.ok(shares?.kind === "ranged");
    return (await holders.of([{ pool, quoteMint, shares }])).get(pool);
  };
  return { chain, ask, holder };
}

describe("who owns positions with ranges of their own", () => {
  test("is summed by owner in what they hold of the quote; locked ones have no owner", async () => {
    const other = namedAddress("other");
    const { ask, chain, holder } = chainWith([
      around(WALLET, 1_000_000n),
      around(LOCKER, 2_000_000n),
      { owner: WALLET, lower: -1_200, upper: -600, liquidity: 500_000n },
      around(other, 4_000_000n),
      // Above the price: it holds nothing that sellers take out.
      { owner: other, lower: 600, upper: 1_200, liquidity: 900n },
    ]);
    const frozen = tokenAccount({
      mint: namedAddress("position token 3"),
      owner: other,
      amount: 1n,
      slot: 0n,
    });
    frozen.data[STATE] = FROZEN;
    chain.set(holder(3), frozen);
    const found = await ask();
    assert.ok(found?.kind === "known");
    const [only] = found.owners;
    assert.deepEqual([found.owners.length, only?.owner, only?.standing], [1, WALLET, "wallet"]);
    assert.equal((only?.shares ?? 0n) + found.locked, found.issued);
    assert.equal(found.unlisted, 0n);
    assert.equal(found.ranged?.byOwner.get(WALLET)?.length, 2);
    assert.equal(found.ranged?.byOwner.get(LOCKER), undefined);
  });

  test("is asked of eight positions at most; a thousand others are unlisted", async () => {
    const many = Array.from({ length: 1_000 }, (_, place) =>
      around(WALLET, place < 8 ? 1_000_000n : 1_000n),
    );
    const { ask, chain } = chainWith(many);
    const found = await ask();
    assert.equal(chain.holderSearches.length, 8);
    assert.ok(found?.kind === "known");
    assert.ok(found.unlisted > 0n && found.unlisted * 5n < found.issued);
  });

  test("is unknown where a position is missing, forged or moved, and where the node refuses", async () => {
    const positions = [around(WALLET, 1_000_000n), around(WALLET, 5n)];
    const missing = chainWith(positions);
    missing.chain.set(namedAddress("position 1"), null);
    const forged = chainWith(positions);
    const other = positionAccount(PERSONAL_POSITION, {
      ...around(WALLET, 1n),
      pool: namedAddress("another pool"),
      token: WSOL,
      slot: 1n,
    });
    forged.chain.searchAccounts = async () => ({
      kind: "found",
      accounts: new Map([[namedAddress("position 0"), other]]),
      slot: 1n,
    });
    for (const { ask } of [missing, forged])
      assert.deepEqual(await ask(), { kind: "unknown", reason: "shares-do-not-add-up" });
    const moved = chainWith(positions);
    moved.chain.set(moved.holder(0), null);
    const refused = chainWith(positions);
    refused.chain.refusedPrograms.add(PROGRAM_ID);
    const unlisted = chainWith(positions);
    unlisted.chain.refusedPrograms.add(namedAddress("position token 0"));
    for (const { ask } of [moved, refused, unlisted])
      assert.deepEqual(await ask(), { kind: "unknown", reason: "holders-not-read" });
  });
});
