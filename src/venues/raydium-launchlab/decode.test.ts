import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { launchPlatformConfigAccount } from "#demo/programs/raydium-launchlab-accounts.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { COIN, launchFixture } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { raydiumLaunchLab } from "./adapter.ts";
import { globalConfigAddress, launchAddress } from "./addresses.ts";
import { decodeLaunchPool } from "./decode.ts";
import { GLOBAL_CONFIG, LAUNCHLAB_PROGRAM, POOL } from "./layout.ts";

const NO_FEE = { epoch: 0n, maximum: 0n, feeBps: 0 };
const GLOBAL = testAddress(28);
const PLATFORM = testAddress(29);
const fixture = () => launchFixture({ baseTransferFee: { older: NO_FEE, newer: NO_FEE } });

function unusableOf(accounts: ReadonlyMap<Address, Account>): string | null {
  const decoded = raydiumLaunchLab.decode(fixture().pool, accounts);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

function edited(known: Address, edit: (writer: ByteWriter) => void): Map<Address, Account> {
  const { accounts } = fixture();
  const before = accounts.get(known);
  assert.ok(before);
  const writer = new ByteWriter(before.data.slice());
  edit(writer);
  return accounts.set(known, { ...before, data: writer.bytes });
}

test("configurations and launches have the addresses that mainnet uses", () => {
  assert.equal(
    globalConfigAddress({ quoteMint: WSOL, curveType: 0, index: 0 }),
    "6s1xP3hpbAfFoNtUNF8mfHsjr2Bd97JxFJRWLbL6aHuX",
  );
  assert.equal(
    globalConfigAddress({ quoteMint: USDC, curveType: 0, index: 0 }),
    "8gj14w8vkNZjJTPak6e96Uf1sY438WKheH4s5dHyxiRw",
  );
});

test("a mint's launches are derived against SOL and each stable, and filtered on both sides", () => {
  const { derived, filters } = raydiumLaunchLab.search(COIN, null);
  assert.equal(derived.length, 4);
  assert.equal(derived[0], launchAddress(COIN, WSOL));
  assert.deepEqual(
    filters.map(({ memcmp }) => memcmp.slice(1)),
    [[{ offset: 205, bytes: COIN }], [{ offset: 237, bytes: COIN }]],
  );
  const narrowed = raydiumLaunchLab.search(COIN, USDC);
  assert.deepEqual(narrowed.derived, [launchAddress(COIN, USDC)]);
  assert.ok(narrowed.filters.every(({ memcmp }) => memcmp.length === 3));
});

test("the launch names its two configurations, its vaults and its Token-2022 mints", () => {
  const { pool, accounts } = fixture();
  const launch = decodeLaunchPool(accounts.get(pool));
  assert.ok(launch);
  assert.deepEqual(raydiumLaunchLab.accountsNeeded(pool, new Map()), [pool]);
  assert.deepEqual(
    new Set(raydiumLaunchLab.accountsNeeded(pool, accounts)),
    new Set([...accounts.keys(), launch.baseVault, launch.quoteVault]),
  );
});

test("each account that is missing is named, never replaced by a constant", () => {
  for (const gone of fixture().accounts.keys()) {
    const { accounts } = fixture();
    accounts.delete(gone);
    assert.equal(unusableOf(accounts), "missing-account", gone);
  }
});

test("accounts of another owner, length or kind are set aside with a reason", () => {
  for (const [known, account] of fixture().accounts) {
    for (const broken of [
      { ...account, owner: SYSTEM_PROGRAM },
      { ...account, data: account.data.slice(0, 40) },
      { ...account, data: new Uint8Array(0) },
      // Token accounts and mints have no discriminator.
      ...(account.owner === raydiumLaunchLab.programId
        ? [{ ...account, data: account.data.slice().fill(0, 0, 8) }]
        : []),
    ]) {
      assert.equal(unusableOf(fixture().accounts.set(known, broken)), "undecodable", known);
    }
  }
});

test("fields out of range are set aside with a reason", () => {
  const { pool } = fixture();
  assert.equal(unusableOf(edited(pool, (at) => at.u8(POOL.status, 3))), "undecodable");
  assert.equal(
    unusableOf(edited(GLOBAL, (at) => at.u8(GLOBAL_CONFIG.curve_type, 3))),
    "unsupported",
  );
  assert.equal(
    unusableOf(edited(GLOBAL, (at) => at.u64(GLOBAL_CONFIG.trade_fee_rate, 1_000_000n))),
    "undecodable",
  );
});

test("a platform from before creators were paid charges them nothing", () => {
  const { pool, accounts } = fixture();
  const config = { feeRate: 7500n, creatorFeeRate: 500n, name: "old" };
  accounts.set(PLATFORM, launchPlatformConfigAccount(config, 1n, 720));
  const decoded = raydiumLaunchLab.decode(pool, accounts);
  assert.equal(decoded.kind === "pool" && decoded.state.feeRates.creator, 0n);
});

test("the balances are read from the launch itself", () => {
  const { pool, accounts } = launchFixture({ realBase: 100_000_000_000_000n, realQuote: 9n });
  assert.deepEqual(raydiumLaunchLab.outline(pool, accounts), {
    mintA: COIN,
    mintB: WSOL,
    heldA: 693_100_000_000_000n,
    heldB: 9n,
  });
});

test("recorded launches are known, and set aside while their fee accounts are missing", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  const launches = [...accounts].filter(([, { owner }]) => owner === LAUNCHLAB_PROGRAM);
  assert.ok(launches.length >= 3);
  for (const [known] of launches) {
    const outline = raydiumLaunchLab.outline(known, accounts);
    assert.ok(outline);
    assert.equal(launchAddress(outline.mintA, outline.mintB), known);
    const decoded = raydiumLaunchLab.decode(known, accounts);
    assert.equal(decoded.kind === "unusable" && decoded.reason, "missing-account");
  }
  const bonk = address("Fgn8d55VioHKamwE8YaAK1s1p7afrSt6dX19nqzebonk");
  assert.ok(raydiumLaunchLab.search(bonk, null).derived.some((known) => accounts.has(known)));
});
