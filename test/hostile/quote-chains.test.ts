import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { writeMarket } from "#bench/adversary/market-accounts.ts";
import { marketOfAccounts, PLAN_TIME_MS } from "#bench/adversary/measure-plan.ts";
import { writePool } from "#bench/adversary/pool-accounts.ts";
import { PLANNED_VENUES, type PlannedPool, type PoolPlan } from "#bench/adversary/pool-plan.ts";
import { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import { seededRandom } from "#demo/seeded-random.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { noticeOf } from "#src/api/notice.ts";
import { assess } from "#src/measure/assess.ts";
import type { Market } from "#src/measure/market/market.ts";
import { exitOfBaseUnits } from "#src/measure/questions/exit-at.ts";
import { between } from "#src/platform/seeded-random.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { type Address, address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { COIN, curveFixture, rates } from "#test/support/pools/pump-pools.ts";
import { honestPool, planOf } from "./plans.ts";

type Pools = readonly [PlannedPool, PlannedPool];
type Chain = {
  readonly market: Market;
  readonly plans: readonly [PoolPlan, PoolPlan];
  readonly pools: Pools;
  readonly accounts: Map<Address, Account>;
  readonly amountIn: bigint;
};

/** A token whose only pool pays another token, and that token's SOL pool; by seed. */
function chainOf(seed: number, venues: readonly PoolPlan["venue"][]): Chain {
  const random = seededRandom(1_000_000 + seed);
  const { uniform } = random;
  const { mint, accounts } = writeMarket(planOf([], { seed, supplySol: 1e9 }));
  const quoteMint = random.address();
  accounts.set(quoteMint, mintAccount({ supply: 10n ** 18n, decimals: 6, slot: 1n }));
  const planned = (venue: PoolPlan["venue"], price: number): PoolPlan =>
    honestPool({
      venue,
      price,
      sol: between(uniform, 1, 2_000),
      feePct: venue === "raydium-amm-v4" ? 0.25 : Math.round(between(uniform, 1, 20)) / 10,
      range: between(uniform, 0.2, 0.6),
    });
  const venueAt = (index: number) => venues[index % venues.length] ?? "raydium-amm-v4";
  const plans = [
    planned(venueAt(seed), between(uniform, 0.001, 2)),
    planned(venueAt(Math.floor(seed / venues.length)), between(uniform, 0.1, 10)),
  ] as const;
  const writer = { accounts, random, baseMint: mint };
  const pools = [
    writePool(writer, { plan: plans[0], baseMint: mint, quoteMint }),
    writePool(writer, { plan: plans[1], baseMint: quoteMint, quoteMint: WSOL }),
  ] as const;
  const market = marketOfAccounts({ mint, accounts, pools: [pools[0]], hops: [pools[1]] });
  // At most 9 SOL: more is not answered for the family other.
  const most = Math.min(
    0.2 * plans[0].sol,
    (0.2 * plans[1].sol) / plans[1].price,
    9 / plans[1].price,
  );
  const amountIn = BigInt(Math.round((most * between(uniform, 0.001, 1) * 1e9) / plans[0].price));
  return { market, plans, pools, accounts, amountIn };
}

function paidBy({ market, amountIn }: Chain): bigint | string {
  const retail = exitOfBaseUnits(market, amountIn, "retail");
  const pro = exitOfBaseUnits(market, amountIn, "pro");
  assert.deepEqual(retail, pro);
  return retail.kind === "sold" ? retail.paidLamports : retail.reason;
}

/** Vault balances are u64 at byte 64 of a token account, its mint at byte 0. */
function reserveOf({ accounts, pools }: Chain, hop: 0 | 1, mint: string): bigint {
  const { address: pool } = pools[hop];
  const data = accounts.get(pool)?.data;
  assert.ok(data !== undefined);
  for (const [key, account] of accounts) {
    if (account.data.length !== 165) continue;
    const isVault = Buffer.from(data).includes(Buffer.from(addressBytes(key)));
    const isOfMint = Buffer.from(account.data).subarray(0, 32).equals(addressBytes(mint));
    if (isVault && isOfMint) return Buffer.from(account.data).readBigUInt64LE(64);
  }
  throw new Error(`no vault of ${mint}`);
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function addressBytes(text: string): Buffer {
  let value = 0n;
  for (const letter of text) value = value * 58n + BigInt(ALPHABET.indexOf(letter));
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}

/** Constant product from the vaults alone: the fee rounded up and taken first, the output rounded down. */
function handComputed(chain: Chain): bigint {
  return ([0, 1] as const).reduce((amountIn, hop) => {
    const { baseMint, quoteMint } = chain.pools[hop];
    const [base, quote] = [reserveOf(chain, hop, baseMint), reserveOf(chain, hop, quoteMint)];
    const feePpm = BigInt(Math.round(chain.plans[hop].feePct * 10_000));
    const left = amountIn - (amountIn * feePpm + 999_999n) / 1_000_000n;
    return (left * quote) / (base + left);
  }, chain.amountIn);
}

/** Each hop by its venue's own quote on the decoded account bytes. */
function hopByHop({ pools, accounts, amountIn }: Chain): bigint | string {
  const known = { get: (key: Address) => accounts.get(key) ?? null };
  let amount = amountIn;
  for (const { venue: id, address: pool, baseMint } of pools) {
    const venue = VENUES.find((candidate) => candidate.id === id);
    const decoded = venue?.decode(pool, known, baseMint);
    assert.ok(venue !== undefined && decoded?.kind === "pool");
    const clock = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };
    const quote = venue.quoteExactIn(decoded.state, {
      inputMint: baseMint,
      amountIn: amount,
      clock,
    });
    if (quote.kind !== "filled") return quote.reason;
    amount = quote.amountOut;
  }
  return amount;
}

describe("a token whose pool pays another token", () => {
  test("200 chains of two constant-product pools pay what the vaults say, to the lamport", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const chain = chainOf(seed, ["raydium-amm-v4", "raydium-cpmm"]);
      assert.equal(paidBy(chain), handComputed(chain), `seed ${seed}`);
    }
  });

  test("200 chains over all pairs of five venues pay what each hop pays in turn", () => {
    let sold = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const chain = chainOf(seed, PLANNED_VENUES);
      const expected = hopByHop(chain);
      if (typeof expected !== "bigint") continue;
      assert.equal(paidBy(chain), expected, `seed ${seed}`);
      sold++;
    }
    assert.ok(sold >= 190, `${sold} of 200`);
  });

  test("if that token has no modelled way to SOL, the answer names it and is not 404", async () => {
    const { accounts, pools } = chainOf(1, ["raydium-cpmm"]);
    const [sold, hop] = pools;
    accounts.delete(hop.address);
    const chain = new ScriptedChain({ origin: "recorded", nowMs: PLAN_TIME_MS });
    chain.slot = 400_000_000n;
    for (const [key, account] of accounts) chain.set(key, account);
    const deps = { source: chain, venues: VENUES, clock: { nowMs: () => PLAN_TIME_MS } };
    const loaded = await loadMarket(deps, sold.baseMint);
    assert.ok(loaded.kind === "market");
    const assessment = assess(loaded.market);
    assert.equal(assessment.blocked, "unpriced-majority");
    for (const language of ["es", "en"] as const) {
      assert.ok(noticeOf(assessment, language)?.includes(sold.quoteMint));
    }
  });

  test("the recorded trades quoted in PUMP are exact", (t) => {
    const path = sharedPath(t, "mainnet-events", "pump.jsonl");
    if (path === null) return;
    const pump = address("pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn");
    const lines = readFileSync(path, "utf8").trim().split("\n");
    const trades = lines
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event.quote_mint === pump);
    assert.equal(trades.length, 2);
    for (const { derived, event } of trades) {
      const { pool, accounts } = curveFixture({
        quoteMint: pump,
        virtualToken: BigInt(derived.pre_virtual_token_reserves),
        virtualQuote: BigInt(derived.pre_virtual_quote_reserves),
        realQuote: BigInt(derived.pre_real_quote_reserves),
        fees: {
          flat: rates(0n, 1n, 1n),
          tiers: [],
          stableTiers: [],
          exotic: rates(0n, BigInt(event.fee_basis_points), BigInt(event.creator_fee_basis_points)),
        },
      });
      const decoded = pumpCurve.decode(pool, accounts, COIN);
      assert.ok(decoded.kind === "pool");
      const [sold, paid] = [BigInt(derived.token_amount), BigInt(derived.user_net_quote)];
      const clock = { slot: 453_000_000n, unixTimestamp: BigInt(event.timestamp), epoch: 1_050n };
      const amountOut = (inputMint: typeof pump, amountIn: bigint) => {
        const quote = pumpCurve.quoteExactIn(decoded.state, { inputMint, amountIn, clock });
        return quote.kind === "filled" ? quote.amountOut : 0n;
      };
      if (derived.side === "sell") {
        assert.equal(amountOut(COIN, sold), paid);
      } else {
        // Bought by exact output, which costs one unit more than buying by exact input.
        assert.ok(amountOut(pump, paid) < sold && amountOut(pump, paid + 1n) >= sold);
      }
    }
  });
});
