import { curveAccount, globalAccount, type NewCurve } from "#demo/programs/pump-curve-accounts.ts";
import { feeConfigAccount } from "#demo/programs/pump-fee-config-accounts.ts";
import {
  globalConfigAccount,
  type NewPumpSwapPool,
  poolAccount,
} from "#demo/programs/pumpswap-accounts.ts";
import {
  launchAccount,
  launchGlobalConfigAccount,
  launchPlatformConfigAccount,
  type NewLaunch,
} from "#demo/programs/raydium-launchlab-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "#src/venues/pump-curve/layout.ts";
import { isUntaxedQuote } from "#src/venues/pump-curve/vaults.ts";
import { poolAuthority } from "#src/venues/pumpswap/addresses.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import type { CurveKind } from "#src/venues/raydium-launchlab/curve.ts";
import type { FeeConfig, FeeRates } from "#src/venues/shared/pump-fees/fee-config.ts";
import type { TransferFeeSchedule } from "#src/venues/shared/token/transfer-fee.ts";
import { type PoolFixture, testAddress } from "./raydium-pools.ts";

export const COIN = testAddress(21);
/** Address of the coin's curve, and the creator of its canonical pool: derived once, because it is slow. */
const CURVE = curveAddress(COIN);
const AUTHORITY = poolAuthority(COIN);
const CREATOR = testAddress(22);
const STRANGER = testAddress(23);

export function rates(lpBps: bigint, protocolBps: bigint, creatorBps: bigint): FeeRates {
  return { lpBps, protocolBps, creatorBps };
}

/** The curve's FeeConfig as mainnet had it in September 2026. */
export const CURVE_FEES: FeeConfig = {
  flat: rates(0n, 95n, 30n),
  tiers: [{ threshold: 0n, rates: rates(0n, 95n, 30n) }],
  stableTiers: [{ threshold: 0n, rates: rates(0n, 95n, 30n) }],
  exotic: rates(0n, 95n, 30n),
};

/** The first tiers of the pools' FeeConfig as mainnet had them in September 2026. */
export const POOL_FEES: FeeConfig = {
  flat: rates(25n, 5n, 0n),
  tiers: [
    { threshold: 0n, rates: rates(2n, 93n, 30n) },
    { threshold: 420_000_000_000n, rates: rates(20n, 5n, 95n) },
    { threshold: 1_470_000_000_000n, rates: rates(20n, 5n, 90n) },
  ],
  stableTiers: [{ threshold: 0n, rates: rates(3n, 92n, 31n) }],
  exotic: rates(20n, 5n, 5n),
};

export type CurveFixture = Partial<Omit<NewCurve, "slot">> & {
  readonly fees?: FeeConfig;
  readonly isCreatorFeeConfigurable?: boolean;
  readonly mintSupply?: bigint;
  readonly length?: number;
};

/** A pump curve: fresh, SOL-quoted, with a creator, unless overridden. */
export function curveFixture(fields: CurveFixture = {}): PoolFixture {
  const { fees, isCreatorFeeConfigurable, mintSupply, length, ...curve } = fields;
  const account = curveAccount(
    {
      virtualToken: 1_073_000_000_000_000n,
      virtualQuote: 30_000_000_000n,
      realToken: 793_100_000_000_000n,
      realQuote: 0n,
      isComplete: false,
      creator: CREATOR,
      isMayhem: false,
      quoteMint: WSOL,
      creatorFeeBps: 0n,
      totalSupply: 1_000_000_000_000_000n,
      isCashback: false,
      slot: 1n,
      ...curve,
    },
    length,
  );
  const global = globalAccount(
    { authority: STRANGER, isCreatorFeeConfigurable: isCreatorFeeConfigurable ?? true },
    1n,
  );
  const supply = mintSupply ?? 1_000_000_000_000_000n;
  const quoteMint = curve.quoteMint ?? WSOL;
  const otherMint = mintAccount({ supply: 1n << 60n, decimals: 6, slot: 1n });
  return {
    pool: CURVE,
    mintA: COIN,
    mintB: quoteMint,
    accounts: new Map([
      [CURVE, account],
      [GLOBAL_ADDRESS, global],
      [CURVE_FEE_CONFIG_ADDRESS, feeConfigAccount(fees ?? CURVE_FEES, 1n)],
      ...(isUntaxedQuote(quoteMint) ? [] : [[quoteMint, otherMint] as const]),
      [COIN, mintAccount({ supply, decimals: 6, slot: 1n })],
    ]),
  };
}

export type PumpSwapFixture = Partial<Omit<NewPumpSwapPool, "slot">> & {
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  readonly supply?: bigint;
  readonly fees?: FeeConfig;
  readonly isCanonical?: boolean;
  readonly disableFlags?: number;
  readonly isCreatorFeeConfigurable?: boolean;
  readonly baseTransferFee?: TransferFeeSchedule;
  readonly length?: number;
};

const POOL = testAddress(24);
const BASE_VAULT = testAddress(25);
const QUOTE_VAULT = testAddress(26);

/** A PumpSwap pool of the coin against SOL: canonical and open unless overridden. */
export function pumpSwapFixture(fields: PumpSwapFixture): PoolFixture {
  const { baseReserve, quoteReserve, supply, fees, isCanonical, length, ...rest } = fields;
  const { disableFlags, isCreatorFeeConfigurable, baseTransferFee, ...pool } = rest;
  const baseMint = pool.baseMint ?? COIN;
  const quoteMint = pool.quoteMint ?? WSOL;
  const account = poolAccount(
    {
      index: 0,
      creator: isCanonical === false ? STRANGER : AUTHORITY,
      baseMint,
      quoteMint,
      lpMint: STRANGER,
      baseVault: BASE_VAULT,
      quoteVault: QUOTE_VAULT,
      lpSupply: 1n,
      coinCreator: CREATOR,
      isMayhem: false,
      isCashback: false,
      virtualQuote: 0n,
      creatorFeeBps: 0n,
      protocolFees: 0n,
      creatorFees: 0n,
      slot: 1n,
      ...pool,
    },
    length,
  );
  const config = globalConfigAccount(
    {
      admin: STRANGER,
      disableFlags: disableFlags ?? 0,
      isCreatorFeeConfigurable: isCreatorFeeConfigurable ?? true,
    },
    1n,
  );
  const program = baseTransferFee === undefined ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const base = tokenAccount({
    mint: baseMint,
    owner: POOL,
    amount: baseReserve,
    program,
    slot: 1n,
  });
  const quote = tokenAccount({ mint: quoteMint, owner: POOL, amount: quoteReserve, slot: 1n });
  const mint = mintAccount({
    supply: supply ?? 1_000_000_000_000_000n,
    decimals: 6,
    slot: 1n,
    ...(baseTransferFee === undefined ? {} : { transferFee: baseTransferFee }),
  });
  return {
    pool: POOL,
    mintA: baseMint,
    mintB: quoteMint,
    accounts: new Map<Address, Account>([
      [POOL, account],
      [BASE_VAULT, base],
      [QUOTE_VAULT, quote],
      [baseMint, mint],
      [GLOBAL_CONFIG_ADDRESS, config],
      [POOL_FEE_CONFIG_ADDRESS, feeConfigAccount(fees ?? POOL_FEES, 1n)],
    ]),
  };
}

export type LaunchFixture = Partial<Omit<NewLaunch, "slot">> & {
  readonly kind?: CurveKind;
  readonly protocolFeeRate?: bigint;
  readonly platformFeeRate?: bigint;
  readonly creatorFeeRate?: bigint;
  readonly baseTransferFee?: TransferFeeSchedule;
  readonly quoteTransferFee?: TransferFeeSchedule;
};

const LAUNCH = testAddress(27);
const LAUNCH_GLOBAL = testAddress(28);
const LAUNCH_PLATFORM = testAddress(29);

/** A LaunchLab launch with mainnet's usual numbers, not one unit sold yet unless overridden. */
export function launchFixture(fields: LaunchFixture = {}): PoolFixture {
  const { kind, protocolFeeRate, platformFeeRate, creatorFeeRate, ...rest } = fields;
  const { baseTransferFee, quoteTransferFee, ...launch } = rest;
  const baseMint = launch.baseMint ?? COIN;
  const quoteMint = launch.quoteMint ?? WSOL;
  const account = launchAccount({
    status: 0,
    totalBaseSell: 793_100_000_000_000n,
    virtualBase: 1_073_025_605_596_382n,
    virtualQuote: 30_000_852_951n,
    realBase: 0n,
    realQuote: 0n,
    globalConfig: LAUNCH_GLOBAL,
    platformConfig: LAUNCH_PLATFORM,
    baseMint,
    quoteMint,
    isBaseToken2022: baseTransferFee !== undefined,
    isQuoteToken2022: quoteTransferFee !== undefined,
    baseVault: BASE_VAULT,
    quoteVault: QUOTE_VAULT,
    creator: CREATOR,
    supply: 1_000_000_000_000_000n,
    totalQuoteFundRaising: 85_000_000_000n,
    baseDecimals: 6,
    quoteDecimals: 9,
    migrateType: 1,
    slot: 1n,
    ...launch,
  });
  const global = launchGlobalConfigAccount(
    {
      kind: kind ?? "constant-product",
      index: 0,
      tradeFeeRate: protocolFeeRate ?? 2500n,
      quoteMint,
    },
    1n,
  );
  const platform = launchPlatformConfigAccount(
    { feeRate: platformFeeRate ?? 7500n, creatorFeeRate: creatorFeeRate ?? 500n, name: "platform" },
    1n,
  );
  const accounts = new Map([
    [LAUNCH, account],
    [LAUNCH_GLOBAL, global],
    [LAUNCH_PLATFORM, platform],
  ]);
  for (const [mint, transferFee] of [
    [baseMint, baseTransferFee],
    [quoteMint, quoteTransferFee],
  ] as const) {
    if (transferFee === undefined) continue;
    accounts.set(mint, mintAccount({ supply: 1n << 60n, decimals: 6, transferFee, slot: 1n }));
  }
  return { pool: LAUNCH, mintA: baseMint, mintB: quoteMint, accounts };
}
