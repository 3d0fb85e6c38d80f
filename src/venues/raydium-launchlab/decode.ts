import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { decodeMint } from "../token/mint.ts";
import type { TransferFeeSchedule } from "../token/transfer-fee.ts";
import type { Decoded, UnusableReason } from "../venue.ts";
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

/** What a PoolState account says by itself. */
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
};

/** The pool's own account, or null where the account is none. */
export function decodeLaunchPool(account: Account | null | undefined): LaunchPool | null {
  const reader = ownReader(account, POOL.discriminator);
  if (reader === null || reader.length < POOL.length) return null;
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
    },
  };
}

type Unusable = Extract<Decoded<LaunchLabState>, { readonly kind: "unusable" }>;

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
  const reader = ownReader(account, GLOBAL_CONFIG.discriminator);
  if (reader === null || reader.length < GLOBAL_CONFIG.length) return null;
  return {
    curveType: reader.u8(GLOBAL_CONFIG.curve_type),
    tradeFeeRate: reader.u64(GLOBAL_CONFIG.trade_fee_rate),
  };
}

function decodePlatformConfig(
  account: Account,
): Pick<LaunchFeeRates, "platform" | "creator"> | null {
  const reader = ownReader(account, PLATFORM_CONFIG.discriminator);
  const { fee_rate, name, creator_fee_rate } = PLATFORM_CONFIG;
  if (reader === null || reader.length < name) return null;
  const hasCreatorRate = reader.length >= creator_fee_rate + 8;
  return {
    platform: reader.u64(fee_rate),
    creator: hasCreatorRate ? reader.u64(creator_fee_rate) : 0n,
  };
}

function ownReader(
  account: Account | null | undefined,
  discriminator: Uint8Array,
): ByteReader | null {
  if (account === null || account === undefined || account.owner !== LAUNCHLAB_PROGRAM) return null;
  const reader = new ByteReader(account.data);
  return reader.has(0, discriminator) ? reader : null;
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

function unusable(reason: UnusableReason, detail: string): Unusable {
  return { kind: "unusable", reason, detail };
}
