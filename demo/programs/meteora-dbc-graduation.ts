import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { configuredPool } from "#src/venues/meteora-damm-v2/adapter.ts";
import type { DammToken } from "#src/venues/meteora-damm-v2/decode.ts";
import {
  PROGRAM_ID as DAMM_V2_PROGRAM,
  GRADUATION_CONFIGS,
  MAX_FEE_NUMERATORS,
  POOL_AUTHORITY,
} from "#src/venues/meteora-damm-v2/layout.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import { baseInStretch } from "#src/venues/meteora-dbc/curve.ts";
import { isComplete } from "#src/venues/meteora-dbc/quote.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { MarketProgram } from "../market-program.ts";
import { dammV2PoolAccount } from "./meteora-damm-v2-accounts.ts";
import { firstPosition } from "./meteora-damm-v2-positions.ts";
import { migratedCurve, vaultAddress } from "./meteora-dbc-accounts.ts";
import { newVaults, tokenAmounts } from "./pool-program.ts";

/** The demo's graduated pools are made under the config that takes one percent. */
export const MIGRATION_FEE_OPTION = 2;
const GRADUATED_FEE_NUMERATOR = 10_000_000n;
const PROTOCOL_FEE_PERCENT = 20n;
/** The price range of every graduated pool, as square roots in Q64.64. */
const MAX_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;
const MIN_SQRT_PRICE = 4_295_048_016n;

/** The deposits of a complete curve for its DAMM v2 pool, and the accounts of the emptied curve. */
export type CurveMigration = {
  readonly changes: AccountChanges;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
};

/**
 * Takes the pool's deposits out of a complete curve; null if it is not complete. The deposits are the
 * whole quote threshold and the base that the migration price requires. The rest stays in the vaults
 * for the creator.
 *
 * @see migration_handler/concentrated_liquidity.rs of MeteoraAg/dynamic-bonding-curve
 */
export function migrateCurve(
  known: AccountSet,
  pool: Address,
  { slot }: Clock,
): CurveMigration | null {
  const decoded = meteoraDbc.decode(pool, known);
  const curve = known.get(pool);
  if (!curve || decoded.kind === "unusable") return null;
  const { state } = decoded;
  if (state.isMigrated || !isComplete(state)) return null;
  const { baseMint, config } = state;
  const { quoteMint, migrationQuoteThreshold, migrationSqrtPrice: sqrtPrice } = config;
  const liquidity = (migrationQuoteThreshold << 128n) / (sqrtPrice - MIN_SQRT_PRICE);
  const baseAmount = baseInStretch({ lower: sqrtPrice, upper: MAX_SQRT_PRICE, liquidity }, "up");
  const baseVault = vaultAddress(pool, baseMint);
  const quoteVault = vaultAddress(pool, quoteMint);
  const amounts = [
    [baseVault, (state.baseVaultBalance ?? 0n) - baseAmount],
    [quoteVault, (state.quoteVaultBalance ?? 0n) - migrationQuoteThreshold],
  ] as const;
  return {
    changes: new Map([[pool, migratedCurve(curve, slot)], ...tokenAmounts(known, amounts, slot)]),
    baseMint,
    quoteMint,
    baseAmount,
    quoteAmount: migrationQuoteThreshold,
    sqrtPrice,
    liquidity,
  };
}

/** Moves a complete curve to its DAMM v2 pool, at the address where the venue's search finds it. */
export const graduate: NonNullable<MarketProgram["graduate"]> = (known, curve, { clock }) => {
  const migration = migrateCurve(known, curve, clock);
  if (migration === null) return null;
  const { baseMint, quoteMint, baseAmount, quoteAmount } = migration;
  const { slot } = clock;
  const pool = configuredPool(GRADUATION_CONFIGS[MIGRATION_FEE_OPTION], baseMint, quoteMint);
  const vaultA = dammVaultAddress(pool, baseMint);
  const vaultB = dammVaultAddress(pool, quoteMint);
  const account = dammV2PoolAccount(
    {
      tokenA: token(baseMint, baseAmount),
      tokenB: token(quoteMint, quoteAmount),
      liquidity: migration.liquidity,
      sqrtMinPrice: MIN_SQRT_PRICE,
      sqrtMaxPrice: MAX_SQRT_PRICE,
      sqrtPrice: migration.sqrtPrice,
      initSqrtPrice: migration.sqrtPrice,
      activationPoint: clock.unixTimestamp,
      activationType: "time",
      isEnabled: true,
      collectFeeMode: "only-b",
      maxFeeNumerator: MAX_FEE_NUMERATORS[1],
      baseFee: {
        kind: "time-linear",
        cliffFeeNumerator: GRADUATED_FEE_NUMERATOR,
        periods: 0n,
        periodFrequency: 0n,
        reductionFactor: 0n,
      },
      dynamicFee: null,
      protocolFeePercent: PROTOCOL_FEE_PERCENT,
      compoundingFeeBps: 0n,
    },
    { vaultA, vaultB, creator: curve, isExtendedA: false, isExtendedB: false, slot },
  );
  const vaults = [
    { vault: vaultA, mint: baseMint, amount: baseAmount },
    { vault: vaultB, mint: quoteMint, amount: quoteAmount },
  ];
  return {
    venue: "meteora-damm-v2",
    pool,
    changes: new Map([
      ...migration.changes,
      [pool, account],
      ...newVaults(known, vaults, POOL_AUTHORITY, slot),
      // Most launches lock all of the position.
      ...firstPosition({
        pool,
        owner: curve,
        liquidity: migration.liquidity,
        lockedBps: 10_000,
        slot,
      }),
    ]),
  };
};

function dammVaultAddress(pool: Address, mint: Address): Address {
  return findProgramAddress(["token_vault", { address: mint }, { address: pool }], DAMM_V2_PROGRAM);
}

function token(mint: Address, amount: bigint): DammToken {
  const isPlain = { transferFee: null, isStuck: false, hasHook: false };
  return { mint, vaultAmount: amount, reserve: amount, protocolFee: 0n, ...isPlain };
}
