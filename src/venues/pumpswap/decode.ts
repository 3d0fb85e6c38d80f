import type { Address } from "#src/units/address.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import type { LiquidityShares } from "../liquidity-shares.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import {
  decodeFeeConfig,
  EMPTY_TIERS,
  type FeeSchedule,
  flatSchedule,
  LAUNCH_SUPPLY,
  launchedSchedule,
  withCreatorRate,
} from "../shared/pump-fees/fee-config.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { isStopped, loadedMint, type Mint } from "../shared/token/mint.ts";
import { loadedVault } from "../shared/token/token-account.ts";
import type { TransferFeeSchedule } from "../shared/token/transfer-fee.ts";
import type { Decoded } from "../venue.ts";
import { poolAuthority } from "./addresses.ts";
import {
  DISABLE_FLAG,
  GLOBAL_CONFIG,
  GLOBAL_CONFIG_ADDRESS,
  POOL,
  POOL_FEE_CONFIG_ADDRESS,
  PUMPSWAP_PROGRAM,
} from "./layout.ts";

/** What a Pool account contains. */
export type Pool = {
  readonly creator: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly baseVault: Address;
  readonly quoteVault: Address;
  /** Null if no creator fee is paid. */
  readonly coinCreator: Address | null;
  readonly isMayhem: boolean;
  readonly isCashback: boolean;
  /** Quote base units that count for the price alone; may be negative. */
  readonly virtualQuote: bigint;
  /** The pool's own creator rate; 0: none is configured. */
  readonly creatorFeeBps: bigint;
  /** Fees that lie in the quote vault and belong to others, base units. */
  readonly protocolFees: bigint;
  readonly creatorFees: bigint;
};

export type PumpSwapState = {
  readonly baseMint: Address;
  readonly quoteMint: Address;
  /** Vault balances, base units. */
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  readonly virtualQuote: bigint;
  /** What of the quote vault belongs to others. */
  readonly unsweptFees: bigint;
  readonly baseTransferFee: TransferFeeSchedule | null;
  readonly quoteTransferFee: TransferFeeSchedule | null;
  /** Created by pump at a coin's graduation. */
  readonly isLaunched: boolean;
  readonly isMayhem: boolean;
  readonly isCashback: boolean;
  /** Rates as this pool pays them: its own creator rate, or none, already put in. */
  readonly schedule: FeeSchedule;
  /** The supply that the market cap of the fee tiers is computed with, base units. */
  readonly marketCapSupply: bigint;
  /** Switched off by the operator, or a vault is frozen. */
  readonly isBuyDisabled: boolean;
  readonly isSellDisabled: boolean;
};

const POOL_KIND = {
  programId: PUMPSWAP_PROGRAM,
  discriminator: POOL.discriminator,
  minLength: POOL.minLength,
} as const;

/** The pool's own account, in any of its lengths, or null where the account is none. */
export function decodePool(account: Account | null | undefined): Pool | null {
  const reader = readOwn(account, POOL_KIND);
  if (reader === null) return null;
  const has = (offset: number, width: number): boolean => reader.length >= offset + width;
  const { coin_creator, is_mayhem_mode, is_cashback_coin } = POOL;
  const { virtual_quote_reserves, creator_fee_bps, protocol_fees, creator_fees } = POOL;
  const u64At = (offset: number): bigint => (has(offset, 8) ? reader.u64(offset) : 0n);
  const coinCreator = has(coin_creator, 32) ? reader.address(coin_creator) : SYSTEM_PROGRAM;
  return {
    creator: reader.address(POOL.creator),
    baseMint: reader.address(POOL.base_mint),
    quoteMint: reader.address(POOL.quote_mint),
    baseVault: reader.address(POOL.pool_base_token_account),
    quoteVault: reader.address(POOL.pool_quote_token_account),
    coinCreator: coinCreator === SYSTEM_PROGRAM ? null : coinCreator,
    isMayhem: has(is_mayhem_mode, 1) && reader.bool(is_mayhem_mode),
    isCashback: has(is_cashback_coin, 1) && reader.bool(is_cashback_coin),
    virtualQuote: has(virtual_quote_reserves, 16) ? reader.i128(virtual_quote_reserves) : 0n,
    creatorFeeBps: u64At(creator_fee_bps),
    protocolFees: u64At(protocol_fees),
    creatorFees: u64At(creator_fees),
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
  return decodedOrUnusable(() => readState(address, known));
}

function readState(address: Address, known: AccountSet): PumpSwapState {
  const pool = decodable(decodePool(loaded(known, address, "pool")), "not a PumpSwap pool");
  const globalAccount = loaded(known, GLOBAL_CONFIG_ADDRESS, "GlobalConfig");
  const feeAccount = loaded(known, POOL_FEE_CONFIG_ADDRESS, "FeeConfig of the pools");

  const baseVault = loadedVault(known, pool.baseVault, pool.baseMint);
  const quoteVault = loadedVault(known, pool.quoteVault, pool.quoteMint);
  if (quoteVault.amount + pool.virtualQuote > U64_MAX) {
    throw new UnusableError("undecodable", "virtual quote reserves");
  }
  const mint = loadedMint(known, pool.baseMint);
  const quoteMint = extendedQuoteMint(pool, known);
  if (mint.transferHook !== null || (quoteMint?.transferHook ?? null) !== null) {
    throw new UnusableError("unsupported", "mint with a transfer hook");
  }
  const global = decodable(decodeGlobalConfig(globalAccount), "GlobalConfig");
  const feeConfig = decodable(decodeFeeConfig(feeAccount), "FeeConfig of the pools");
  const isLaunched = pool.creator === AUTHORITIES.get(pool.baseMint, 0);
  const launched = isLaunched
    ? launchedSchedule(feeConfig, pool.quoteMint)
    : flatSchedule(feeConfig);
  if (launched === null) throw new UnusableError("unsupported", EMPTY_TIERS);
  const isStuck =
    baseVault.isFrozen ||
    quoteVault.isFrozen ||
    isStopped(mint) ||
    (quoteMint !== null && isStopped(quoteMint));
  return {
    baseMint: pool.baseMint,
    quoteMint: pool.quoteMint,
    baseReserve: baseVault.amount,
    quoteReserve: quoteVault.amount,
    virtualQuote: pool.virtualQuote,
    unsweptFees: pool.protocolFees + pool.creatorFees,
    baseTransferFee: chargedFee(mint),
    quoteTransferFee: quoteMint === null ? null : chargedFee(quoteMint),
    isLaunched,
    isMayhem: pool.isMayhem,
    isCashback: pool.isCashback,
    schedule: ownSchedule(pool, launched, global.isCreatorFeeConfigurable),
    marketCapSupply: pool.isMayhem ? LAUNCH_SUPPLY : mint.supply,
    isBuyDisabled: isStuck || global.isBuyDisabled,
    isSellDisabled: isStuck || global.isSellDisabled,
  };
}

/** The quote mint where it is a Token-2022 one; a plain SPL Token mint has no rules of its own. */
function extendedQuoteMint(pool: Pool, known: AccountSet): Mint | null {
  const isExtended = known.get(pool.quoteVault)?.owner === TOKEN_2022_PROGRAM;
  return isExtended ? loadedMint(known, pool.quoteMint) : null;
}

/** Null also where neither of the two rates takes anything. */
function chargedFee({ transferFee }: Mint): TransferFeeSchedule | null {
  if (transferFee === null) return null;
  return transferFee.older.feeBps > 0 || transferFee.newer.feeBps > 0 ? transferFee : null;
}

type GlobalConfig = {
  readonly isBuyDisabled: boolean;
  readonly isSellDisabled: boolean;
  readonly isCreatorFeeConfigurable: boolean;
};

function decodeGlobalConfig(account: Account): GlobalConfig | null {
  if (account.owner !== PUMPSWAP_PROGRAM) return null;
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

/** Derived once a coin: it takes longer than all the rest of a decode. */
const AUTHORITIES = new DerivedAddresses(10_000, poolAuthority);

function ownSchedule(
  pool: Pool,
  schedule: FeeSchedule,
  isCreatorFeeConfigurable: boolean,
): FeeSchedule {
  if (pool.coinCreator === null) return withCreatorRate(schedule, 0n);
  const isConfigured = isCreatorFeeConfigurable && pool.creatorFeeBps > 0n;
  return isConfigured ? withCreatorRate(schedule, pool.creatorFeeBps) : schedule;
}
