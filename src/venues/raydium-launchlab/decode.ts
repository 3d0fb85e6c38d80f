import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { isStopped, loadedMint, type Mint } from "../shared/token/mint.ts";
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
  /** A vault is frozen or a mint paused: the token program refuses every trade. */
  readonly isStuck: boolean;
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
  return decodedOrUnusable(() => readState(address, known));
}

function readState(address: Address, known: AccountSet): LaunchLabState {
  const pool = decodable(decodeLaunchPool(loaded(known, address, "pool")), "not a launch");
  const status = decodable(launchStatus(pool.status), `status ${pool.status}`);
  const terms = readTerms(known, pool);
  const { baseMint, quoteMint, totalBaseSell } = pool;
  const base = pool.isBaseToken2022 ? readMint(known, baseMint) : null;
  const quote = pool.isQuoteToken2022 ? readMint(known, quoteMint) : null;
  const { virtualBase, virtualQuote, realBase, realQuote } = pool;
  return {
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
    baseTransferFee: base?.transferFee ?? null,
    quoteTransferFee: quote?.transferFee ?? null,
    isStuck:
      [pool.baseVault, pool.quoteVault].some((vault) => isFrozenAccount(known.get(vault))) ||
      [base, quote].some((mint) => mint !== null && isStopped(mint)),
  };
}

type Terms = { readonly curve: CurveKind; readonly feeRates: LaunchFeeRates };

/** What the two configurations say: which curve, and what is charged. */
function readTerms(known: AccountSet, pool: LaunchPool): Terms {
  const globalAccount = loaded(known, pool.globalConfig, "GlobalConfig");
  const platformAccount = loaded(known, pool.platformConfig, "PlatformConfig");
  const global = decodable(decodeGlobalConfig(globalAccount), "GlobalConfig");
  const curve = CURVE_KINDS[global.curveType];
  if (curve === undefined) {
    throw new UnusableError("unsupported", `curve type ${global.curveType}`);
  }
  const platform = decodable(decodePlatformConfig(platformAccount), "PlatformConfig");
  const feeRates = { protocol: global.tradeFeeRate, ...platform };
  if (feeRates.protocol + feeRates.platform + feeRates.creator >= FEE_DENOMINATOR) {
    throw new UnusableError("undecodable", "fees of the whole amount");
  }
  return { curve, feeRates };
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

function readMint(known: AccountSet, address: Address): Mint {
  const mint = loadedMint(known, address);
  if (mint.transferHook !== null) {
    throw new UnusableError("unsupported", "mint with a transfer hook");
  }
  return mint;
}
