import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { positionAccount } from "#demo/nested-positions.ts";
import { positionAccount as dlmmPositionAccount } from "#demo/programs/meteora-dlmm-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { clmmFixture, clmmPools } from "#test/support/pools/clmm-pools.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { dlmmAccounts, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { decodePositions, everyOther } from "#test/support/pools/position-accounts.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { whirlpoolFixture, whirlpools } from "#test/support/pools/whirlpools.ts";
import type { AccountSet } from "./account-set.ts";
import type { RangedShares } from "./liquidity-shares.ts";
import { meteoraDlmm } from "./meteora-dlmm/adapter.ts";
import { orcaWhirlpool } from "./orca-whirlpool/adapter.ts";
import { positionLayout, UPGRADEABLE } from "./orca-whirlpool/layout.ts";
import { raydiumClmm } from "./raydium-clmm/adapter.ts";
import { PERSONAL_POSITION } from "./raydium-clmm/layout.ts";
import type { Venue } from "./venue.ts";

function rangedShares<State>(venue: Venue<State>, pool: Address, known: AccountSet): RangedShares {
  const shares = venue.shares(pool, known);
  assert.ok(shares?.kind === "ranged");
  return shares;
}

/** Those that `everyOther` leaves. */
const staying = <Item>(items: readonly Item[]) => items.filter((_, place) => place % 2 === 1);

test("a CLMM pool after a withdrawal is the pool that never had these positions", () => {
  fc.assert(
    fc.property(clmmPools, (fields) => {
      const { pool, accounts } = clmmFixture(fields);
      const state = decodedState(raydiumClmm, pool, accounts);
      const shares = rangedShares(raydiumClmm, pool, accounts);
      const { positions } = fields;
      const all = decodePositions(shares, PERSONAL_POSITION, { pool, positions });
      const left = raydiumClmm.withdrawPositions?.(state, everyOther(shares, all));
      assert.ok(left);
      const without = clmmFixture({ ...fields, positions: staying(positions) });
      const expected = decodedState(raydiumClmm, pool, without.accounts);
      assert.equal(left.liquidity, expected.liquidity);
      // Where arrays are gone, the pool without them is loaded further.
      const [lowest = 0, highest = 0] = [state.ticks[0]?.tick, state.ticks.at(-1)?.tick];
      const inReach = expected.ticks.filter(({ tick }) => tick >= lowest && tick <= highest);
      assert.deepEqual(left.ticks, inReach);
    }),
  );
});

test("a Whirlpool after a withdrawal is the pool that never had these positions", () => {
  fc.assert(
    fc.property(whirlpools, (fields) => {
      const { pool, known } = whirlpoolFixture(fields);
      const state = decodedState(orcaWhirlpool, pool, known);
      const shares = rangedShares(orcaWhirlpool, pool, known);
      const { positions } = fields;
      const all = decodePositions(shares, positionLayout(UPGRADEABLE.programId), {
        pool,
        positions,
      });
      const left = orcaWhirlpool.withdrawPositions?.(state, everyOther(shares, all));
      assert.ok(left);
      const without = whirlpoolFixture({ ...fields, positions: staying(positions) });
      const expected = decodedState(orcaWhirlpool, pool, without.known);
      assert.equal(left.liquidity, expected.liquidity);
      assert.deepEqual(left.arrays, expected.arrays);
    }),
  );
});

const SUPPLY = 1_000_000n;

test("a DLMM pair after a withdrawal pays each bin's share, and every position is in its bins' supply", () => {
  const drawnBins = fc.array(
    fc.record({
      amount: fc.bigInt({ min: 1n, max: 1n << 40n }),
      share: fc.bigInt({ min: 0n, max: SUPPLY }),
    }),
    { minLength: 3, maxLength: 60 },
  );
  fc.assert(
    fc.property(drawnBins, (drawn) => {
      const lower = -30;
      const at = drawn.map(({ amount, share }, place) => {
        const id = lower + place;
        const [x, y] = id > 0 ? [amount, 0n] : [0n, amount];
        return { id, x, y, share, supply: SUPPLY };
      });
      const known = dlmmAccounts({ bins: at, activeId: 0 });
      const state = decodedState(meteoraDlmm, PAIR, known);
      const shares = rangedShares(meteoraDlmm, PAIR, known);
      const position = (ownedOf: (share: bigint) => bigint, owner: Address) => {
        const range = { pair: PAIR, owner, lower, upper: lower + at.length };
        const owned = at.map(({ id, share }) => ({ id, liquiditySupply: ownedOf(share) }));
        const decoded = shares.decode(dlmmPositionAccount(range, owned, 1n));
        assert.ok(decoded);
        return decoded;
      };
      const taken = position((share) => share, testAddress(1));
      const rest = position((share) => SUPPLY - share, testAddress(2));
      assert.equal(
        shares.addUp([taken]) === null,
        at.some(({ share }) => share !== SUPPLY),
      );
      const totals = shares.addUp([taken, rest]);
      assert.ok(totals);
      const left = meteoraDlmm.withdrawPositions?.(state, { positions: [taken], totals });
      assert.ok(left);
      const bins = new Map(left.bins.map((bin) => [bin.id, bin]));
      for (const { id, x, y, share } of at) {
        const { amountX = 0n, amountY = 0n } = bins.get(id) ?? {};
        assert.equal(amountX, x - (x * share) / SUPPLY);
        assert.equal(amountY, y - (y * share) / SUPPLY);
      }
    }),
  );
});

test("positions that are missing, forged or of another moment are never taken for all", () => {
  const positions = [
    { lower: -600, upper: 600, liquidity: 1_000_000n },
    { lower: 1_200, upper: 1_800, liquidity: 5_000n },
  ] as const;
  const { pool, accounts } = clmmFixture({ tickSpacing: 60, sqrtPriceX64: 1n << 64n, positions });
  const shares = rangedShares(raydiumClmm, pool, accounts);
  const all = decodePositions(shares, PERSONAL_POSITION, { pool, positions });
  assert.ok(shares.addUp(all));
  for (const missing of all)
    assert.equal(shares.addUp(all.filter((each) => each !== missing)), null);
  const [first] = all;
  assert.ok(first);
  assert.equal(shares.addUp([...all, first]), null);
  const state = decodedState(raydiumClmm, pool, accounts);
  const totals = shares.addUp(all) ?? new Map();
  const twice = { positions: [first, first], totals };
  assert.equal(raydiumClmm.withdrawPositions?.(state, twice), null);
  for (const [offset, byte] of [
    [0, 1],
    [PERSONAL_POSITION.pool, 1],
    [PERSONAL_POSITION.lower + 3, 0x7f],
  ] as const) {
    const forged = positionAccount(PERSONAL_POSITION, {
      ...positions[0],
      pool,
      token: testAddress(200),
      slot: 1n,
    });
    forged.data[offset] = (forged.data[offset] ?? 0) ^ byte;
    assert.equal(shares.decode(forged), null);
  }
});
