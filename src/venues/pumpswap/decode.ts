import type { Address } from "#src/units/address.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import {
  decodeFeeConfig,
  type FeeConfig,
  type FeeSchedule,
  flatSchedule,
  LAUNCH_SUPPLY,
  launchedSchedule,
  withCreatorRate,
} from "../pump-fees/fee-config.ts";
import { decodeMint, type Mint } from "../token/mint.ts";
import { decodeTokenAccount, type TokenAccount } from "../token/token-account.ts";
import type { Decoded, UnusableReason } from "../venue.ts";
import { poolAuthority } from "./addresses.ts";
import {
  DISABLE_FLAG,
  GLOBAL_CONFIG,
  GLOBAL_CONFIG_ADDRESS,
  POOL,
  POOL_FEE_CONFIG_ADDRESS,
  PUMPSWAP_PROGRAM,
} from "./layout.ts";

/** What a Pool account says by itself. */
export type Pool = {
  readonly creator: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly baseVault: Address;
  readonly quoteVault: Address;
  /** Null where nobody is paid a creator fee. */
  readonly coinCreator: Address | null;
  readonly isMayhem: boolean;
  /** Quote base units that count for the price alone; may be negative. */
  readonly virtualQuote: bigint;
  /** The pool's own creator rate; 0: none is configured. */
  readonly creatorFeeBps: bigint;
};

export type PumpSwapState = {
  readonly baseMint: Address;
  readonly quoteMint: Address;
  /** Vault balances, base units. */
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  readonly virtualQuote: bigint;
  readonly isMayhem: boolean;
  /** Rates as this pool pays them: its own creator rate, or none, already put in. */
  readonly schedule: FeeSchedule;
  /** The supply that the market cap of the fee tiers is reckoned on, base units. */
  readonly marketCapSupply: bigint;
  /** Switched off by the operator, or a vault is frozen. */
  readonly isBuyDisabled: boolean;
  readonly isSellDisabled: boolean;
};

/** The pool's own account, in any of its lengths, or null where the account is none. */
export function decodePool(account: Account | null | undefined): Pool | null {
  if (account === null || account === undefined || account.owner !== PUMPSWAP_PROGRAM) return null;
  const reader = new ByteReader(account.data);
  if (!reader.has(0, POOL.discriminator) || reader.length < POOL.minLength) return null;
  const has = (offset: number, width: number): boolean => reader.length >= offset + width;
  const { coin_creator, is_mayhem_mode, virtual_quote_reserves, creator_fee_bps } = POOL;
  const coinCreator = has(coin_creator, 32) ? reader.address(coin_creator) : SYSTEM_PROGRAM;
  return {
    creator: reader.address(POOL.creator),
    baseMint: reader.address(POOL.base_mint),
    quoteMint: reader.address(POOL.quote_mint),
    baseVault: reader.address(POOL.pool_base_token_account),
    quoteVault: reader.address(POOL.pool_quote_token_account),
    coinCreator: coinCreator === SYSTEM_PROGRAM ? null : coinCreator,
    isMayhem: has(is_mayhem_mode, 1) && reader.bool(is_mayhem_mode),
    virtualQuote: has(virtual_quote_reserves, 16) ? reader.i128(virtual_quote_reserves) : 0n,
    creatorFeeBps: has(creator_fee_bps, 8) ? reader.u64(creator_fee_bps) : 0n,
  };
}

/** The pool's own count of its shares: those that the migration burned stay in it. */
export function liquidityShares(pool: Address, known: AccountSet): LiquidityShares | null {
  const account = known.get(pool);
  if (!account || decodePool(account) === null) return null;
  const reader = new ByteReader(account.data);
  return {
    kind: "fungible",
    mint: reader.address(POOL.lp_mint),
    issued: reader.u64(POOL.lp_supply),
  };
}

/** The pool with its vaults, and the rates that it pays now. */
export function decodePumpSwap(address: Address, known: AccountSet): Decoded<PumpSwapState> {
  const account = known.get(address);
  if (!account) return unusable("missing-account", "pool account");
  const pool = decodePool(account);
  if (pool === null) return unusable("undecodable", "pool account");
  const missing = missingAccount(pool, known);
  if (missing !== null) return unusable("missing-account", missing);

  const baseVault = decodeTokenAccount(known.get(pool.baseVault));
  const quoteVault = decodeTokenAccount(known.get(pool.quoteVault));
  if (baseVault?.mint !== pool.baseMint) return unusable("undecodable", "base vault");
  if (quoteVault?.mint !== pool.quoteMint) return unusable("undecodable", "quote vault");
  if (quoteVault.amount + pool.virtualQuote > U64_MAX) {
    return unusable("undecodable", "virtual quote reserves");
  }
  const mint = decodeMint(known.get(pool.baseMint));
  if (mint === null) return unusable("undecodable", "base mint");
  const obstacle = transferObstacle(mint) ?? quoteObstacle(pool, known);
  if (obstacle !== null) return obstacle;
  const global = decodeGlobalConfig(known.get(GLOBAL_CONFIG_ADDRESS));
  if (global === null) return unusable("undecodable", "GlobalConfig");
  const feeConfig = decodeFeeConfigAt(known);
  const schedule = feeConfig && ownSchedule(pool, feeConfig, global.isCreatorFeeConfigurable);
  if (!schedule) return unusable("undecodable", "FeeConfig of the pools");
  return {
    kind: "pool",
    state: joinState(pool, { baseVault, quoteVault, mint, global, schedule }),
  };
}

type Parts = {
  readonly baseVault: TokenAccount;
  readonly quoteVault: TokenAccount;
  readonly mint: Mint;
  readonly global: GlobalConfig;
  readonly schedule: FeeSchedule;
};

function joinState(pool: Pool, parts: Parts): PumpSwapState {
  const { baseVault, quoteVault, mint, global, schedule } = parts;
  const isFrozen = baseVault.isFrozen || quoteVault.isFrozen;
  return {
    baseMint: pool.baseMint,
    quoteMint: pool.quoteMint,
    baseReserve: baseVault.amount,
    quoteReserve: quoteVault.amount,
    virtualQuote: pool.virtualQuote,
    isMayhem: pool.isMayhem,
    schedule,
    marketCapSupply: pool.isMayhem ? LAUNCH_SUPPLY : mint.supply,
    isBuyDisabled: isFrozen || global.isBuyDisabled,
    isSellDisabled: isFrozen || global.isSellDisabled,
  };
}

/** The first account that a quote needs and that is not there. */
function missingAccount(pool: Pool, known: AccountSet): string | null {
  const needed: readonly (readonly [string, Address])[] = [
    ["base vault", pool.baseVault],
    ["quote vault", pool.quoteVault],
    ["base mint", pool.baseMint],
    ["GlobalConfig", GLOBAL_CONFIG_ADDRESS],
    ["FeeConfig of the pools", POOL_FEE_CONFIG_ADDRESS],
  ];
  return needed.find(([, address]) => !known.get(address))?.[0] ?? null;
}

/** A plain SPL Token mint can hide nothing, so the quote mint is read only where it is Token-2022. */
function quoteObstacle(pool: Pool, known: AccountSet): Decoded<PumpSwapState> | null {
  if (known.get(pool.quoteVault)?.owner !== TOKEN_2022_PROGRAM) return null;
  const account = known.get(pool.quoteMint);
  if (!account) return unusable("missing-account", "quote mint");
  const mint = decodeMint(account);
  return mint === null ? unusable("undecodable", "quote mint") : transferObstacle(mint);
}

/** What keeps an amount from arriving as the program reckons with it (README, "not modelled"). */
function transferObstacle({ transferFee, transferHook }: Mint): Decoded<PumpSwapState> | null {
  if (transferHook !== null) return unusable("unsupported", "mint with a transfer hook");
  const isCharged =
    transferFee !== null && (transferFee.older.feeBps > 0 || transferFee.newer.feeBps > 0);
  return isCharged ? unusable("unsupported", "mint with a transfer fee") : null;
}

type GlobalConfig = {
  readonly isBuyDisabled: boolean;
  readonly isSellDisabled: boolean;
  readonly isCreatorFeeConfigurable: boolean;
};

function decodeGlobalConfig(account: Account | null | undefined): GlobalConfig | null {
  if (account === null || account === undefined || account.owner !== PUMPSWAP_PROGRAM) return null;
  const reader = new ByteReader(account.data);
  const { disable_flags, creator_fee_configurable } = GLOBAL_CONFIG;
  if (!reader.has(0, GLOBAL_CONFIG.discriminator) || reader.length <= disable_flags) return null;
  const flags = reader.u8(disable_flags);
  return {
    isBuyDisabled: (flags & DISABLE_FLAG.buy) !== 0,
    isSellDisabled: (flags & DISABLE_FLAG.sell) !== 0,
    isCreatorFeeConfigurable:
      reader.length > creator_fee_configurable && reader.bool(creator_fee_configurable),
  };
}

function decodeFeeConfigAt(known: AccountSet): FeeConfig | null {
  const account = known.get(POOL_FEE_CONFIG_ADDRESS);
  return account ? decodeFeeConfig(account) : null;
}

/** Derived once a coin: it takes longer than all the rest of a decode. */
const AUTHORITIES = new DerivedAddresses(10_000, poolAuthority);

/** Only a pool that pump itself created pays by market cap and quote; any other pays flat fees. */
function ownSchedule(
  pool: Pool,
  config: FeeConfig,
  isCreatorFeeConfigurable: boolean,
): FeeSchedule | null {
  const isLaunched = pool.creator === AUTHORITIES.get(pool.baseMint, 0);
  const schedule = isLaunched ? launchedSchedule(config, pool.quoteMint) : flatSchedule(config);
  if (schedule === null) return null;
  if (pool.coinCreator === null) return withCreatorRate(schedule, 0n);
  const isConfigured = isCreatorFeeConfigurable && pool.creatorFeeBps > 0n;
  return isConfigured ? withCreatorRate(schedule, pool.creatorFeeBps) : schedule;
}

function unusable(
  reason: UnusableReason,
  detail: string,
): Extract<Decoded<PumpSwapState>, { readonly kind: "unusable" }> {
  return { kind: "unusable", reason, detail };
}
