import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { COIN, CURVE_FEES, curveFixture, rates } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { readRecordedAccounts } from "#test/support/pools/recorded-accounts.ts";
import { pumpCurve } from "./adapter.ts";
import { curveAddress } from "./addresses.ts";
import { decodeBondingCurve } from "./decode.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS, PUMP_PROGRAM } from "./layout.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

function reasonOf(accounts: ReturnType<typeof curveFixture>["accounts"]): string | null {
  const decoded = pumpCurve.decode(curveFixture().pool, accounts, COIN);
  return decoded.kind === "unusable" ? decoded.reason : null;
}

test("a coin's curve is found by derivation, and needs the two fee accounts besides", () => {
  const { pool, accounts } = curveFixture();
  const { derived, filters } = pumpCurve.search(COIN, null);
  assert.deepEqual({ derived, filters }, { derived: [pool], filters: [] });
  assert.deepEqual(
    new Set(pumpCurve.accountsNeeded(pool, new Map(), COIN)),
    new Set(accounts.keys()),
  );
});

test("the coin is the mint whose search led here, since the curve does not name it", () => {
  const { pool, accounts } = curveFixture({ realQuote: 7n });
  assert.equal(pumpCurve.outline(pool, accounts), null);
  assert.deepEqual(pumpCurve.outline(pool, accounts, COIN), {
    mintA: COIN,
    mintB: WSOL,
    heldA: 793_100_000_000_000n,
    heldB: 7n,
  });
  assert.equal(pumpCurve.decode(pool, accounts).kind, "pool");
});

test("curves of every length are read, missing fields as zero", () => {
  const whole = { isMayhem: true, quoteMint: USDC, creatorFeeBps: 250n };
  for (const [length, expected] of [
    [49, { creator: null, isMayhem: false, quoteMint: WSOL, creatorFeeBps: 0n }],
    [80, { creator: null, isMayhem: false, quoteMint: WSOL, creatorFeeBps: 0n }],
    [81, { creator: testAddress(22), isMayhem: false, quoteMint: WSOL, creatorFeeBps: 0n }],
    [83, { creator: testAddress(22), isMayhem: true, quoteMint: WSOL, creatorFeeBps: 0n }],
    [115, { creator: testAddress(22), isMayhem: true, quoteMint: USDC, creatorFeeBps: 0n }],
    [125, { creator: testAddress(22), isMayhem: true, quoteMint: USDC, creatorFeeBps: 250n }],
  ] as const) {
    const { pool, accounts } = curveFixture({ ...whole, length });
    const curve = decodeBondingCurve(accounts.get(pool));
    assert.ok(curve);
    const { creator, isMayhem, quoteMint, creatorFeeBps } = curve;
    assert.deepEqual({ creator, isMayhem, quoteMint, creatorFeeBps }, expected, `${length}`);
  }
  const { pool, accounts } = curveFixture({ length: 48 });
  assert.equal(decodeBondingCurve(accounts.get(pool)), null);
});

test("a curve that grew is read as before", () => {
  const { pool, accounts } = curveFixture();
  const account = accounts.get(pool);
  assert.ok(account);
  const data = new Uint8Array(400).fill(255);
  data.set(account.data);
  assert.equal(reasonOf(new Map(accounts).set(pool, { ...account, data })), null);
});

test("each account that is missing is named, never replaced by a constant", () => {
  for (const gone of [curveFixture().pool, GLOBAL_ADDRESS, CURVE_FEE_CONFIG_ADDRESS]) {
    const { accounts } = curveFixture();
    accounts.delete(gone);
    assert.equal(reasonOf(accounts), "missing-account", gone);
  }
});

test("a coin's mint is needed only where its supply selects the tier, and never for mayhem coins", () => {
  const without = (fields: Parameters<typeof curveFixture>[0]) => {
    const { accounts } = curveFixture(fields);
    accounts.delete(COIN);
    return reasonOf(accounts);
  };
  const [tier] = CURVE_FEES.tiers;
  assert.ok(tier);
  const tiers = [tier, { threshold: 10n ** 12n, rates: rates(0n, 50n, 30n) }];
  assert.equal(without({}), null);
  assert.equal(without({ fees: { ...CURVE_FEES, tiers } }), "missing-account");
  assert.equal(without({ isMayhem: true, fees: { ...CURVE_FEES, tiers } }), null);
});

test("accounts of another owner, length or kind are set aside with a reason", () => {
  for (const known of [curveFixture().pool, GLOBAL_ADDRESS, CURVE_FEE_CONFIG_ADDRESS]) {
    const account = curveFixture().accounts.get(known);
    assert.ok(account);
    for (const broken of [
      { ...account, owner: SYSTEM_PROGRAM },
      { ...account, data: account.data.slice(0, 40) },
      { ...account, data: account.data.slice().fill(0, 0, 8) },
      { ...account, data: new Uint8Array(0) },
    ]) {
      assert.equal(reasonOf(curveFixture().accounts.set(known, broken)), "undecodable", known);
    }
  }
  const noTiers = curveFixture({ fees: { ...CURVE_FEES, tiers: [] } });
  assert.equal(reasonOf(noTiers.accounts), "unsupported");
});

test("a hostile count of fee tiers is refused at once", () => {
  const { accounts } = curveFixture();
  const account = accounts.get(CURVE_FEE_CONFIG_ADDRESS);
  assert.ok(account);
  const data = account.data.slice().fill(255, 65, 69);
  assert.equal(
    reasonOf(accounts.set(CURVE_FEE_CONFIG_ADDRESS, { ...account, data })),
    "undecodable",
  );
});

test("a mayhem curve is open, and warns that its reserves may be rewritten", () => {
  const { pool, accounts } = curveFixture({ isMayhem: true });
  const decoded = pumpCurve.decode(pool, accounts, COIN);
  assert.equal(decoded.kind, "pool");
  if (decoded.kind !== "pool") return;
  assert.deepEqual(pumpCurve.cautions(decoded.state), ["rewritable-reserves"]);
  assert.equal(pumpCurve.status(decoded.state, CLOCK), "open");
});

test("recorded curves decode, and those of known coins have the derived addresses", (t) => {
  const folder = sharedPath(t, "mainnet");
  if (folder === null) return;
  const accounts = readRecordedAccounts(folder);
  const curves = [...accounts].filter(
    ([address, { owner }]) => owner === PUMP_PROGRAM && address !== GLOBAL_ADDRESS,
  );
  assert.ok(curves.length >= 6);
  for (const [address] of curves) {
    assert.equal(pumpCurve.decode(address, accounts).kind, "pool", address);
  }
  for (const mint of accounts.keys()) {
    if (!mint.endsWith("pump") || accounts.get(mint)?.owner === TOKEN_PROGRAM) continue;
    const curve = curveAddress(mint);
    assert.ok(accounts.get(curve), mint);
  }
});
