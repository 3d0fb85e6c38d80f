import assert from "node:assert/strict";
import { test } from "node:test";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, USDC } from "#src/units/known-addresses.ts";
import { executionsOf, sharedPath } from "#test/support/pools/executions.ts";
import { COIN, curveFixture, launchFixture } from "#test/support/pools/pump-pools.ts";
import { type PoolFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import type { Account, AccountSet } from "./account-set.ts";
import { VENUES } from "./all.ts";
import { orcaWhirlpoolImmutable } from "./orca-whirlpool/adapter.ts";
import { pumpCurve } from "./pump-curve/adapter.ts";
import { freezableVaults } from "./pump-curve/vaults.ts";
import { raydiumLaunchLab } from "./raydium-launchlab/adapter.ts";
import { decodeLaunchPool } from "./raydium-launchlab/decode.ts";
import { associatedTokenAddress } from "./shared/token/associated-token.ts";
import { decodeTokenAccount } from "./shared/token/token-account.ts";
import type { Clock, Venue } from "./venue.ts";

const STATE = 108;
const FROZEN = 2;
const SWAPS_A_VENUE = 60;
const CLOCK: Clock = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };

function frozen(account: Account): Account {
  const data = account.data.slice();
  data[STATE] = FROZEN;
  return { ...account, data };
}

function withFrozen(known: AccountSet, vault: Address): AccountSet {
  const before = known.get(vault);
  assert.ok(before, `the vault ${vault} is recorded`);
  return { get: (address) => (address === vault ? frozen(before) : known.get(address)) };
}

/** The vaults of a pool: the accounts of its two tokens among those it needs. */
function vaultsNeeded(venue: Venue<unknown>, pool: Address, known: AccountSet): readonly Address[] {
  const pair = venue.outline(pool, known);
  return venue.accountsNeeded(pool, known).filter((address) => {
    const mint = decodeTokenAccount(known.get(address))?.mint;
    return mint !== undefined && (mint === pair?.mintA || mint === pair?.mintB);
  });
}

test("case 7: a frozen vault pauses the pool on every venue with recorded executions", async (t) => {
  for (const venue of VENUES) {
    if (venue.kind === "curve" && venue.id !== "meteora-dbc") continue;
    // The recordings are of the other deployment, which has the same code (orca-whirlpool/deployments.test.ts).
    if (venue === orcaWhirlpoolImmutable) continue;
    await t.test(venue.id, async (t) => {
      const path = sharedPath(t, "executions", `${venue.id}.jsonl.gz`);
      if (path === null) return;
      let frozenCount = 0;
      let swaps = 0;
      for await (const { execution } of executionsOf(path)) {
        if (++swaps > SWAPS_A_VENUE) break;
        const { pool, accounts, clock, inputMint, amountIn, amountOut } = execution;
        if (amountOut === null) continue;
        for (const vault of vaultsNeeded(venue, pool, accounts)) {
          const known = withFrozen(accounts, vault);
          const decoded = venue.decode(pool, known);
          assert.equal(decoded.kind, "pool");
          assert.equal(venue.status(decoded.state, clock), "paused");
          const quote = venue.quoteExactIn(decoded.state, { inputMint, amountIn, clock });
          assert.equal(quote.kind === "unfillable" && quote.reason, "paused");
          const fast = venue.openFast?.(pool, known, inputMint) ?? null;
          if (fast !== null) {
            const paid = new Float64Array(1);
            fast.quoteAscending(Float64Array.of(Number(amountIn)), paid, clock);
            assert.ok(!((paid[0] ?? -1) >= 0), "the fast path refuses as the reference does");
          }
          frozenCount++;
        }
      }
      assert.ok(frozenCount > 0);
      t.diagnostic(`${frozenCount} frozen vaults, all paused`);
    });
  }
});

function assertPausedByEach<State>(
  venue: Venue<State>,
  { pool, accounts }: PoolFixture,
  vaults: readonly Address[],
): void {
  const decodedOf = (known: AccountSet) => {
    const decoded = venue.decode(pool, known, COIN);
    assert.equal(decoded.kind, "pool");
    return venue.status(decoded.state, CLOCK);
  };
  for (const vault of vaults) {
    const held = tokenAccount({ mint: COIN, owner: pool, amount: 5n, slot: 1n });
    accounts.set(vault, held);
    assert.ok(venue.accountsNeeded(pool, accounts, COIN).includes(vault));
    assert.equal(decodedOf(accounts), "open");
    accounts.set(vault, frozen(held));
    assert.equal(decodedOf(accounts), "paused");
    accounts.set(vault, held);
  }
}

test("case 7: a frozen vault pauses a LaunchLab launch", () => {
  const fixture = launchFixture({});
  const launch = decodeLaunchPool(fixture.accounts.get(fixture.pool));
  assert.ok(launch);
  assertPausedByEach(raydiumLaunchLab, fixture, [launch.baseVault, launch.quoteVault]);
});

test("case 7: a frozen vault pauses a pump curve that is quoted in a listed Token-2022 mint", () => {
  const quoteMint = testAddress(98);
  const fixture = curveFixture({ quoteMint });
  const mint = mintAccount({ supply: 1n << 60n, decimals: 6, slot: 1n });
  fixture.accounts.set(quoteMint, { ...mint, owner: TOKEN_2022_PROGRAM });
  const vault = associatedTokenAddress(fixture.pool, quoteMint, TOKEN_2022_PROGRAM);
  assertPausedByEach(pumpCurve, fixture, [vault]);
});

test("case 7: a frozen vault pauses a pump curve, of the coin and of a stable it is quoted in", () => {
  const fixture = curveFixture({ quoteMint: USDC });
  const freezeAuthority = testAddress(99);
  const mint = { supply: 1_000_000_000_000_000n, decimals: 6, slot: 1n, freezeAuthority };
  fixture.accounts.set(COIN, mintAccount(mint));
  assertPausedByEach(pumpCurve, fixture, freezableVaults(COIN, USDC, fixture.accounts));
});
