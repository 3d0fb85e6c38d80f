import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { COIN, POOL_FEES, pumpSwapFixture } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { pumpSwap } from "./adapter.ts";
import { poolAuthority } from "./addresses.ts";
import { decodePool } from "./decode.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL, PUMPSWAP_PROGRAM } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const fixture = () => pumpSwapFixture({ baseReserve: 1_000_000n, quoteReserve: 2_000_000n });

function unusableOf(accounts: ReadonlyMap<Address, Account>): string | null {
  const decoded = pumpSwap.decode(fixture().pool, accounts);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

test("a mint's pools are looked for where pump makes them, and on both sides by filter", () => {
  const coin = address("4ov9rwwS4iBHeTWGCrVaQYW1HzWK51MSfs8csGAApump");
  const { derived, filters } = pumpSwap.search(coin, WSOL);
  assert.deepEqual(derived, ["8HbgiXuiNbHRcxiNG8UBD8GLewoy6QVDnPFPgjFGmszf"]);
  assert.deepEqual(
    filters.map(({ dataSize, memcmp }) => ({ dataSize, memcmp: memcmp.slice(1) })),
    [
      {
        dataSize: null,
        memcmp: [
          { offset: 43, bytes: coin },
          { offset: 75, bytes: WSOL },
        ],
      },
      {
        dataSize: null,
        memcmp: [
          { offset: 75, bytes: coin },
          { offset: 43, bytes: WSOL },
        ],
      },
    ],
  );
  const usdcQuoted = address("HqwwsS51qai5oURgTi8NHEzZ8XXXtf9LLNnSwtZpump");
  assert.ok(
    pumpSwap
      .search(usdcQuoted, null)
      .derived.includes(address("5nFmNMEWwZzQhSr6ZuWjJitd2pYhadE3HQdmEfXkciVk")),
  );
});

test("the pool names its vaults, its mints and the two fee accounts", () => {
  const { pool, accounts, mintB } = fixture();
  assert.ok(pumpSwap.accountsNeeded(pool, new Map()).includes(GLOBAL_CONFIG_ADDRESS));
  assert.deepEqual(
    new Set(pumpSwap.accountsNeeded(pool, accounts)),
    new Set([...accounts.keys(), mintB]),
  );
});

test("pools of every length are read, missing fields as zero", () => {
  const whole = { isMayhem: true, virtualQuote: -5n, creatorFeeBps: 250n };
  for (const [length, expected] of [
    [211, { coinCreator: null, isMayhem: false, virtualQuote: 0n, creatorFeeBps: 0n }],
    [243, { coinCreator: testAddress(22), isMayhem: false, virtualQuote: 0n, creatorFeeBps: 0n }],
    [245, { coinCreator: testAddress(22), isMayhem: true, virtualQuote: 0n, creatorFeeBps: 0n }],
    [261, { coinCreator: testAddress(22), isMayhem: true, virtualQuote: -5n, creatorFeeBps: 0n }],
    [271, { coinCreator: testAddress(22), isMayhem: true, virtualQuote: -5n, creatorFeeBps: 250n }],
  ] as const) {
    const { pool, accounts } = pumpSwapFixture({
      baseReserve: 1n,
      quoteReserve: 1n,
      ...whole,
      length,
    });
    const read = decodePool(accounts.get(pool));
    assert.ok(read);
    const { coinCreator, isMayhem, virtualQuote, creatorFeeBps } = read;
    assert.deepEqual({ coinCreator, isMayhem, virtualQuote, creatorFeeBps }, expected, `${length}`);
  }
  const { pool, accounts } = pumpSwapFixture({ baseReserve: 1n, quoteReserve: 1n, length: 210 });
  assert.equal(decodePool(accounts.get(pool)), null);
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
      ...(account.owner === TOKEN_PROGRAM
        ? []
        : [{ ...account, data: account.data.slice().fill(0, 0, 8) }]),
    ]) {
      assert.equal(unusableOf(fixture().accounts.set(known, broken)), "undecodable", known);
    }
  }
  const untiered = { ...POOL_FEES, tiers: [] };
  const { accounts } = pumpSwapFixture({ baseReserve: 1n, quoteReserve: 1n, fees: untiered });
  assert.equal(unusableOf(accounts), "unsupported");
});

test("a vault of another mint, and a virtual reserve beyond u64, are undecodable", () => {
  const { pool, accounts } = fixture();
  const vault = accounts.get(testAddress(25));
  assert.ok(vault);
  const data = new ByteWriter(vault.data.slice()).address(0, USDC).bytes;
  assert.equal(
    unusableOf(fixture().accounts.set(testAddress(25), { ...vault, data })),
    "undecodable",
  );
  const account = accounts.get(pool);
  assert.ok(account);
  const huge = new ByteWriter(account.data.slice()).u128(POOL.virtual_quote_reserves, 1n << 64n);
  assert.equal(unusableOf(accounts.set(pool, { ...account, data: huge.bytes })), "undecodable");
});

test("fees not yet swept are read where the account has them", () => {
  const fees = { protocolFees: 7n, creatorFees: 30n };
  for (const [length, expected] of [
    [271, 0n],
    [279, 7n],
    [287, 37n],
    [301, 37n],
  ] as const) {
    const { pool, accounts } = pumpSwapFixture({
      ...{ baseReserve: 1000n, quoteReserve: 1000n, length },
      ...fees,
    });
    const decoded = pumpSwap.decode(pool, accounts);
    assert.equal(decoded.kind === "pool" && decoded.state.unsweptFees, expected, `${length}`);
  }
});

test("a frozen vault pauses the pool", () => {
  const { pool, accounts } = fixture();
  const vault = accounts.get(testAddress(26));
  assert.ok(vault);
  const data = new ByteWriter(vault.data.slice()).u8(108, 2).bytes;
  const decoded = pumpSwap.decode(pool, accounts.set(testAddress(26), { ...vault, data }));
  assert.equal(decoded.kind === "pool" && pumpSwap.status(decoded.state, CLOCK), "paused");
});

test("a pool whose vaults were not delivered still says its pair", () => {
  const { pool, accounts } = fixture();
  accounts.delete(testAddress(26));
  assert.deepEqual(pumpSwap.outline(pool, accounts), {
    mintA: COIN,
    mintB: WSOL,
    heldA: 1_000_000n,
    heldB: null,
    vaultA: testAddress(25),
    vaultB: testAddress(26),
  });
});

test("recorded pools are read, and pump's own are distinguished from other pools", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  const pools = [...accounts].filter(
    ([known, { owner }]) => owner === PUMPSWAP_PROGRAM && known !== GLOBAL_CONFIG_ADDRESS,
  );
  assert.ok(pools.length >= 7);
  const read = pools.map(([, account]) => decodePool(account));
  const canonical = read.filter((pool) => pool?.creator === poolAuthority(pool?.baseMint ?? COIN));
  assert.ok(read.every((pool) => pool !== null));
  assert.ok(canonical.length > 0 && canonical.length < read.length);
});
