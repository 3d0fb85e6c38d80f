import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
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
import type { AccountChanges, Graduation, Migration } from "../market-program.ts";
import { tokenAccount, withTokenAmount } from "../token-accounts.ts";
import { dammV2PoolAccount } from "./meteora-damm-v2-accounts.ts";
import { firstPosition } from "./meteora-damm-v2-positions.ts";
import { migratedCurve, vaultAddress } from "./meteora-dbc-accounts.ts";

/** The demo's graduated pools are made under the config that takes one percent. */
export const MIGRATION_FEE_OPTION = 2;
const GRADUATED_FEE_NUMERATOR = 10_000_000n;
const PROTOCOL_FEE_PERCENT = 20n;
/** The price range of every graduated pool, as square roots in Q64.64. */
const MAX_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;
const MIN_SQRT_PRICE = 4_295_048_016n;

/** What a complete curve hands to its DAMM v2 pool, and the curve as it stands afterwards. */
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
 * Empties a complete curve into its graduation, or null where it is not complete. The whole
 * threshold goes in as quote, and as much base as the migration price asks for; the rest stays in
 * the vault for whoever launched it.
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
  const changes = new Map<Address, Account | null>([[pool, migratedCurve(curve, slot)]]);
  for (const [mint, held, handed] of [
    [baseMint, state.baseVaultBalance, baseAmount],
    [quoteMint, state.quoteVaultBalance, migrationQuoteThreshold],
  ] as const) {
    const at = vaultAddress(pool, mint);
    const vault = known.get(at);
    if (vault && held !== null) changes.set(at, withTokenAmount(vault, held - handed, slot));
  }
  return {
    changes,
    baseMint,
    quoteMint,
    baseAmount,
    quoteAmount: migrationQuoteThreshold,
    sqrtPrice,
    liquidity,
  };
}

/** Moves a complete curve to its DAMM v2 pool, where the venue's search finds it. */
export function graduate(
  known: AccountSet,
  curve: Address,
  { clock }: Migration,
): Graduation | null {
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
  const vault = { owner: POOL_AUTHORITY, slot };
  return {
    venue: "meteora-damm-v2",
    pool,
    changes: new Map([
      ...migration.changes,
      [pool, account],
      [vaultA, tokenAccount({ ...vault, mint: baseMint, amount: baseAmount })],
      [vaultB, tokenAccount({ ...vault, mint: quoteMint, amount: quoteAmount })],
      // Most launches lock the whole of it.
      ...firstPosition({
        pool,
        owner: curve,
        liquidity: migration.liquidity,
        lockedBps: 10_000,
        slot,
      }),
    ]),
  };
}

function dammVaultAddress(pool: Address, mint: Address): Address {
  return findProgramAddress(["token_vault", { address: mint }, { address: pool }], DAMM_V2_PROGRAM);
}

function token(mint: Address, amount: bigint): DammToken {
  const isPlain = { transferFee: null, isStuck: false, hasHook: false };
  return { mint, vaultAmount: amount, reserve: amount, protocolFee: 0n, ...isPlain };
}
