import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MarketProgram } from "#demo/market-program.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { divCeil, Q64 } from "#src/units/integer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import { PatchedAccounts } from "#src/venues/patched-accounts.ts";
import type { Direction } from "#src/venues/shared/curves/direction.ts";
import { LiquidityTable } from "#src/venues/shared/curves/liquidity-table.ts";
import type { Venue } from "#src/venues/venue.ts";
import type { Position } from "./clmm-pools.ts";
import { decodedState } from "./decoded-state.ts";
import { assertFastEqualsReference } from "./fast-paths.ts";
import { amountOut } from "./quoted-amount.ts";
import { testAddress } from "./raydium-pools.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc
  .integer({ min: 0, max: 53 })
  .chain((bits) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }));

/** The fields that pools of both programs have; others have defaults. */
type PlainPool = {
  readonly tickSpacing: number;
  readonly sqrtPriceX64: bigint;
  readonly positions: readonly Position[];
};

/** What a venue with ticks and a fast path brings to be held to the laws below. */
type FastTickVenue<State, Fields> = {
  readonly venue: Venue<State>;
  readonly program: MarketProgram;
  /** Pools with a fee that a swap does not move. */
  readonly pools: fc.Arbitrary<Fields>;
  /** The fee, and what else varies, of hostile pools. */
  readonly hostile: fc.Arbitrary<Omit<Fields, keyof PlainPool>>;
  readonly fixture: (fields: Fields | PlainPool) => {
    readonly pool: Address;
    readonly mintA: Address;
    readonly mintB: Address;
    readonly known: AccountSet;
  };
  readonly feePpm: (state: State) => number;
  /** The ticks at which a swap stops, in order. */
  readonly stops: (
    state: State,
    direction: Direction,
  ) => Iterable<{ readonly tick: number; readonly liquidityNet: bigint }>;
  readonly sqrtPriceAtTick: (tick: number) => bigint;
  /** A tick spacing of the program, close to its ends, and one of ordinary pools. */
  readonly spacings: { readonly fine: number; readonly usual: number };
  /** A little below the highest tick. */
  readonly highTick: number;
  /** Where the pool's bytes hold the liquidity at its price. */
  readonly liquidityOffset: number;
  /** Of the fixture's pool. */
  readonly vaults: { readonly a: Address; readonly b: Address };
};

/**
 * Registers the laws that every fast path over ticks keeps: it pays what the reference pays, and the reference goes
 * on from the state after a sale as if the sale had not ended.
 */
export function testFastTickLaws<
  State extends { readonly sqrtPriceX64: bigint; readonly liquidity: bigint },
  Fields,
>({
  venue,
  program,
  pools,
  hostile,
  fixture,
  feePpm,
  stops,
  sqrtPriceAtTick,
  spacings,
  highTick,
  liquidityOffset,
  vaults,
}: FastTickVenue<State, Fields>): void {
  const openFast = (pool: Address, known: AccountSet, inputMint: Address): FastQuoter | null =>
    venue.openFast?.(pool, known, inputMint) ?? null;

  /** Every result of the fast path is the reference's; one left to the reference is never wrong. */
  function assertEqual(
    quoter: FastQuoter,
    order: { pool: Address; known: AccountSet; inputMint: Address; amountsIn: readonly bigint[] },
  ): void {
    const tally = { proved: 0, asked: 0 };
    assertFastEqualsReference(venue, quoter, { ...order, clock: CLOCK }, tally);
  }

  /** Amounts around those that end exactly at a stop, as far as the program's integers hold them. */
  function boundaries(state: State, aToB: boolean): readonly bigint[] {
    const found: bigint[] = [];
    let { sqrtPriceX64, liquidity } = state;
    let consumed = 0n;
    for (const stop of stops(state, aToB ? "down" : "up")) {
      const targetX64 = sqrtPriceAtTick(stop.tick);
      const area = liquidity * (aToB ? sqrtPriceX64 - targetX64 : targetX64 - sqrtPriceX64);
      const net = aToB ? divCeil(area << 64n, sqrtPriceX64 * targetX64) : divCeil(area, Q64);
      consumed += divCeil(net * 1_000_000n, 1_000_000n - BigInt(feePpm(state)));
      for (const near of [-2n, -1n, 0n, 1n, 2n]) found.push(consumed + near);
      liquidity += aToB ? -stop.liquidityNet : stop.liquidityNet;
      sqrtPriceX64 = targetX64;
    }
    return found.filter((value) => value >= 0n && value < 1n << 53n);
  }

  /** A pool of one position around the price of tick 0. */
  function evenPool({ below, above }: { readonly below: number; readonly above: number }) {
    const { fine } = spacings;
    const position = { lower: -below * fine, upper: above * fine, liquidity: 1n << 40n };
    const sqrtPriceX64 = sqrtPriceAtTick(0);
    return fixture({ tickSpacing: fine, sqrtPriceX64, positions: [position] });
  }

  test("equals the reference on any pool and amount, at tick boundaries too", () => {
    const amounts = fc.array(amount, { minLength: 1, maxLength: 8 });
    let opened = 0;
    fc.assert(
      fc.property(pools, amounts, fc.boolean(), (fields, some, aToB) => {
        const { pool, mintA, mintB, known } = fixture(fields);
        const inputMint = aToB ? mintA : mintB;
        const quoter = openFast(pool, known, inputMint);
        if (quoter === null) return;
        const amountsIn = [...some, ...boundaries(decodedState(venue, pool, known), aToB)];
        assertEqual(quoter, { pool, known, inputMint, amountsIn });
        opened++;
      }),
      { numRuns: 400 },
    );
    assert.ok(opened > 100);
  });

  test("a sale in two parts pays as much as in one, but for rounding, at tick boundaries too", () => {
    let compared = 0;
    fc.assert(
      fc.property(pools, amount, amount, fc.boolean(), (fields, some, rest, aToB) => {
        const { pool, mintA, mintB, known } = fixture(fields);
        const state = decodedState(venue, pool, known);
        const inputMint = aToB ? mintA : mintB;
        const quote = (from: State, amountIn: bigint) =>
          venue.quoteExactIn(from, { inputMint, amountIn, clock: CLOCK });
        for (const first of [some, ...boundaries(state, aToB)]) {
          const before = quote(state, first);
          const whole = quote(state, first + rest);
          // Each part may lose a unit to each rounding of its input.
          const less = quote(state, first + rest - 4n);
          if (before.kind !== "filled" || whole.kind !== "filled" || less.kind !== "filled")
            continue;
          const after = quote(before.after, rest);
          // From where the first part ended, the second may need ticks that were not loaded.
          if (after.kind === "unfillable" && after.reason !== "output-zero") continue;
          const inTwo = before.amountOut + (after.kind === "filled" ? after.amountOut : 0n);
          assert.ok(inTwo <= whole.amountOut + 1n, `${inTwo} ${whole.amountOut}`);
          assert.ok(inTwo >= less.amountOut - 4n, `${inTwo} ${less.amountOut}`);
          compared++;
        }
      }),
      { numRuns: 100 },
    );
    assert.ok(compared > 100);
  });

  test("hostile liquidity and prices are equal or left to the reference", () => {
    const wide = fc.record({
      tick: fc.integer({ min: -highTick, max: highTick }),
      liquidity: fc.integer({ min: 0, max: 120 }).map((bits) => (1n << BigInt(bits)) + 7n),
      below: fc.integer({ min: 1, max: 500 }),
      above: fc.integer({ min: 1, max: 500 }),
    });
    const amounts = fc.array(amount, { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(wide, hostile, amounts, ({ tick, liquidity, below, above }, rest, some) => {
        const { pool, mintA, mintB, known } = fixture({
          ...rest,
          tickSpacing: 1,
          sqrtPriceX64: sqrtPriceAtTick(tick) + 1n,
          positions: [{ lower: tick - below, upper: tick + above, liquidity }],
        });
        const state = decodedState(venue, pool, known);
        for (const inputMint of [mintA, mintB]) {
          const quoter = openFast(pool, known, inputMint);
          if (quoter === null) continue;
          const amountsIn = [...some, ...boundaries(state, inputMint === mintA)];
          assertEqual(quoter, { pool, known, inputMint, amountsIn });
        }
      }),
      { numRuns: 300 },
    );
  });

  test("an order that ends at a tick which the liquidity can't cross is refused, as any larger one", () => {
    const { pool, mintA, mintB, known: loaded } = evenPool({ below: 20, above: 30 });
    const known = new PatchedAccounts(loaded);
    known.patch(pool, [{ offset: liquidityOffset, value: (1n << 40n) - 1n, width: 16 }]);
    const state = decodedState(venue, pool, known);
    for (const inputMint of [mintA, mintB]) {
      const quoter = openFast(pool, known, inputMint);
      assert.ok(quoter !== null);
      const amountsIn = boundaries(state, inputMint === mintA).slice(0, 5);
      assertEqual(quoter, { pool, known, inputMint, amountsIn });
      const filled = amountsIn.filter(
        (amountIn) =>
          venue.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK }).kind === "filled",
      );
      assert.equal(filled.length, 2, "those one and two units before the tick");
    }
  });

  test("stays equal while swaps, liquidity and fees move the pool's bytes", () => {
    const baseMint = testAddress(2);
    const accounts = new Map<Address, Account | null>([
      [WSOL, mintAccount({ supply: 10n ** 18n, decimals: 9, slot: 1n })],
      [baseMint, mintAccount({ supply: 10n ** 15n, decimals: 6, slot: 1n })],
    ]);
    const ledger = { get: (address: Address) => accounts.get(address) ?? null };
    const apply = (changes: ReadonlyMap<Address, Account | null> | null | undefined): void => {
      for (const [address, account] of changes ?? []) accounts.set(address, account);
    };
    apply(program.setup(CLOCK));
    let made = 0;
    const { pool, changes } = program.createPool(ledger, {
      baseMint,
      quoteMint: WSOL,
      baseAmount: 200_000_000_000_000n,
      quoteAmount: 400_000_000_000n,
      creator: testAddress(90),
      clock: CLOCK,
      freshAddress: () => addressFromBytes(new Uint8Array(32).fill(100 + made++)),
    });
    apply(changes);
    const quoters = [baseMint, WSOL].map((mint) => {
      const quoter = openFast(pool, ledger, mint);
      if (quoter === null) throw new Error("the demo pool is in range");
      return { mint, quoter };
    });
    for (let step = 0; step < 120; step++) {
      const isSale = (step * 7) % 5 < 3;
      const inputMint = isSale ? baseMint : WSOL;
      const size = BigInt(1 + ((step * 7919) % 97));
      const amountIn = isSale ? size * 90_000_000_000n : size * 220_000_000n;
      const trade = { pool, inputMint, outputMint: isSale ? WSOL : baseMint, amountIn };
      const result = program.swap(ledger, { ...trade, user: pool, clock: CLOCK });
      if (result.kind === "done") apply(result.changes);
      if (step % 13 === 5) apply(program.changeLiquidity(ledger, pool, 900, CLOCK));
      if (step % 17 === 7) apply(program.setFee?.(ledger, pool, 1_000 + step, CLOCK));
      apply(program.setPaused?.(ledger, pool, step % 29 === 11, CLOCK));
      for (const { mint, quoter } of quoters) {
        assert.ok(quoter.refresh(ledger));
        const amountsIn = [1n, 1_000n, 10n ** 9n, 5n * 10n ** 10n, 10n ** 12n, 3n * 10n ** 13n];
        assertEqual(quoter, { pool, known: ledger, inputMint: mint, amountsIn });
      }
    }
  });

  test("nothing is uncertified in a pool of ordinary size", () => {
    const { usual } = spacings;
    const middle = -1_000 * usual;
    const { pool, mintA, known } = fixture({
      tickSpacing: usual,
      sqrtPriceX64: sqrtPriceAtTick(middle) + 5n,
      positions: Array.from({ length: 30 }, (_, index) => ({
        lower: middle - (index + 1) * usual,
        upper: middle + (index + 1) * usual,
        liquidity: 300_000_000_000n + BigInt(index),
      })),
    });
    const quoter = openFast(pool, known, mintA);
    assert.ok(quoter !== null && "table" in quoter && quoter.table instanceof LiquidityTable);
    const amountsIn = [1n, 2n, 4n, 10n, 20n, 100n].map((size) => size * 50_000_000_000n);
    assertEqual(quoter, { pool, known, inputMint: mintA, amountsIn });
    assert.equal(quoter.table.uncertified, 0);
    assert.ok(quoter.table.steps > 30);
  });

  test("a sale is refused where its output vault holds less than it pays, on every path", () => {
    const { pool, mintA, mintB, known: loaded } = evenPool({ below: 100, above: 100 });
    for (const [inputMint, vault] of [
      [mintA, vaults.b],
      [mintB, vaults.a],
    ] as const) {
      const known = new PatchedAccounts(loaded);
      const quoter = openFast(pool, known, inputMint);
      assert.ok(quoter !== null);
      const amountsIn = [1_000_000n, 2_000_000n, 3_000_000n];
      const orders = { inputMint, amountsIn, clock: CLOCK };
      const [, paid, most] = venue.quoteAscending?.(decodedState(venue, pool, known), orders) ?? [];
      assert.ok(paid && most);
      for (const [held, filled] of [
        [most, 3],
        [most - 1n, 2],
        [paid, 2],
        [paid - 1n, 1],
        [0n, 0],
      ] as const) {
        known.patchTokenAmount(vault, held);
        assert.ok(quoter.refresh(known));
        assertEqual(quoter, { pool, known, inputMint, amountsIn });
        const state: State = decodedState(venue, pool, known);
        const ascending = venue.quoteAscending?.(state, orders);
        assert.equal(ascending?.filter((each) => each !== null).length, filled);
        for (const [index, amountIn] of amountsIn.entries()) {
          const quote = venue.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
          assert.equal(amountOut(quote), ascending?.[index] ?? "insufficient-liquidity");
        }
      }
    }
  });
}
