import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { ammFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import { raydiumAmmV4 } from "./adapter.ts";
import { POOL } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const fixture = () =>
  ammFixture({ coinVault: 1000n, pcVault: 4000n, needTakePnlCoin: 200n, needTakePnlPc: 800n });

function reasonOf(accounts: ReturnType<typeof fixture>["accounts"]) {
  const decoded = raydiumAmmV4.decode(fixture().pool, accounts);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

test("a pool becomes its two reserves, spot, depth and fee", () => {
  const { pool, mintA, mintB, accounts } = fixture();
  const state = decodedState(raydiumAmmV4, pool, accounts);
  assert.deepEqual(raydiumAmmV4.spotPrice(state, mintA), { numerator: 3200n, denominator: 800n });
  assert.deepEqual(raydiumAmmV4.spotPrice(state, mintB), { numerator: 800n, denominator: 3200n });
  assert.equal(raydiumAmmV4.reachable(state, mintA, 10_000), 3200n);
  // 3200 * (1 - sqrt(0.9)) = 164.2
  assert.equal(raydiumAmmV4.reachable(state, mintA, 1000), 165n);
  assert.equal(raydiumAmmV4.feePpm(state, mintA, CLOCK), 2500);
  assert.deepEqual(raydiumAmmV4.outline(pool, accounts), {
    mintA,
    mintB,
    heldA: 1000n,
    heldB: 4000n,
    vaultA: testAddress(4),
    vaultB: testAddress(5),
  });
});

test("the pool names its vaults once it is loaded", () => {
  const { pool, accounts } = fixture();
  assert.deepEqual(raydiumAmmV4.accountsNeeded(pool, new Map()), [pool]);
  assert.deepEqual(new Set(raydiumAmmV4.accountsNeeded(pool, accounts)), new Set(accounts.keys()));
});

test("an outline says which vault could not be read", () => {
  const { pool, mintA, mintB, accounts } = fixture();
  accounts.delete(testAddress(5));
  assert.deepEqual(raydiumAmmV4.outline(pool, accounts), {
    mintA,
    mintB,
    heldA: 1000n,
    heldB: null,
    vaultA: testAddress(4),
    vaultB: testAddress(5),
  });
  assert.equal(raydiumAmmV4.outline(pool, new Map()), null);
});

test("bytes that are not a pool are set aside with a reason", () => {
  const { pool, accounts } = fixture();
  const account = accounts.get(pool);
  assert.ok(account);
  assert.equal(reasonOf(new Map()), "missing-account");
  for (const wrong of [
    { ...account, owner: TOKEN_PROGRAM },
    { ...account, data: account.data.slice(0, 751) },
    { ...account, data: new Uint8Array(753) },
  ]) {
    assert.equal(reasonOf(new Map([...accounts, [pool, wrong]])), "undecodable");
  }
  const unknown = {
    ...account,
    data: new ByteWriter(account.data.slice()).u64(POOL.status, 8n).bytes,
  };
  assert.equal(reasonOf(new Map([...accounts, [pool, unknown]])), "unsupported");
});

test("vaults that are missing, of Token-2022 or of another mint are set aside with a reason", () => {
  const { accounts } = fixture();
  const vault = testAddress(4);
  const account = accounts.get(vault);
  assert.ok(account);
  const without = new Map(accounts);
  without.delete(vault);
  assert.equal(reasonOf(without), "missing-account");
  const extended = { ...account, owner: TOKEN_2022_PROGRAM };
  assert.equal(reasonOf(new Map([...accounts, [vault, extended]])), "undecodable");
  const foreign = { ...account, data: new ByteWriter(account.data.slice()).address(0, WSOL).bytes };
  assert.equal(reasonOf(new Map([...accounts, [vault, foreign]])), "undecodable");
});

test("pools are searched on both sides of the pair", () => {
  const mint = testAddress(2);
  const open = raydiumAmmV4.search(mint, null);
  assert.deepEqual(
    open.filters.map(({ memcmp }) => memcmp),
    [[{ offset: 400, bytes: mint }], [{ offset: 432, bytes: mint }]],
  );
  const narrow = raydiumAmmV4.search(mint, WSOL);
  assert.deepEqual(narrow.filters[1]?.memcmp, [
    { offset: 432, bytes: mint },
    { offset: 400, bytes: WSOL },
  ]);
});
