import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { CURVE_KINDS, type CurveKind } from "#src/venues/raydium-launchlab/curve.ts";
import type { LaunchPool } from "#src/venues/raydium-launchlab/decode.ts";
import {
  GLOBAL_CONFIG,
  LAUNCHLAB_PROGRAM,
  PLATFORM_CONFIG,
  POOL,
  TOKEN_2022_FLAG,
} from "#src/venues/raydium-launchlab/layout.ts";
import { ByteWriter } from "../byte-writer.ts";

export type NewLaunch = LaunchPool & {
  readonly creator: Address;
  readonly supply: bigint;
  readonly totalQuoteFundRaising: bigint;
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  /** 0: to AMM v4, 1: to CPMM. */
  readonly migrateType: 0 | 1;
  readonly slot: bigint;
};

/** A PoolState account with no fees owed yet. */
export function launchAccount(launch: NewLaunch): Account {
  const flags =
    (launch.isBaseToken2022 ? TOKEN_2022_FLAG.base : 0) |
    (launch.isQuoteToken2022 ? TOKEN_2022_FLAG.quote : 0);
  const writer = new ByteWriter(new Uint8Array(POOL.length))
    .raw(0, POOL.discriminator)
    .u8(POOL.base_decimals, launch.baseDecimals)
    .u8(POOL.quote_decimals, launch.quoteDecimals)
    .u8(POOL.migrate_type, launch.migrateType)
    .u64(POOL.supply, launch.supply)
    .u64(POOL.total_base_sell, launch.totalBaseSell)
    .u64(POOL.virtual_base, launch.virtualBase)
    .u64(POOL.virtual_quote, launch.virtualQuote)
    .u64(POOL.total_quote_fund_raising, launch.totalQuoteFundRaising)
    .address(POOL.global_config, launch.globalConfig)
    .address(POOL.platform_config, launch.platformConfig)
    .address(POOL.base_mint, launch.baseMint)
    .address(POOL.quote_mint, launch.quoteMint)
    .address(POOL.base_vault, launch.baseVault)
    .address(POOL.quote_vault, launch.quoteVault)
    .address(POOL.creator, launch.creator)
    .u8(POOL.token_program_flag, flags);
  writeProgress(writer, launch);
  return { owner: LAUNCHLAB_PROGRAM, lamports: 3_876_720n, data: writer.bytes, slot: launch.slot };
}

export type LaunchProgress = Pick<LaunchPool, "status" | "realBase" | "realQuote">;

/** Writes the progress after a trade, and adds the fees owed to protocol and platform. */
export function writeTrade(
  writer: ByteWriter,
  progress: LaunchProgress,
  owed: { readonly protocol: bigint; readonly platform: bigint },
): void {
  const before = new ByteReader(writer.bytes);
  writer
    .u64(POOL.quote_protocol_fee, before.u64(POOL.quote_protocol_fee) + owed.protocol)
    .u64(POOL.platform_fee, before.u64(POOL.platform_fee) + owed.platform);
  writeProgress(writer, progress);
}

export function writeProgress(writer: ByteWriter, progress: LaunchProgress): void {
  writer
    .u8(POOL.status, progress.status)
    .u64(POOL.real_base, progress.realBase)
    .u64(POOL.real_quote, progress.realQuote);
}

export type NewGlobalConfig = {
  readonly kind: CurveKind;
  readonly index: number;
  readonly tradeFeeRate: bigint;
  readonly quoteMint: Address;
};

/** A GlobalConfig account; rates are parts per million. */
export function launchGlobalConfigAccount(config: NewGlobalConfig, slot: bigint): Account {
  const writer = new ByteWriter(new Uint8Array(GLOBAL_CONFIG.length))
    .raw(0, GLOBAL_CONFIG.discriminator)
    .u8(GLOBAL_CONFIG.curve_type, CURVE_KINDS.indexOf(config.kind))
    .u16(GLOBAL_CONFIG.index, config.index)
    .u64(GLOBAL_CONFIG.trade_fee_rate, config.tradeFeeRate)
    .address(GLOBAL_CONFIG.quote_mint, config.quoteMint);
  return { owner: LAUNCHLAB_PROGRAM, lamports: 3_473_040n, data: writer.bytes, slot };
}

const PLATFORM_CONFIG_LENGTH = 944;

export type NewPlatformConfig = {
  readonly feeRate: bigint;
  readonly creatorFeeRate: bigint;
  readonly name: string;
};

/** A PlatformConfig account; rates are parts per million. An older one is a shorter `length`. */
export function launchPlatformConfigAccount(
  config: NewPlatformConfig,
  slot: bigint,
  length: number = PLATFORM_CONFIG_LENGTH,
): Account {
  const writer = new ByteWriter(new Uint8Array(PLATFORM_CONFIG_LENGTH))
    .raw(0, PLATFORM_CONFIG.discriminator)
    .u64(PLATFORM_CONFIG.fee_rate, config.feeRate)
    .raw(PLATFORM_CONFIG.name, new TextEncoder().encode(config.name).slice(0, 64))
    .u64(PLATFORM_CONFIG.creator_fee_rate, config.creatorFeeRate);
  return {
    owner: LAUNCHLAB_PROGRAM,
    lamports: 7_461_120n,
    data: writer.bytes.slice(0, length),
    slot,
  };
}
