import { ByteWriter } from "#demo/byte-writer.ts";
import { dammV1PoolAccount, vaultAccount } from "#demo/programs/meteora-damm-v1-accounts.ts";
import { dammV2PoolAccount } from "#demo/programs/meteora-damm-v2-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { DammV1State, VaultShare } from "#src/venues/meteora-damm-v1/decode.ts";
import { MARINADE_PRICE_OFFSET, MARINADE_STATE } from "#src/venues/meteora-damm-v1/layout.ts";
import type { DammToken, DammV2State } from "#src/venues/meteora-damm-v2/decode.ts";
import { type PoolFixture, testAddress } from "./raydium-pools.ts";

const POOL = testAddress(1);
export const MINT_A = testAddress(2);
export const MINT_B = testAddress(3);
const VAULT_A = testAddress(4);
const VAULT_B = testAddress(5);
const OTHER = testAddress(7);

function dammToken(mint: Address): DammToken {
  return {
    mint,
    vaultAmount: 1n << 50n,
    reserve: 1n << 49n,
    protocolFee: 0n,
    transferFee: null,
    isStuck: false,
    hasHook: false,
  };
}

const SQRT_PRICE_ONE = 1n << 64n;

/**
 * A DAMM v2 state: price 1, wide range, 1 % linear schedule that has not begun to fall, fee on the
 * output, unless overridden.
 */
export function dammV2State(fields: Partial<DammV2State> = {}): DammV2State {
  return {
    tokenA: dammToken(MINT_A),
    tokenB: dammToken(MINT_B),
    liquidity: 1_000_000_000_000n << 64n,
    sqrtMinPrice: 4_295_048_016n,
    sqrtMaxPrice: 79_226_673_521_066_979_257_578_248_091n,
    sqrtPrice: SQRT_PRICE_ONE,
    initSqrtPrice: SQRT_PRICE_ONE,
    activationPoint: 0n,
    activationType: "time",
    isEnabled: true,
    collectFeeMode: "both",
    maxFeeNumerator: 990_000_000n,
    baseFee: {
      kind: "time-linear",
      cliffFeeNumerator: 10_000_000n,
      periods: 0n,
      periodFrequency: 0n,
      reductionFactor: 0n,
    },
    dynamicFee: null,
    protocolFeePercent: 20n,
    compoundingFeeBps: 0n,
    ...fields,
  };
}

/** The accounts that decode to that state. */
export function dammV2Fixture(state: DammV2State): PoolFixture {
  const { tokenA, tokenB } = state;
  const pool = dammV2PoolAccount(state, {
    vaultA: VAULT_A,
    vaultB: VAULT_B,
    creator: OTHER,
    isExtendedA: tokenA.transferFee !== null,
    isExtendedB: tokenB.transferFee !== null,
    slot: 1n,
  });
  const accounts = new Map<Address, Account>([[POOL, pool]]);
  for (const [token, vault] of [
    [tokenA, VAULT_A],
    [tokenB, VAULT_B],
  ] as const) {
    const { mint, vaultAmount: amount, transferFee } = token;
    const program = transferFee === null ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
    if (amount !== null) {
      accounts.set(vault, tokenAccount({ mint, owner: OTHER, amount, program, slot: 1n }));
    }
    if (transferFee === null) continue;
    accounts.set(mint, mintAccount({ supply: 1n << 60n, decimals: 6, transferFee, slot: 1n }));
  }
  return { pool: POOL, mintA: MINT_A, mintB: MINT_B, accounts };
}

export function vaultShare(mint: Address, fields: Partial<VaultShare> = {}): VaultShare {
  return {
    mint,
    takesDeposits: true,
    totalAmount: 2_000_000_000_000n,
    lockedProfit: 0n,
    lastReport: 0n,
    degradation: 1_000_000_000_000n,
    lpSupply: 2_000_000_000_000n,
    poolLp: 1_000_000_000_000n,
    tokenVaultAmount: 2_000_000_000_000n,
    isFrozen: false,
    ...fields,
  };
}

/** A DAMM v1 state: constant product, half of each of two vaults, 0.25 %, unless overridden. */
export function dammV1State(fields: Partial<DammV1State> = {}): DammV1State {
  return {
    a: vaultShare(MINT_A),
    b: vaultShare(MINT_B),
    isEnabled: true,
    activationPoint: 0n,
    activationType: "time",
    tradeFeeNumerator: 250n,
    tradeFeeDenominator: 100_000n,
    protocolFeeNumerator: 20_000n,
    protocolFeeDenominator: 100_000n,
    curve: { kind: "constant-product" },
    ...fields,
  };
}

/** The accounts that decode to that state; a depeg is Marinade's. */
export function dammV1Fixture(state: DammV1State): PoolFixture {
  const [poolLpA, poolLpB, tokenVaultA, tokenVaultB, lpMintA, lpMintB] = [8, 9, 10, 11, 12, 13].map(
    testAddress,
  ) as [Address, Address, Address, Address, Address, Address];
  const depeg = state.curve.kind === "stable" ? state.curve.depeg : null;
  const pool = dammV1PoolAccount(state, {
    lpMint: OTHER,
    creator: OTHER,
    vaultA: VAULT_A,
    vaultB: VAULT_B,
    poolLpA,
    poolLpB,
    protocolFeeA: OTHER,
    protocolFeeB: OTHER,
    stake: OTHER,
    depegType: depeg === null ? 0 : 1,
    slot: 1n,
  });
  const accounts = new Map<Address, Account>([[POOL, pool]]);
  for (const { share, vault, tokenVault, lpMint, poolLp } of [
    { share: state.a, vault: VAULT_A, tokenVault: tokenVaultA, lpMint: lpMintA, poolLp: poolLpA },
    { share: state.b, vault: VAULT_B, tokenVault: tokenVaultB, lpMint: lpMintB, poolLp: poolLpB },
  ]) {
    const { mint, tokenVaultAmount, lpSupply } = share;
    accounts.set(
      vault,
      vaultAccount(share, { tokenVault, feeVault: OTHER, lpMint, base: OTHER, slot: 1n }),
    );
    accounts.set(
      tokenVault,
      tokenAccount({ mint, owner: vault, amount: tokenVaultAmount, slot: 1n }),
    );
    accounts.set(
      poolLp,
      tokenAccount({ mint: lpMint, owner: POOL, amount: share.poolLp, slot: 1n }),
    );
    accounts.set(lpMint, mintAccount({ supply: lpSupply, decimals: 6, slot: 1n }));
  }
  if (depeg !== null) {
    const price = ((depeg.currentPrice ?? 0n) << 32n) / 1_000_000n;
    const data = new ByteWriter(new Uint8Array(600)).u64(MARINADE_PRICE_OFFSET, price).bytes;
    accounts.set(MARINADE_STATE, { owner: OTHER, lamports: 1n, data, slot: 1n });
  }
  return { pool: POOL, mintA: MINT_A, mintB: MINT_B, accounts };
}
