import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { readOwn } from "../shared/own-account.ts";
import { type Unusable, unusable } from "../shared/refusals.ts";
import { decodeMint } from "../shared/token/mint.ts";
import { isFrozenAccount } from "../shared/token/token-account.ts";
import type { TransferFeeSchedule } from "../shared/token/transfer-fee.ts";
import type { Decoded } from "../venue.ts";
import { CURVE_KINDS, type CurveKind, type LaunchReserves } from "./curve.ts";
import {
  FEE_DENOMINATOR,
  GLOBAL_CONFIG,
  LAUNCHLAB_PROGRAM,
  PLATFORM_CONFIG,
  POOL,
  POOL_STATUS,
  TOKEN_2022_FLAG,
} from "./layout.ts";

/** What a PoolState account contains. */
export type LaunchPool = LaunchReserves & {
  readonly status: number;
  /** Base units for sale in all; selling out completes the launch. */
  readonly totalBaseSell: bigint;
  readonly globalConfig: Address;
  readonly platformConfig: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly baseVault: Address;
  readonly quoteVault: Address;
  readonly isBaseToken2022: boolean;
  readonly isQuoteToken2022: boolean;
};

export type LaunchStatus = "funding" | "waiting" | "migrated";

/** Parts per million of the quote amount; below the whole together. */
export type LaunchFeeRates = {
  readonly protocol: bigint;
  readonly platform: bigint;
  readonly creator: bigint;
};

export type LaunchLabState = LaunchReserves & {
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly kind: CurveKind;
  readonly status: LaunchStatus;
  readonly totalBaseSell: bigint;
  readonly feeRates: LaunchFeeRates;
  readonly baseTransferFee: TransferFeeSchedule | null;
  readonly quoteTransferFee: TransferFeeSchedule | null;
  /** A vault is frozen: the token program refuses every trade. */
  readonly hasFrozenVault: boolean;
};

const POOL_KIND = {
  programId: LAUNCHLAB_PROGRAM,
  discriminator: POOL.discriminator,
  minLength: POOL.length,
} as const;
const GLOBAL_CONFIG_KIND = {
  programId: LAUNCHLAB_PROGRAM,
  discriminator: GLOBAL_CONFIG.discriminator,
  minLength: GLOBAL_CONFIG.length,
} as const;
const PLATFORM_CONFIG_KIND = {
  programId: LAUNCHLAB_PROGRAM,
  discriminator: PLATFORM_CONFIG.discriminator,
  minLength: PLATFORM_CONFIG.name,
} as const;

/** The pool's own account, or null where the account is none. */
export function decodeLaunchPool(account: Account | null | undefined): LaunchPool | null {
  const reader = readOwn(account, POOL_KIND);
  if (reader === null) return null;
  const flags = reader.u8(POOL.token_program_flag);
  return {
    status: reader.u8(POOL.status),
    totalBaseSell: reader.u64(POOL.total_base_sell),
    virtualBase: reader.u64(POOL.virtual_base),
    virtualQuote: reader.u64(POOL.virtual_quote),
    realBase: reader.u64(POOL.real_base),
    realQuote: reader.u64(POOL.real_quote),
    globalConfig: reader.address(POOL.global_config),
    platformConfig: reader.address(POOL.platform_config),
    baseMint: reader.address(POOL.base_mint),
    quoteMint: reader.address(POOL.quote_mint),
    baseVault: reader.address(POOL.base_vault),
    quoteVault: reader.address(POOL.quote_vault),
    isBaseToken2022: (flags & TOKEN_2022_FLAG.base) !== 0,
    isQuoteToken2022: (flags & TOKEN_2022_FLAG.quote) !== 0,
  };
}

/** The launch with the curve and the rates that its two configurations give it. */
export function decodeLaunchLab(address: Address, known: AccountSet): Decoded<LaunchLabState> {
  const account = known.get(address);
  if (!account) return unusable("missing-account", "pool account");
  const pool = decodeLaunchPool(account);
  if (pool === null) return unusable("undecodable", "pool account");
  const status = launchStatus(pool.status);
  if (status === null) return unusable("undecodable", `status ${pool.status}`);

  const terms = readTerms(known, pool);
  if (terms.kind === "unusable") return terms;
  const baseFee = pool.isBaseToken2022 ? readTransferFee(known, pool.baseMint) : NO_FEE;
  const quoteFee = pool.isQuoteToken2022 ? readTransferFee(known, pool.quoteMint) : NO_FEE;
  if (baseFee.kind === "unusable") return baseFee;
  if (quoteFee.kind === "unusable") return quoteFee;
  const { baseMint, quoteMint, totalBaseSell } = pool;
  const { virtualBase, virtualQuote, realBase, realQuote } = pool;
  return {
    kind: "pool",
    state: {
      baseMint,
      quoteMint,
      kind: terms.curve,
      status,
      totalBaseSell,
      virtualBase,
      virtualQuote,
      realBase,
      realQuote,
      feeRates: terms.feeRates,
      baseTransferFee: baseFee.schedule,
      quoteTransferFee: quoteFee.schedule,
      hasFrozenVault: [pool.baseVault, pool.quoteVault].some((vault) =>
        isFrozenAccount(known.get(vault)),
      ),
    },
  };
}

type Terms = {
  readonly kind: "read";
  readonly curve: CurveKind;
  readonly feeRates: LaunchFeeRates;
};

/** What the two configurations say: which curve, and what is charged. */
function readTerms(known: AccountSet, pool: LaunchPool): Terms | Unusable {
  const globalAccount = known.get(pool.globalConfig);
  const platformAccount = known.get(pool.platformConfig);
  if (!globalAccount) return unusable("missing-account", "GlobalConfig");
  if (!platformAccount) return unusable("missing-account", "PlatformConfig");
  const global = decodeGlobalConfig(globalAccount);
  if (global === null) return unusable("undecodable", "GlobalConfig");
  const curve = CURVE_KINDS[global.curveType];
  if (curve === undefined) return unusable("unsupported", `curve type ${global.curveType}`);
  const platform = decodePlatformConfig(platformAccount);
  if (platform === null) return unusable("undecodable", "PlatformConfig");
  const feeRates = { protocol: global.tradeFeeRate, ...platform };
  if (feeRates.protocol + feeRates.platform + feeRates.creator >= FEE_DENOMINATOR) {
    return unusable("undecodable", "fees of the whole amount");
  }
  return { kind: "read", curve, feeRates };
}

function launchStatus(status: number): LaunchStatus | null {
  if (status === POOL_STATUS.funding) return "funding";
  if (status === POOL_STATUS.waiting) return "waiting";
  return status === POOL_STATUS.migrated ? "migrated" : null;
}

function decodeGlobalConfig(
  account: Account,
): { readonly curveType: number; readonly tradeFeeRate: bigint } | null {
  const reader = readOwn(account, GLOBAL_CONFIG_KIND);
  if (reader === null) return null;
  return {
    curveType: reader.u8(GLOBAL_CONFIG.curve_type),
    tradeFeeRate: reader.u64(GLOBAL_CONFIG.trade_fee_rate),
  };
}

function decodePlatformConfig(
  account: Account,
): Pick<LaunchFeeRates, "platform" | "creator"> | null {
  const reader = readOwn(account, PLATFORM_CONFIG_KIND);
  const { fee_rate, creator_fee_rate } = PLATFORM_CONFIG;
  if (reader === null) return null;
  const hasCreatorRate = reader.length >= creator_fee_rate + 8;
  return {
    platform: reader.u64(fee_rate),
    creator: hasCreatorRate ? reader.u64(creator_fee_rate) : 0n,
  };
}

type MintFee = { readonly kind: "read"; readonly schedule: TransferFeeSchedule | null } | Unusable;

const NO_FEE: MintFee = { kind: "read", schedule: null };

function readTransferFee(known: AccountSet, address: Address): MintFee {
  const account = known.get(address);
  if (!account) return unusable("missing-account", "Token-2022 mint");
  const mint = decodeMint(account);
  if (mint === null) return unusable("undecodable", "Token-2022 mint");
  if (mint.transferHook !== null) return unusable("unsupported", "mint with a transfer hook");
  return { kind: "read", schedule: mint.transferFee };
}
