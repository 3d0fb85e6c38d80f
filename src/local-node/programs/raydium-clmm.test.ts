import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { quoteSwap } from "#src/venues/raydium-clmm/quote.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import type { AccountChanges } from "../market-program.ts";
import { mintAccount } from "../token-accounts.ts";
import { raydiumClmmProgram } from "./raydium-clmm.ts";

const CLOCK = { slot: 100n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const USER = testAddress(90);
const TRADES = 60;

type Ledger = Map<Address, Account | null>;

function apply(ledger: Ledger, changes: AccountChanges): void {
  for (const [address, account] of changes) ledger.set(address, account);
}

/** A fresh market: 200 million tokens against 400 SOL. */
function opened(baseMint: Address, transferFeeBps = 0) {
  const fee = { epoch: 0n, maximum: 1n << 60n, feeBps: transferFeeBps };
  const base = { supply: 10n ** 15n, decimals: 6, slot: 1n };
  const ledger: Ledger = new Map([
    [WSOL, mintAccount({ supply: 10n ** 18n, decimals: 9, slot: 1n })],
    [
      baseMint,
      mintAccount(
        transferFeeBps === 0 ? base : { ...base, transferFee: { older: fee, newer: fee } },
      ),
    ],
  ]);
  apply(ledger, raydiumClmmProgram.setup(CLOCK));
  const { pool, changes } = raydiumClmmProgram.createPool(ledger, {
    baseMint,
    quoteMint: WSOL,
    baseAmount: 200_000_000_000_000n,
    quoteAmount: 400_000_000_000n,
    creator: USER,
    clock: CLOCK,
    freshAddress: () => testAddress(91),
  });
  apply(ledger, changes);
  return { ledger, pool };
}

function stateOf(ledger: Ledger, pool: Address) {
  const decoded = raydiumClmm.decode(pool, ledger);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

test("the pool opens at the price of its deposits, with all accounts that quotes need", () => {
  for (const baseMint of [testAddress(2), testAddress(200)]) {
    const { ledger, pool } = opened(baseMint);
    for (const needed of raydiumClmm.accountsNeeded(pool, ledger)) {
      assert.ok(ledger.get(needed), needed);
    }
    const spot = raydiumClmm.spotPrice(stateOf(ledger, pool), baseMint);
    if (spot === null) throw new Error("the pool sells nothing");
    const perMillion = (spot.numerator * 1_000_000_000n) / spot.denominator;
    assert.ok(perMillion >= 1_999_999n && perMillion <= 2_000_000n, String(perMillion));
  }
});

test("the bytes after each swap decode to the state that was quoted", () => {
  for (const [baseMint, transferFeeBps] of [
    [testAddress(2), 0],
    [testAddress(200), 100],
  ] as const) {
    const { ledger, pool } = opened(baseMint, transferFeeBps);
    for (let trade = 0; trade < TRADES; trade++) {
      const isSale = trade % 3 !== 0;
      const size = BigInt(1 + ((trade * 7919) % 97));
      const order = {
        inputMint: isSale ? baseMint : WSOL,
        amountIn: isSale ? size * 40_000_000_000n : size * 150_000_000n,
        clock: { ...CLOCK, slot: CLOCK.slot + BigInt(trade) },
      };
      const quote = quoteSwap(stateOf(ledger, pool), order);
      const outputMint = isSale ? WSOL : baseMint;
      const result = raydiumClmmProgram.swap(ledger, { ...order, pool, outputMint, user: USER });
      if (quote.kind !== "filled" || result.kind !== "done") throw new Error("refused");
      assert.equal(result.amountOut, quote.amountOut);
      apply(ledger, result.changes);
      assert.deepEqual(stateOf(ledger, pool), quote.after);
    }
  }
});

test("the event tells the amounts as the program does: 221 bytes, logged", () => {
  const baseMint = testAddress(200);
  const { ledger, pool } = opened(baseMint, 100);
  const state = stateOf(ledger, pool);
  const order = { inputMint: baseMint, amountIn: 5_000_000_000_000n, clock: CLOCK };
  const quote = quoteSwap(state, order);
  const trade = { ...order, pool, outputMint: WSOL, user: USER };
  const result = raydiumClmmProgram.swap(ledger, trade);
  if (quote.kind !== "filled" || result.kind !== "done") throw new Error("refused");
  const line = result.logs.find((text) => text.startsWith("Program data: ")) ?? "";
  const event = new ByteReader(
    new Uint8Array(Buffer.from(line.slice("Program data: ".length), "base64")),
  );
  assert.equal(event.length, 221);
  assert.ok(event.has(0, discriminator("40c6cde8260871e2")));
  assert.equal(event.address(8), pool);
  const isSold0 = state.token0.mint === baseMint;
  const [sold, bought] = isSold0 ? [136, 152] : [152, 136];
  assert.equal(event.u64(sold), 4_950_000_000_000n);
  assert.equal(event.u64(sold + 8), 50_000_000_000n);
  assert.equal(event.u64(bought), result.amountOut);
  assert.equal(event.bool(168), isSold0);
  assert.equal(event.u128(169), quote.after.sqrtPriceX64);
  assert.equal(event.u128(185), quote.after.liquidity);
  assert.equal(event.i32(201), quote.after.tickCurrent);
  assert.deepEqual(result.innerInstructionData, []);
  assert.equal(result.instructionAccounts[2], pool);
});

test("pulled liquidity takes depth along, put back it returns", () => {
  const baseMint = testAddress(2);
  const { ledger, pool } = opened(baseMint);
  const depth = () => raydiumClmm.reachable(stateOf(ledger, pool), baseMint, 10_000);
  const before = depth();
  const half = raydiumClmmProgram.changeLiquidity(ledger, pool, 5_000, CLOCK);
  apply(ledger, half ?? new Map());
  assert.ok(depth() > (before * 49n) / 100n && depth() <= before / 2n);
  apply(ledger, raydiumClmmProgram.changeLiquidity(ledger, pool, -10_000, CLOCK) ?? new Map());
  assert.ok(depth() > (before * 99n) / 100n && depth() <= before);
  apply(ledger, raydiumClmmProgram.changeLiquidity(ledger, pool, 10_000, CLOCK) ?? new Map());
  assert.equal(depth(), 0n);
});

test("a raised fee and a pause reach the quote", () => {
  const baseMint = testAddress(2);
  const { ledger, pool } = opened(baseMint);
  apply(ledger, raydiumClmmProgram.setFee?.(ledger, pool, 90_000, CLOCK) ?? new Map());
  assert.equal(raydiumClmm.feePpm(stateOf(ledger, pool), baseMint, CLOCK), 90_000);
  apply(ledger, raydiumClmmProgram.setPaused?.(ledger, pool, true, CLOCK) ?? new Map());
  assert.equal(raydiumClmm.status(stateOf(ledger, pool), CLOCK), "paused");
  apply(ledger, raydiumClmmProgram.setPaused?.(ledger, pool, false, CLOCK) ?? new Map());
  assert.equal(raydiumClmm.status(stateOf(ledger, pool), CLOCK), "open");
});
