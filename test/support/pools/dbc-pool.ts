import { configAccount, curveAccount } from "#demo/programs/meteora-dbc-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { type Address, address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { DBC_POOL_AUTHORITY, DBC_PROGRAM } from "#src/venues/meteora-dbc/layout.ts";
import type { DbcConfig, DbcState } from "#src/venues/meteora-dbc/state.ts";
import type { Clock } from "#src/venues/venue.ts";

export const POOL = address("Gh68ePwH4b7wcqVKhX2NLxGKGf3yNuzLSNPPkssHpbD7");
export const CONFIG = address("CaDBnXEGdbJ9bKBN8U4AbbvJ7BMY6KMrBTXDyShaonjd");
export const BASE_MINT = address("Fz2wEMHtvCEvzyobC6aiNXPsxKKz1ohGb9Y1xRjwMPcQ");
export const QUOTE_MINT = address("3SVHBdjqWgsRsnFB8GArayTDdaM5NxRNpqv3WbtrppH3");
export const ACTIVATION_SLOT = 400_000_000n;
export const CLOCK: Clock = {
  slot: ACTIVATION_SLOT + 1_000n,
  unixTimestamp: 1_790_000_400n,
  epoch: 925n,
};

const NO_FEES = { protocol: 0n, partner: 0n, creator: 0n };

/** Two stretches; about 85 SOL complete the curve. */
export const CONFIG_FIELDS: DbcConfig = {
  quoteMint: QUOTE_MINT,
  baseFee: {
    kind: "linear",
    cliffNumerator: 10_000_000n,
    periods: 0,
    periodLength: 0n,
    reduction: 0n,
  },
  dynamicFee: null,
  collects: "quote",
  countsBy: "slot",
  creatorTradingFeePercent: 0,
  migrationQuoteThreshold: 85_000_000_000n,
  migrationBaseThreshold: 0n,
  migrationSqrtPrice: 380_000_000_000_000_000n,
  vestingAmount: 0n,
  sqrtStartPrice: 100_000_000_000_000_000n,
  curve: [
    { sqrtPrice: 200_000_000_000_000_000n, liquidity: 90n * 10n ** 30n },
    { sqrtPrice: 380_000_000_000_000_000n, liquidity: 120n * 10n ** 30n },
  ],
};

export type DbcPool = {
  readonly config?: Partial<DbcConfig>;
  readonly state?: Partial<Omit<DbcState, "config">>;
};

/** The accounts of a curve in the true layouts, by address; vaults hold exactly reserves and fees. */
export function dbcAccounts(pool: DbcPool): Map<Address, Account | null> {
  const config = { ...CONFIG_FIELDS, ...pool.config };
  const state = {
    baseReserve: 10n ** 15n,
    quoteReserve: 30_000_000_000n,
    baseFees: NO_FEES,
    quoteFees: NO_FEES,
    sqrtPrice: 180_000_000_000_000_000n,
    isMigrated: false,
    volatility: {
      lastUpdateTimestamp: 0n,
      sqrtPriceReference: 180_000_000_000_000_000n,
      accumulator: 0n,
      reference: 0n,
    },
    ...pool.state,
  };
  const baseVault = vaultAddress(BASE_MINT);
  const quoteVault = vaultAddress(QUOTE_MINT);
  const curve = {
    config: CONFIG,
    creator: CONFIG,
    baseMint: BASE_MINT,
    baseVault,
    quoteVault,
    activationPoint: pool.state?.activationPoint ?? ACTIVATION_SLOT,
    slot: 0n,
  };
  const extras = {
    feeClaimer: CONFIG,
    tokenDecimals: 6,
    migrationFeePercent: 0,
    migrationFeeOption: 2,
    slot: 0n,
  };
  const mint = mintAccount({ supply: 10n ** 18n, decimals: 6, slot: 0n });
  const held = (reserve: bigint, fees: typeof NO_FEES) =>
    reserve + fees.protocol + fees.partner + fees.creator;
  const vault = (ofMint: Address, amount: bigint) =>
    tokenAccount({ mint: ofMint, owner: DBC_POOL_AUTHORITY, amount, slot: 0n });
  return new Map<Address, Account | null>()
    .set(POOL, curveAccount(curve, state))
    .set(CONFIG, configAccount(config, extras))
    .set(BASE_MINT, mint)
    .set(QUOTE_MINT, mint)
    .set(baseVault, vault(BASE_MINT, held(state.baseReserve, state.baseFees)))
    .set(quoteVault, vault(QUOTE_MINT, held(state.quoteReserve, state.quoteFees)));
}

export function vaultAddress(mint: Address): Address {
  return findProgramAddress(["token_vault", { address: mint }, { address: POOL }], DBC_PROGRAM);
}
