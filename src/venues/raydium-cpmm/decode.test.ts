import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "#demo/byte-writer.ts";
import { address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { cpmmFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { raydiumCpmm } from "./adapter.ts";
import { CONFIG_LENGTH, KNOWN_CONFIGS, POOL } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const NO_FEE = { epoch: 0n, maximum: 0n, feeBps: 0 };
const fixture = () =>
  cpmmFixture({
    vault0: 1000n,
    vault1: 4000n,
    protocolFees: [100n, 400n],
    fundFees: [50n, 200n],
    creatorFees: [50n, 200n],
    isCreatorFeeEnabled: true,
    transferFee0: { older: NO_FEE, newer: NO_FEE },
  });
type Accounts = ReturnType<typeof fixture>["accounts"];

function reasonOf(accounts: Accounts) {
  const decoded = raydiumCpmm.decode(fixture().pool, accounts);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

/** The fixture with the bytes of one account written over. */
function edited(account: ReturnType<typeof testAddress>, edit: (writer: ByteWriter) => void) {
  const { accounts } = fixture();
  const before = accounts.get(account);
  assert.ok(before);
  const writer = new ByteWriter(before.data.slice());
  edit(writer);
  return accounts.set(account, { ...before, data: writer.bytes });
}

test("a pool becomes its two reserves, spot, depth and fee", () => {
  const { pool, mintA, mintB, accounts } = fixture();
  const state = decodedState(raydiumCpmm, pool, accounts);
  assert.deepEqual(raydiumCpmm.spotPrice(state, mintA), { numerator: 3200n, denominator: 800n });
  assert.deepEqual(raydiumCpmm.spotPrice(state, mintB), { numerator: 800n, denominator: 3200n });
  assert.equal(raydiumCpmm.reachable(state, mintB, 10_000), 800n);
  assert.equal(raydiumCpmm.feePpm(state, mintA, CLOCK), 3000);
  assert.deepEqual(raydiumCpmm.outline(pool, accounts), {
    mintA,
    mintB,
    heldA: 1000n,
    heldB: 4000n,
    vaultA: testAddress(4),
    vaultB: testAddress(5),
  });
  assert.deepEqual(raydiumCpmm.cautions(state), []);
});

test("the pool names its config, its vaults and its Token-2022 mints", () => {
  const { pool, accounts } = fixture();
  assert.deepEqual(raydiumCpmm.accountsNeeded(pool, new Map()), [pool]);
  assert.deepEqual(new Set(raydiumCpmm.accountsNeeded(pool, accounts)), new Set(accounts.keys()));
});

test("each account that is missing is named", () => {
  for (const gone of fixture().accounts.keys()) {
    const { accounts } = fixture();
    accounts.delete(gone);
    assert.equal(reasonOf(accounts), "missing-account", gone);
  }
});

test("accounts of another owner or length are set aside with a reason", () => {
  for (const [known, account] of fixture().accounts) {
    const foreign = fixture().accounts.set(known, { ...account, owner: SYSTEM_PROGRAM });
    assert.equal(reasonOf(foreign), "undecodable", known);
    const cut = { ...account, data: account.data.slice(0, 40) };
    assert.equal(reasonOf(fixture().accounts.set(known, cut)), "undecodable", known);
  }
  const { pool, accounts } = fixture();
  const grown = new Uint8Array(638);
  grown.set(accounts.get(pool)?.data ?? []);
  assert.equal(
    reasonOf(
      edited(pool, () => {}).set(pool, {
        owner: TOKEN_PROGRAM,
        lamports: 1n,
        data: grown,
        slot: 1n,
      }),
    ),
    "undecodable",
  );
});

test("fields out of range are set aside with a reason", () => {
  const { pool } = fixture();
  const config = testAddress(6);
  assert.equal(reasonOf(edited(pool, (at) => at.u8(POOL.creatorFeeOn, 3))), "unsupported");
  assert.equal(
    reasonOf(edited(pool, (at) => at.address(POOL.token1Program, SYSTEM_PROGRAM))),
    "undecodable",
  );
  assert.equal(reasonOf(edited(config, (at) => at.u8(0, 0))), "undecodable");
  assert.equal(reasonOf(edited(testAddress(4), (at) => at.address(0, WSOL))), "undecodable");
});

test("a frozen vault sells nothing", () => {
  const { pool, mintA } = fixture();
  const decoded = raydiumCpmm.decode(
    pool,
    edited(testAddress(5), (at) => at.u8(108, 2)),
  );
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  const order = { inputMint: mintA, amountIn: 5n, clock: CLOCK };
  assert.deepEqual(raydiumCpmm.quoteExactIn(decoded.state, order), {
    kind: "unfillable",
    reason: "paused",
  });
});

test("pools are searched on both sides of the pair, and each configuration has its place", () => {
  const { configured, filters } = raydiumCpmm.search(USDC, WSOL);
  assert.equal(configured().length, KNOWN_CONFIGS.length);
  assert.ok(configured().includes(address("7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny")));
  assert.deepEqual(
    filters.map(({ memcmp }) => memcmp.slice(1)),
    [
      [
        { offset: 168, bytes: USDC },
        { offset: 200, bytes: WSOL },
      ],
      [
        { offset: 200, bytes: USDC },
        { offset: 168, bytes: WSOL },
      ],
    ],
  );
  assert.equal(
    raydiumCpmm.search(testAddress(9), null).configured().length,
    4 * KNOWN_CONFIGS.length,
  );
  assert.ok(CONFIG_LENGTH > 0);
});

test("the recorded SOL/USDC pool of mainnet decodes and quotes", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  const pool = address("7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny");
  const state = decodedState(raydiumCpmm, pool, accounts);
  const order = { inputMint: USDC, amountIn: 100_000_000n, clock: CLOCK };
  const quote = raydiumCpmm.quoteExactIn(state, order);
  assert.equal(quote.kind, "filled");
});
