import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import {
  BASE_MINT,
  CONFIG,
  CONFIG_FIELDS,
  dbcAccounts,
  POOL,
  QUOTE_MINT,
  vaultAddress,
} from "#test/support/pools/dbc-pool.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { meteoraDbc } from "./adapter.ts";
import { POOL_CONFIG, VIRTUAL_POOL } from "./layout.ts";

function reasonOf(known: AccountSet) {
  const found = meteoraDbc.decode(POOL, known);
  return found.kind === "unusable" ? found.reason : null;
}

function changed(at: Address, change: (account: Account) => Account | null) {
  const accounts = dbcAccounts({});
  const account = accounts.get(at);
  assert.ok(account);
  return accounts.set(at, change(account));
}

function withBytes(offset: number, bytes: readonly number[] | Uint8Array) {
  return (account: Account): Account => {
    const data = account.data.slice();
    data.set(bytes, offset);
    return { ...account, data };
  };
}

test("a curve decodes to what was written, its config included", () => {
  const found = meteoraDbc.decode(POOL, dbcAccounts({}));
  assert.ok(found.kind === "pool");
  const { curve, ...config } = found.state.config;
  const { curve: written, ...fields } = CONFIG_FIELDS;
  assert.deepEqual(config, fields);
  assert.deepEqual(curve.slice(0, 3), [...written, { sqrtPrice: 0n, liquidity: 0n }]);
  assert.equal(found.state.quoteReserve, 30_000_000_000n);
  assert.equal(found.state.baseVaultBalance, 10n ** 15n);
});

test("all accounts follow from the curve, the quote mint once the config is there", () => {
  const accounts = dbcAccounts({});
  assert.deepEqual(meteoraDbc.accountsNeeded(POOL, new Map()), [POOL]);
  const needed = new Set(meteoraDbc.accountsNeeded(POOL, accounts));
  assert.deepEqual(needed, new Set(accounts.keys()));
});

test("the pair and the vaults' balances can be read without decoding", () => {
  assert.deepEqual(meteoraDbc.outline(POOL, dbcAccounts({})), {
    mintA: BASE_MINT,
    mintB: QUOTE_MINT,
    heldA: 10n ** 15n,
    heldB: 30_000_000_000n,
    vaultA: vaultAddress(BASE_MINT),
    vaultB: vaultAddress(QUOTE_MINT),
  });
  assert.equal(
    meteoraDbc.outline(
      POOL,
      changed(CONFIG, () => null),
    ),
    null,
  );
});

test("a curve without its config, or of another program, length or kind, is set aside", () => {
  assert.equal(reasonOf(new Map()), "missing-account");
  assert.equal(reasonOf(changed(CONFIG, () => null)), "missing-account");
  for (const at of [POOL, CONFIG]) {
    const foreign = (account: Account) => ({ ...account, owner: BASE_MINT });
    const cut = (account: Account) => ({ ...account, data: account.data.subarray(0, -1) });
    const grown = (account: Account) => ({ ...account, data: Uint8Array.of(...account.data, 0) });
    for (const change of [foreign, cut, grown, withBytes(0, [1])]) {
      assert.equal(reasonOf(changed(at, change)), "undecodable");
    }
  }
});

test("fee modes of an unknown version are unsupported", () => {
  for (const offset of [
    POOL_CONFIG.baseFeeMode,
    POOL_CONFIG.collectFeeMode,
    POOL_CONFIG.activationType,
  ]) {
    assert.equal(reasonOf(changed(CONFIG, withBytes(offset, [9]))), "unsupported");
  }
});

test("a transfer-hook curve decodes with its larger config and carries a caution", () => {
  const accounts = changed(POOL, withBytes(0, VIRTUAL_POOL.transferHookDiscriminator));
  const config = accounts.get(CONFIG);
  assert.ok(config);
  const data = new Uint8Array(POOL_CONFIG.transferHookLength);
  data.set(config.data);
  data.set(POOL_CONFIG.transferHookDiscriminator);
  accounts.set(CONFIG, { ...config, data });
  const found = meteoraDbc.decode(POOL, accounts);
  assert.ok(found.kind === "pool");
  assert.deepEqual(meteoraDbc.cautions(found.state), ["transfer-hook"]);
});

test("a search asks for curves of the coin", () => {
  const { derived, filters } = meteoraDbc.search(BASE_MINT, null);
  assert.deepEqual(derived, []);
  assert.deepEqual(
    filters.map(({ dataSize, memcmp }) => [dataSize, memcmp]),
    [[424, [{ offset: 136, bytes: BASE_MINT }]]],
  );
});
