import assert from "node:assert/strict";
import { test } from "node:test";
import { mintAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { LOADER_V3 } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { meteoraDlmmSale } from "#src/venues/meteora-dlmm/sale.ts";
import { orcaWhirlpool } from "#src/venues/orca-whirlpool/adapter.ts";
import { orcaWhirlpoolSale } from "#src/venues/orca-whirlpool/sale.ts";
import { sqrtPriceAtTick } from "#src/venues/orca-whirlpool/tick-math.ts";
import { raydiumAmmV4Sale } from "#src/venues/raydium-amm-v4/sale.ts";
import type { Venue } from "#src/venues/venue.ts";
import type { VenueSale } from "#src/venues/venue-sale.ts";
import { CLOCK, dlmmAccounts, MINT_X, MINT_Y, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { hookedMint } from "#test/support/pools/hooked-mint.ts";
import { ammFixture } from "#test/support/pools/raydium-pools.ts";
import { whirlpoolFixture } from "#test/support/pools/whirlpools.ts";
import { prepareSale, type SaleOrder } from "./prepare-sale.ts";
import { Prover } from "./prover.ts";

type Accounts = ReadonlyMap<Address, Account | null>;
type Sale = Omit<SaleOrder, "amountIn">;

const AMOUNT = 1_000_000n;
const MINT = mintAccount({ supply: U64_MAX, decimals: 6, slot: 1n });

function prepared(sale: VenueSale, order: SaleOrder, known: Accounts) {
  return prepareSale(sale, order, { get: (address) => known.get(address) ?? null });
}

function paidBy(venue: Venue<unknown>, { pool, inputMint }: Sale, known: Accounts): bigint {
  const decoded = venue.decode(pool, known);
  assert.ok(decoded.kind === "pool");
  const order = { inputMint, amountIn: AMOUNT, clock: CLOCK };
  const quote = venue.quoteExactIn(decoded.state, order);
  assert.ok(quote.kind === "filled");
  return quote.amountOut;
}

test("a sale of a hooked token that the model pays is not executed, since its accounts are not known", () => {
  const whirlpool = whirlpoolFixture({
    tickSpacing: 64,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -6_400, upper: 6_400, liquidity: 1n << 50n }],
  });
  const bins = [{ id: 0, x: 10n * AMOUNT, y: 10n * AMOUNT }];
  const pair = { pool: PAIR, inputMint: MINT_X, outputMint: MINT_Y };
  const { pool, mintA, mintB, known } = whirlpool;
  for (const [venue, sale, order, plain] of [
    [orcaWhirlpool, orcaWhirlpoolSale, { pool, inputMint: mintA, outputMint: mintB }, known],
    [meteoraDlmm, meteoraDlmmSale, pair, dlmmAccounts({ bins })],
  ] as const) {
    const hooked = new Map<Address, Account | null>(plain);
    const { inputMint } = order;
    hooked.set(inputMint, hookedMint(plain.get(inputMint) ?? assert.fail("no mint")));
    assert.ok(paidBy(venue, order, hooked) > 0n, venue.id);
    const amount = { ...order, amountIn: AMOUNT };
    assert.equal(prepared(sale, amount, plain).kind, "prepared", venue.id);
    assert.equal(prepared(sale, amount, hooked).kind, "unbuildable", venue.id);
  }
});

test("more tokens than a mint can issue are not sold in the VM, whose token program does not check that", () => {
  for (const [excess, kind] of [
    [0n, "prepared"],
    [1n, "oversized"],
  ] as const) {
    const coinVault = U64_MAX - AMOUNT + excess;
    const { pool, mintA, mintB, accounts } = ammFixture({ coinVault, pcVault: 1_000_000_000n });
    const known = new Map(accounts).set(mintA, MINT).set(mintB, MINT);
    const order = { pool, inputMint: mintA, outputMint: mintB, amountIn: AMOUNT };
    assert.equal(prepared(raydiumAmmV4Sale, order, known).kind, kind);
  }
});

test("more than a mint can issue is refused, and the same pool executes a smaller amount", async () => {
  const coinVault = U64_MAX - AMOUNT;
  const { pool, mintA, mintB, accounts } = ammFixture({ coinVault, pcVault: 1_000_000_000n });
  const known = new Map(accounts).set(mintA, MINT).set(mintB, MINT);
  const program = { loader: LOADER_V3, deployedSlot: null, hash: "" };
  const paid = { kind: "executed", lamports: 7n, tokens: 7n, computeUnits: 1n } as const;
  const prover = new Prover({
    programs: {
      load: async (programId) => ({ kind: "loaded", program: { ...program, programId } }),
    },
    vm: { execute: async ({ steps }) => steps.map(() => paid) },
    chain: {
      readAccounts: async (addresses) => ({
        accounts: new Map(addresses.map((address) => [address, null])),
      }),
    },
    signal: AbortSignal.timeout(10_000),
  });
  const sale = { venue: "raydium-amm-v4", pool, inputMint: mintA, outputMint: mintB } as const;
  const asked = [[AMOUNT + 1n], [AMOUNT], [AMOUNT, AMOUNT + 1n], [1n]].map((amountsIn) => ({
    ...sale,
    amountsIn,
  }));
  const outcomes = await prover.quote(asked, { accounts: known, clock: CLOCK });
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["refused", "paid", "refused", "paid"],
  );
});
