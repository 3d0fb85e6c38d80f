import assert from "node:assert/strict";
import { test } from "node:test";
import { type Address, address, bytesOf } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import {
  CLOCK,
  dlmmAccounts,
  MINT_X,
  MINT_Y,
  PAIR,
  reserveAddress,
} from "#test/support/pools/dlmm-pool.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { binArrayAddress, bitmapExtensionAddress } from "./accounts.ts";
import { meteoraDlmm } from "./adapter.ts";
import { BIN_ARRAY, LB_PAIR } from "./layout.ts";

const FOREIGN = address("CTmWnWSfKsK4VZtmWjAe1D5B6eXEhgx9hWC9ocJs4fEM");
const BINS = [
  { id: -75, y: 5n },
  { id: 0, x: 7n, y: 9n },
  { id: 80, x: 3n },
];

function decoded(known: AccountSet) {
  return meteoraDlmm.decode(PAIR, known);
}

function reasonOf(known: AccountSet) {
  const found = decoded(known);
  return found.kind === "unusable" ? found.reason : null;
}

function changed(
  at: ReturnType<typeof address>,
  change: (account: Account) => Account | null | undefined,
) {
  const accounts = dlmmAccounts({ bins: BINS });
  const account = accounts.get(at);
  assert.ok(account);
  const next = change(account);
  if (next === undefined) accounts.delete(at);
  else accounts.set(at, next);
  return accounts;
}

function withMint(account: Account | null | undefined, offset: number, mint: Address): Account {
  assert.ok(account);
  const data = account.data.slice();
  data.set(bytesOf(mint), offset);
  return { ...account, data };
}

function withByte(offset: number, value: number) {
  return (account: Account): Account => {
    const data = account.data.slice();
    data[offset] = value;
    return { ...account, data };
  };
}

test("the bins of every marked array in reach are decoded, ascending", () => {
  const found = decoded(dlmmAccounts({ bins: BINS }));
  assert.ok(found.kind === "pool");
  assert.deepEqual(
    found.state.bins.map(({ id, amountX, amountY }) => [id, amountX, amountY]),
    [
      [-75, 0n, 5n],
      [0, 7n, 9n],
      [80, 3n, 0n],
    ],
  );
  assert.equal(found.state.reserveY, 14n);
});

test("all accounts of a pair follow from the pair: mints, reserves, extension, arrays both ways", () => {
  const accounts = dlmmAccounts({ bins: BINS });
  assert.deepEqual(meteoraDlmm.accountsNeeded(PAIR, new Map()), [PAIR]);
  const needed = new Set(meteoraDlmm.accountsNeeded(PAIR, accounts));
  assert.deepEqual(needed, new Set(accounts.keys()));
});

test("a hundred sparse arrays are asked for twelve to each side", () => {
  const bins = Array.from({ length: 101 }, (_, place) => ({ id: (place - 50) * 70, y: 1n }));
  const needed = meteoraDlmm.accountsNeeded(PAIR, dlmmAccounts({ bins }));
  assert.equal(needed.length, 6 + 12 + 11);
});

function withSolAsY(accounts: ReturnType<typeof dlmmAccounts>) {
  const mintY = accounts.get(MINT_Y);
  assert.ok(mintY);
  const pair = withMint(accounts.get(PAIR), LB_PAIR.tokenYMint, WSOL);
  return accounts.set(PAIR, pair).set(WSOL, mintY);
}

test("a marked array that is not there on the way to SOL leaves the pool without a price", () => {
  const absent = changed(binArrayAddress(PAIR, -2), () => null);
  assert.equal(reasonOf(withSolAsY(absent)), "missing-account");
  const firstNotLoaded = changed(binArrayAddress(PAIR, 0), () => undefined);
  assert.equal(reasonOf(withSolAsY(firstNotLoaded)), "missing-account");
});

test("a later one that is not loaded ends the quotes there, and the pool carries a caution", () => {
  const accounts = withSolAsY(changed(binArrayAddress(PAIR, -2), () => undefined));
  const found = decoded(accounts);
  assert.ok(found.kind === "pool");
  assert.deepEqual(meteoraDlmm.cautions(found.state), ["partly-loaded"]);
  const order = { inputMint: MINT_X, amountIn: 1_000n, clock: CLOCK };
  const refused = { kind: "unfillable", reason: "refused" };
  assert.deepEqual(meteoraDlmm.quoteExactIn(found.state, order), refused);
});

test("one missing on the way back does not hide the exit, but nothing is quoted beyond it", () => {
  const accounts = withSolAsY(changed(binArrayAddress(PAIR, 1), () => null));
  const found = decoded(accounts);
  assert.ok(found.kind === "pool");
  assert.deepEqual(meteoraDlmm.cautions(found.state), []);
  const quote = (inputMint: Address, amountIn: bigint) =>
    meteoraDlmm.quoteExactIn(found.state, { inputMint, amountIn, clock: CLOCK });
  assert.equal(quote(MINT_X, 5n).kind, "filled");
  assert.deepEqual(quote(WSOL, 100n), { kind: "unfillable", reason: "refused" });
  assert.deepEqual(quote(MINT_X, 100n), { kind: "unfillable", reason: "insufficient-liquidity" });
});

test("an account of another program is neither a pair, an array nor an extension", () => {
  const foreign = (account: Account) => ({ ...account, owner: FOREIGN });
  assert.equal(reasonOf(changed(PAIR, foreign)), "undecodable");
  assert.equal(reasonOf(changed(binArrayAddress(PAIR, 0), foreign)), "undecodable");
  const accounts = dlmmAccounts({ parameters: { binStep: 1 }, bins: [{ id: 40_000, x: 1n }] });
  const extension = accounts.get(bitmapExtensionAddress(PAIR));
  assert.ok(extension);
  accounts.set(bitmapExtensionAddress(PAIR), foreign(extension));
  assert.equal(reasonOf(accounts), "undecodable");
});

test("lamports at the address of the bitmap extension, which anyone can send, do not set the pair aside", () => {
  const accounts = dlmmAccounts({ bins: BINS });
  const without = decoded(accounts.set(bitmapExtensionAddress(PAIR), null));
  const lamportsAlone = { owner: SYSTEM_PROGRAM, lamports: 890_880n, data: new Uint8Array() };
  accounts.set(bitmapExtensionAddress(PAIR), { ...lamportsAlone, slot: 1n });
  assert.equal(without.kind, "pool");
  assert.deepEqual(decoded(accounts), without);
});

test("bytes cut short or grown are not decoded", () => {
  for (const at of [PAIR, binArrayAddress(PAIR, 0)]) {
    const cut = (account: Account) => ({ ...account, data: account.data.subarray(0, -1) });
    const grown = (account: Account) => ({ ...account, data: Uint8Array.of(...account.data, 0) });
    assert.equal(reasonOf(changed(at, cut)), "undecodable");
    assert.equal(reasonOf(changed(at, grown)), "undecodable");
  }
});

test("kinds of pair and array of an unknown version are set aside as unsupported", () => {
  assert.equal(reasonOf(changed(PAIR, withByte(LB_PAIR.pairType, 4))), "unsupported");
  assert.equal(reasonOf(changed(PAIR, withByte(LB_PAIR.status, 2))), "unsupported");
  assert.equal(reasonOf(changed(PAIR, withByte(LB_PAIR.functionType, 3))), "unsupported");
  assert.equal(reasonOf(changed(PAIR, withByte(LB_PAIR.collectFeeMode, 2))), "unsupported");
  const array = binArrayAddress(PAIR, 0);
  assert.equal(reasonOf(changed(array, withByte(BIN_ARRAY.version, 4))), "unsupported");
});

test("an array that names another pair or index is not this pair's", () => {
  const array = binArrayAddress(PAIR, 0);
  assert.equal(reasonOf(changed(array, withByte(BIN_ARRAY.lbPair, 0))), "undecodable");
  assert.equal(reasonOf(changed(array, withByte(BIN_ARRAY.index, 1))), "undecodable");
});

test("without a mint there is none, without a reserve there is one with an unknown balance", () => {
  assert.equal(reasonOf(changed(MINT_X, () => undefined)), "missing-account");
  const accounts = dlmmAccounts({ bins: BINS });
  const pair = accounts.get(PAIR);
  assert.ok(pair);
  const outline = meteoraDlmm.outline(PAIR, new Map([[PAIR, pair]]));
  assert.deepEqual(outline, {
    mintA: MINT_X,
    mintB: MINT_Y,
    heldA: null,
    heldB: null,
    vaultA: reserveAddress(MINT_X),
    vaultB: reserveAddress(MINT_Y),
  });
});

test("a customizable pair opens at its activation point, by slot or by time", () => {
  const accounts = changed(PAIR, (account) => {
    const custom = withByte(LB_PAIR.pairType, 2)(account);
    new DataView(custom.data.buffer).setBigUint64(LB_PAIR.activationPoint, 1_000n, true);
    return custom;
  });
  const found = decoded(accounts);
  assert.ok(found.kind === "pool");
  const at = (slot: bigint) =>
    meteoraDlmm.status(found.state, { slot, unixTimestamp: 5_000n, epoch: 0n });
  assert.equal(at(999n), "not-open-yet");
  assert.equal(at(1_000n), "open");
});

test("order bytes in an array older than limit orders make the pool doubtful", () => {
  const orders = { isAskSide: false, processedRemaining: 0n, open: 50n };
  const cautions = (arrayVersion: number) => {
    const found = decoded(dlmmAccounts({ bins: [{ id: 0, y: 9n, orders }], arrayVersion }));
    assert.ok(found.kind === "pool");
    return meteoraDlmm.cautions(found.state);
  };
  assert.deepEqual(cautions(1), ["doubtful-orders"]);
  assert.deepEqual(cautions(2), []);
});

test("a search asks for the coin on both sides, and for the pair where that is given", () => {
  const open = meteoraDlmm.search(MINT_X, null);
  assert.deepEqual(
    open.filters.map(({ dataSize, memcmp }) => [dataSize, memcmp.map(({ offset }) => offset)]),
    [
      [904, [88]],
      [904, [120]],
    ],
  );
  const narrow = meteoraDlmm.search(MINT_X, MINT_Y);
  assert.deepEqual(
    narrow.filters.map(({ memcmp }) => memcmp.map(({ offset }) => offset)),
    [
      [88, 120],
      [120, 88],
    ],
  );
});
