import assert from "node:assert/strict";
import { test } from "node:test";
import { mintAccount, tokenAccount, withTokenAmount } from "#demo/token-accounts.ts";
import { TOKEN_2022_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { COIN, type CurveFixture, curveFixture } from "#test/support/pools/pump-pools.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { PatchedAccounts } from "../patched-accounts.ts";
import { associatedTokenAddress } from "../shared/token/associated-token.ts";
import { pumpCurve } from "./adapter.ts";
import { pumpCurveSwaps } from "./events.ts";
import { GLOBAL, GLOBAL_ADDRESS } from "./layout.ts";
import { buyParts, sellParts } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const AMOUNT_IN = 1_000_002_000_000n;
const LISTED = testAddress(98);

/** A curve quoted in a listed Token-2022 mint, with half of the protocol fee as buyback, and no vault read. */
function listedCurve(fields: CurveFixture = {}) {
  const reserves = { virtualQuote: 40_000_000_000n, realQuote: 10_000_000_000n };
  const fixture = curveFixture({ quoteMint: LISTED, ...reserves, ...fields });
  const mint = mintAccount({ supply: 1n << 60n, decimals: 6, slot: 1n });
  fixture.accounts.set(LISTED, { ...mint, owner: TOKEN_2022_PROGRAM });
  const known = new PatchedAccounts(fixture.accounts);
  known.patch(GLOBAL_ADDRESS, [{ offset: GLOBAL.buyback_bps, value: 5000n }]);
  const global = known.get(GLOBAL_ADDRESS);
  assert.ok(global);
  fixture.accounts.set(GLOBAL_ADDRESS, global);
  const vault = associatedTokenAddress(fixture.pool, LISTED, TOKEN_2022_PROGRAM);
  return { ...fixture, vault };
}

function sell({ pool, accounts }: Pick<ReturnType<typeof listedCurve>, "pool" | "accounts">) {
  const state = decodedState(pumpCurve, pool, accounts, COIN);
  return pumpCurve.quoteExactIn(state, { inputMint: COIN, amountIn: AMOUNT_IN, clock: CLOCK });
}

function held(pool: ReturnType<typeof listedCurve>, amount: bigint) {
  const account = { mint: LISTED, owner: pool.pool, amount: 0n, program: TOKEN_2022_PROGRAM };
  return withTokenAmount(tokenAccount({ ...account, slot: 1n }), amount, 1n);
}

test("a sale is refused where the quote vault holds less than leaves it, and paid from the last unit", () => {
  for (const [isCashback, isMayhem] of [
    [false, false],
    [true, false],
    [false, true],
  ] as const) {
    const curve = listedCurve({ isCashback, isMayhem });
    const { pool, accounts, vault } = curve;
    const state = decodedState(pumpCurve, pool, accounts, COIN);
    const { gross, protocolFee, creatorFee } = sellParts(state, AMOUNT_IN);
    const net = gross - protocolFee - creatorFee;
    // Half of an odd fee is rounded down.
    assert.equal(protocolFee % 2n, 1n);
    const leaves = isCashback ? gross : net + (isMayhem ? 0n : protocolFee / 2n);
    accounts.set(vault, held(curve, leaves));
    const paid = sell(curve);
    assert.equal(amountOut(paid), net);
    assert.equal(paid.kind === "filled" && paid.after.quoteVaultBalance, 0n);
    accounts.set(vault, held(curve, leaves - 1n));
    assert.equal(amountOut(sell(curve)), "insufficient-liquidity");
    assert.equal(
      pumpCurve.reachable(decodedState(pumpCurve, pool, accounts, COIN), COIN, 10_000),
      leaves - 1n,
    );
  }
});

test("a purchase leaves in the quote vault what moves the price", () => {
  const curve = listedCurve();
  curve.accounts.set(curve.vault, held(curve, 10_000_000_000n));
  const state = decodedState(pumpCurve, curve.pool, curve.accounts, COIN);
  const order = { inputMint: LISTED, amountIn: 1_000_000_000n, clock: CLOCK };
  const { gross } = buyParts(state, order.amountIn);
  const bought = pumpCurve.quoteExactIn(state, order);
  assert.ok(bought.kind === "filled");
  assert.equal(bought.after.quoteVaultBalance, 10_000_000_000n + gross);
});

test("a quote vault that was not read, or does not exist, refuses nothing", () => {
  const curve = listedCurve();
  const paid = amountOut(sell(curve));
  assert.equal(typeof paid, "bigint");
  const known = {
    get: (at: string) => (at === curve.vault ? null : curve.accounts.get(at as never)),
  };
  assert.equal(decodedState(pumpCurve, curve.pool, known, COIN).quoteVaultBalance, null);
});

test("the quote vault is needed once the quote's mint is read, and a curve quoted in SOL has none", () => {
  const { pool, accounts, vault } = listedCurve();
  assert.ok(pumpCurve.accountsNeeded(pool, accounts, COIN).includes(vault));
  assert.ok(pumpCurve.chainSales?.derivedAccounts(COIN, LISTED).includes(vault));
  accounts.delete(LISTED);
  assert.ok(!pumpCurve.accountsNeeded(pool, accounts, COIN).includes(vault));
  const ofSol = curveFixture({ quoteMint: WSOL });
  const inSol = associatedTokenAddress(ofSol.pool, WSOL);
  assert.ok(!pumpCurve.accountsNeeded(ofSol.pool, ofSol.accounts, COIN).includes(inSol));
});

test("a trade is replayed on the quote that its event names, not on the vault of another moment", () => {
  const curve = listedCurve({ realQuote: 0n });
  curve.accounts.set(curve.vault, held(curve, 1n));
  const known = new PatchedAccounts(curve.accounts);
  const { virtualToken, virtualQuote, realToken } = decodedState(
    pumpCurve,
    curve.pool,
    known,
    COIN,
  );
  const before = { coin: COIN, virtualToken, virtualQuote, realToken, realQuote: 10_000_000_000n };
  pumpCurveSwaps.setBefore?.(known, curve.pool, before);
  const state = decodedState(pumpCurve, curve.pool, known, COIN);
  assert.equal(state.quoteVaultBalance, 10_000_000_000n);
});
