import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { ByteWriter } from "#demo/byte-writer.ts";
import { escrowAccount } from "#demo/jupiter-lock.ts";
import { tokenAccount } from "#demo/token-accounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import {
  PROGRAM_ID as DAMM_V2_PROGRAM,
  INNER_VESTING,
  POOL,
  POSITION,
  POSITION_DISCRIMINATOR,
  POSITION_LENGTH,
  VESTING,
  VESTING_DISCRIMINATOR,
  VESTING_LENGTH,
} from "#src/venues/meteora-damm-v2/layout.ts";
import { positionAddress, positionTokenAccount } from "#src/venues/meteora-damm-v2/positions.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { escrowUntil } from "#test/support/pools/lock-accounts.ts";
import {
  BASE,
  CREATOR,
  dated,
  ESCROW,
  holdersReader,
  NOW,
  neverAnswered,
  WALLET,
} from "#test/support/pools/locked-shares.ts";
import { dammV2Fixture, dammV2State } from "#test/support/pools/meteora-pools.ts";

type Terms = {
  readonly cliff: bigint;
  readonly cliffAmount: bigint;
  readonly period?: bigint;
  readonly perPeriod?: bigint;
  readonly periods?: number;
  readonly released?: bigint;
};

function writeVesting(writer: ByteWriter, offset: number, terms: Terms): ByteWriter {
  return writer
    .u64(offset + INNER_VESTING.cliffPoint, terms.cliff)
    .u64(offset + INNER_VESTING.periodFrequency, terms.period ?? 0n)
    .u128(offset + INNER_VESTING.cliffUnlockLiquidity, terms.cliffAmount)
    .u128(offset + INNER_VESTING.liquidityPerPeriod, terms.perPeriod ?? 0n)
    .u128(offset + INNER_VESTING.totalReleasedLiquidity, terms.released ?? 0n)
    .u16(offset + INNER_VESTING.numberOfPeriod, terms.periods ?? 0);
}

describe("a DAMM v2 position that vests", () => {
  const TOKEN = namedAddress("position token");

  /** One position with 1,000 of liquidity: its vesting amount, its own terms, and those of other accounts. */
  function position(
    vesting: bigint,
    own: Terms | null,
    elsewhere: readonly Terms[] = [],
    { owner = WALLET, countsSlots = false } = {},
  ) {
    const chain = new ScriptedChain();
    const { pool, accounts } = dammV2Fixture(dammV2State({ liquidity: 1_000n }));
    const account = accounts.get(pool);
    assert.ok(account);
    account.data[POOL.activationType] = countsSlots ? 0 : 1;
    const writer = new ByteWriter(new Uint8Array(POSITION_LENGTH))
      .raw(0, POSITION_DISCRIMINATOR)
      .address(POSITION.pool, pool)
      .address(POSITION.nftMint, TOKEN)
      .u128(POSITION.unlockedLiquidity, 1_000n - vesting)
      .u128(POSITION.vestedLiquidity, vesting);
    if (own !== null) writeVesting(writer, POSITION.innerVesting, own);
    chain.set(positionAddress(TOKEN), {
      owner: DAMM_V2_PROGRAM,
      lamports: 1n,
      data: writer.bytes,
    });
    for (const [place, terms] of elsewhere.entries()) {
      const other = new ByteWriter(new Uint8Array(VESTING_LENGTH))
        .raw(0, VESTING_DISCRIMINATOR)
        .address(VESTING.position, positionAddress(TOKEN));
      const { bytes: data } = writeVesting(other, VESTING.innerVesting, terms);
      chain.set(namedAddress(`vesting ${place}`), { owner: DAMM_V2_PROGRAM, lamports: 1n, data });
    }
    const holder = positionTokenAccount(TOKEN);
    chain.set(holder, tokenAccount({ mint: TOKEN, owner, amount: 1n, slot: 0n }));
    const read = holdersReader(chain);
    const shares = meteoraDammV2.shares(pool, accounts);
    assert.ok(shares?.kind === "positions");
    return { chain, ask: () => read({ pool, quoteMint: WSOL, shares }) };
  }

  test("is withdrawable as far as its own and other vestings are due, and no further", async () => {
    const own = { cliff: NOW - 30n, cliffAmount: 100n, period: 20n, perPeriod: 50n, periods: 4 };
    const other = { cliff: NOW + 90n, cliffAmount: 300n };
    const { chain, ask } = position(570n, { ...own, released: 30n }, [other]);
    const found = await ask();
    // 430 were unlocked; of its own vesting of 300, 150 have opened, of which 30 were released before.
    assert.deepEqual(
      found.owners.map(({ owner, shares }) => [owner, shares]),
      [[WALLET, 550n]],
    );
    assert.deepEqual(
      found.locks.map(({ shares, terms }) => [shares, terms]),
      [[450n, dated(NOW + 10n, NOW + 90n)]],
    );
    assert.equal(chain.searches.length, 2);
  });

  test("counts slots if its pool does, with an estimated time", async () => {
    const { chain, ask } = position(400n, { cliff: 3_500n, cliffAmount: 400n }, [], {
      countsSlots: true,
    });
    const at = { at: NOW + 1_000n, slot: 3_500n };
    assert.partialDeepStrictEqual(await ask(), {
      owners: [{ shares: 600n }],
      locks: [{ shares: 400n, terms: { kind: "dated", next: at, last: at } }],
    });
    assert.equal(chain.searches.length, 1);
  });

  test("counts wholly for its owner, with the reason, if vestings are missing, contradictory or refused", async () => {
    const terms = { cliff: NOW + 90n, cliffAmount: 300n };
    const missing = position(400n, null, [terms]);
    const tooMuch = position(200n, null, [terms]);
    const refused = position(300n, null, [terms]);
    const search = refused.chain.searchAccounts.bind(refused.chain);
    refused.chain.searchAccounts = async (filter) =>
      filter.dataSize === VESTING_LENGTH
        ? { kind: "refused", reason: "not here" }
        : await search(filter);
    const released = position(300n, { ...terms, released: 1n, cliffAmount: 301n });
    const absent = position(300n, null);
    for (const [{ ask }, reason] of [
      [missing, "undecodable"],
      [tooMuch, "undecodable"],
      [released, "undecodable"],
      [refused, "not-read"],
      [absent, "not-read"],
    ] as const) {
      assert.partialDeepStrictEqual(await ask(), {
        owners: [{ owner: WALLET, shares: 1_000n }],
        locks: [{ owner: WALLET, terms: { kind: "unknown", reason } }],
      });
    }
  });

  test("has one lock for all its vestings; the part that never opens is locked for good", async () => {
    const all = Array.from({ length: 99 }, (_, place) => ({
      cliff: NOW + 1_000n - BigInt(place),
      cliffAmount: 5n,
    }));
    const never = { cliff: 1n << 62n, cliffAmount: 100n };
    const { ask } = position(595n, null, [...all, never]);
    const { owners, locked, locks } = await ask();
    assert.deepEqual([owners[0]?.shares, locked], [405n, 100n]);
    assert.deepEqual(
      locks.map(({ shares, terms }) => [shares, terms]),
      [[495n, dated(NOW + 902n, NOW + 1_000n)]],
    );
  });

  test("counts for its owner if it has too many vestings to read", async () => {
    const all = Array.from({ length: 101 }, (_, place) => ({
      cliff: NOW + 1_000n - BigInt(place),
      cliffAmount: 5n,
    }));
    assert.partialDeepStrictEqual(await position(505n, null, all).ask(), {
      owners: [{ owner: WALLET, shares: 1_000n }],
      locks: [{ shares: 505n, terms: { kind: "unknown", reason: "not-read" } }],
    });
  });

  test("counts for its owner if its vestings are not found within three seconds", async (t) => {
    t.mock.timers.enable();
    const { chain, ask } = position(300n, null, [{ cliff: NOW + 90n, cliffAmount: 300n }]);
    const matches = ({ dataSize }: ProgramFilter) => dataSize === VESTING_LENGTH;
    const underWay = neverAnswered(chain, { count: 1, matches });
    const asked = ask();
    await underWay;
    t.mock.timers.tick(3_000);
    assert.partialDeepStrictEqual(await asked, {
      owners: [{ owner: WALLET, shares: 1_000n }],
      locks: [{ shares: 300n, terms: { kind: "unknown", reason: "not-read" } }],
    });
  });

  test("whose token is in a lock opens for the lock's recipient when both locks are open", async () => {
    const { chain, ask } = position(400n, { cliff: NOW + 90n, cliffAmount: 400n }, [], {
      owner: ESCROW,
    });
    const lock = { mint: TOKEN, recipient: WALLET, base: BASE, cliffAmount: 1n };
    chain.set(ESCROW, escrowAccount(escrowUntil(NOW + 60n, lock)));
    const found = await ask();
    assert.deepEqual(found.owners, []);
    assert.deepEqual(
      found.locks.map(({ owner, shares, terms }) => [owner, shares, terms]),
      [
        [WALLET, 600n, dated(NOW + 60n, NOW + 60n)],
        [WALLET, 400n, dated(NOW + 90n, NOW + 90n)],
      ],
    );
  });

  test("whose token is in a lock that can be cancelled is listed once: its vesting part with its own dates, before the rest", async () => {
    const { chain, ask } = position(400n, { cliff: NOW + 90n, cliffAmount: 400n }, [], {
      owner: ESCROW,
    });
    const lock = { mint: TOKEN, recipient: WALLET, creator: CREATOR, base: BASE };
    const fields = { ...lock, cliffAmount: 1n, cancelMode: 1 };
    chain.set(ESCROW, escrowAccount(escrowUntil(NOW + 60n, fields)));
    const found = await ask();
    assert.deepEqual(
      found.owners.map(({ owner, shares }) => [owner, shares]),
      [[CREATOR, 600n]],
    );
    assert.deepEqual(
      found.locks.map(({ owner, shares, terms }) => [owner, shares, terms]),
      [
        [CREATOR, 400n, dated(NOW + 90n, NOW + 90n)],
        [CREATOR, 600n, { kind: "unknown", reason: "revocable" }],
      ],
    );
  });
});
