import assert from "node:assert/strict";
import { test } from "node:test";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { orcaWhirlpool } from "#src/venues/orca-whirlpool/adapter.ts";
import type { WhirlpoolState } from "#src/venues/orca-whirlpool/pool-state.ts";
import { quoteSwap } from "#src/venues/orca-whirlpool/quote.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import type { AccountChanges } from "../market-program.ts";
import { mintAccount } from "../token-accounts.ts";
import { orcaWhirlpoolProgram } from "./orca-whirlpool.ts";

const CLOCK = { slot: 100n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const USER = testAddress(90);
const TRADES = 60;

/** Stands for a node: what is not stored is known not to exist. */
class Ledger {
  readonly #accounts = new Map<Address, Account | null>();

  get(address: Address): Account | null {
    return this.#accounts.get(address) ?? null;
  }

  apply(changes: AccountChanges | null): void {
    assert.notEqual(changes, null);
    for (const [address, account] of changes ?? []) this.#accounts.set(address, account);
  }
}

/** A fresh market: 200 million tokens against 400 SOL. */
function opened(baseMint: Address, transferFeeBps = 0) {
  const fee = { epoch: 0n, maximum: 1n << 60n, feeBps: transferFeeBps };
  const base = { supply: 10n ** 15n, decimals: 6, slot: 1n };
  const taxed = { ...base, transferFee: { older: fee, newer: fee } };
  const ledger = new Ledger();
  ledger.apply(
    new Map([
      [WSOL, mintAccount({ supply: 10n ** 18n, decimals: 9, slot: 1n })],
      [baseMint, mintAccount(transferFeeBps === 0 ? base : taxed)],
    ]),
  );
  ledger.apply(orcaWhirlpoolProgram.setup(CLOCK));
  let made = 0;
  const { pool, changes } = orcaWhirlpoolProgram.createPool(ledger, {
    baseMint,
    quoteMint: WSOL,
    baseAmount: 200_000_000_000_000n,
    quoteAmount: 400_000_000_000n,
    creator: USER,
    clock: CLOCK,
    freshAddress: () => addressFromBytes(new Uint8Array(32).fill(100 + made++)),
  });
  ledger.apply(changes);
  return { ledger, pool };
}

function stateOf(ledger: Ledger, pool: Address): WhirlpoolState {
  const decoded = orcaWhirlpool.decode(pool, ledger);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

/** The arrays in reach move with the price; a quoted state keeps those of before. */
function withoutArrays(state: WhirlpoolState): object {
  return { ...state, arrays: null };
}

test("the pool opens at the price of its deposits, with all accounts that quotes need", () => {
  for (const baseMint of [testAddress(2), testAddress(200)]) {
    const { ledger, pool } = opened(baseMint);
    const state = stateOf(ledger, pool);
    assert.deepEqual(orcaWhirlpool.cautions(state), []);
    const spot = orcaWhirlpool.spotPrice(state, baseMint);
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
      const result = orcaWhirlpoolProgram.swap(ledger, { ...order, pool, outputMint, user: USER });
      if (quote.kind !== "filled" || result.kind !== "done") throw new Error("refused");
      assert.equal(result.amountOut, quote.amountOut);
      ledger.apply(result.changes);
      assert.deepEqual(withoutArrays(stateOf(ledger, pool)), withoutArrays(quote.after));
    }
  }
});

test("the event tells the amounts as the program does: 121 bytes, logged", () => {
  const baseMint = testAddress(200);
  const { ledger, pool } = opened(baseMint, 100);
  const state = stateOf(ledger, pool);
  const order = { inputMint: baseMint, amountIn: 5_000_000_000_000n, clock: CLOCK };
  const quote = quoteSwap(state, order);
  const trade = { ...order, pool, outputMint: WSOL, user: USER };
  const result = orcaWhirlpoolProgram.swap(ledger, trade);
  if (quote.kind !== "filled" || result.kind !== "done") throw new Error("refused");
  const line = result.logs.find((text) => text.startsWith("Program data: ")) ?? "";
  const event = new ByteReader(
    new Uint8Array(Buffer.from(line.slice("Program data: ".length), "base64")),
  );
  assert.equal(event.length, 121);
  assert.ok(event.has(0, discriminator("e1ca49af932ba096")));
  assert.equal(event.address(8), pool);
  assert.equal(event.bool(40), state.tokenA.mint === baseMint);
  assert.equal(event.u128(41), state.sqrtPriceX64);
  assert.equal(event.u128(57), quote.after.sqrtPriceX64);
  assert.equal(event.u64(73), order.amountIn);
  assert.equal(event.u64(81), quote.grossOut);
  assert.equal(event.u64(89), 50_000_000_000n);
  assert.equal(event.u64(105) + event.u64(113), quote.tradeFee);
  assert.deepEqual(result.innerInstructionData, []);
  assert.equal(result.instructionAccounts[3], pool);
});

test("pulled liquidity takes depth along, put back it returns", () => {
  const baseMint = testAddress(2);
  const { ledger, pool } = opened(baseMint);
  const depth = () => orcaWhirlpool.reachable(stateOf(ledger, pool), baseMint, 10_000);
  const before = depth();
  ledger.apply(orcaWhirlpoolProgram.changeLiquidity(ledger, pool, 5_000, CLOCK));
  assert.ok(depth() > (before * 49n) / 100n && depth() <= before / 2n);
  ledger.apply(orcaWhirlpoolProgram.changeLiquidity(ledger, pool, -10_000, CLOCK));
  assert.ok(depth() > (before * 99n) / 100n && depth() <= before);
  ledger.apply(orcaWhirlpoolProgram.changeLiquidity(ledger, pool, 10_000, CLOCK));
  assert.equal(depth(), 0n);
});

test("a raised fee reaches the quote", () => {
  const baseMint = testAddress(2);
  const { ledger, pool } = opened(baseMint);
  ledger.apply(orcaWhirlpoolProgram.setFee?.(ledger, pool, 50_000, CLOCK) ?? null);
  assert.equal(orcaWhirlpool.feePpm(stateOf(ledger, pool), baseMint, CLOCK), 50_000);
});
