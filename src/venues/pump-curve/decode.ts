import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import {
  decodeFeeConfig,
  EMPTY_TIERS,
  type FeeSchedule,
  launchedSchedule,
  withCreatorRate,
} from "../shared/pump-fees/fee-config.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { readTransfer, type TokenTransfer } from "../shared/reserve-pool.ts";
import { decodeMint } from "../shared/token/mint.ts";
import type { TransferFeeSchedule } from "../shared/token/transfer-fee.ts";
import type { Decoded } from "../venue.ts";
import {
  BONDING_CURVE,
  CURVE_FEE_CONFIG_ADDRESS,
  GLOBAL,
  GLOBAL_ADDRESS,
  PUMP_PROGRAM,
} from "./layout.ts";
import { hasFrozenVault, isUntaxedQuote, quoteVaultBalance } from "./vaults.ts";

/** What a BondingCurve account contains. Tokens and quote in base units. */
export type BondingCurve = {
  readonly virtualToken: bigint;
  readonly virtualQuote: bigint;
  readonly realToken: bigint;
  readonly realQuote: bigint;
  readonly isComplete: boolean;
  /** Null on curves from before creators were paid. */
  readonly creator: Address | null;
  /** What the market cap of a mayhem coin is computed with, base units. */
  readonly totalSupply: bigint;
  readonly isMayhem: boolean;
  readonly isCashback: boolean;
  readonly quoteMint: Address;
  /** The coin's own creator rate; 0: none is configured. */
  readonly creatorFeeBps: bigint;
};

export type PumpCurveState = {
  readonly quoteMint: Address;
  readonly virtualToken: bigint;
  readonly virtualQuote: bigint;
  readonly realToken: bigint;
  readonly realQuote: bigint;
  readonly isComplete: boolean;
  readonly isMayhem: boolean;
  /** A vault is frozen: the token program refuses every trade. */
  readonly hasFrozenVault: boolean;
  /** At least this much lies in the quote vault, base units; null: quoted in SOL, or not read. */
  readonly quoteVaultBalance: bigint | null;
  /** The part of the protocol fee that leaves the curve with the sale. */
  readonly buybackBps: bigint;
  readonly isCashback: boolean;
  /** Withheld by the quote's token program from what is paid; null where it has no such fee. */
  readonly quoteTransferFee: TransferFeeSchedule | null;
  /** The quote's token program would refuse the transfer. */
  readonly isQuoteStuck: boolean;
  /** Rates as this curve pays them: its own creator rate, or none, already put in. */
  readonly schedule: FeeSchedule;
  /** The supply that the market cap of the fee tiers is computed with, base units. */
  readonly marketCapSupply: bigint;
};

const CURVE_KIND = {
  programId: PUMP_PROGRAM,
  discriminator: BONDING_CURVE.discriminator,
  minLength: BONDING_CURVE.minLength,
} as const;
const GLOBAL_KIND = {
  programId: PUMP_PROGRAM,
  discriminator: GLOBAL.discriminator,
  minLength: GLOBAL.minLength,
} as const;

/** The curve's own account, in any of its lengths, or null where the account is none. */
export function decodeBondingCurve(account: Account | null | undefined): BondingCurve | null {
  const reader = readOwn(account, CURVE_KIND);
  if (reader === null) return null;
  const has = (offset: number, width: number): boolean => reader.length >= offset + width;
  const keyAt = (offset: number): Address | null => {
    const found = has(offset, 32) ? reader.address(offset) : SYSTEM_PROGRAM;
    return found === SYSTEM_PROGRAM ? null : found;
  };
  const { is_mayhem_mode, is_cashback_coin, creator_fee_bps } = BONDING_CURVE;
  return {
    virtualToken: reader.u64(BONDING_CURVE.virtual_token_reserves),
    virtualQuote: reader.u64(BONDING_CURVE.virtual_quote_reserves),
    realToken: reader.u64(BONDING_CURVE.real_token_reserves),
    realQuote: reader.u64(BONDING_CURVE.real_quote_reserves),
    isComplete: reader.bool(BONDING_CURVE.complete),
    creator: keyAt(BONDING_CURVE.creator),
    totalSupply: reader.u64(BONDING_CURVE.token_total_supply),
    isMayhem: has(is_mayhem_mode, 1) && reader.bool(is_mayhem_mode),
    isCashback: has(is_cashback_coin, 1) && reader.bool(is_cashback_coin),
    quoteMint: keyAt(BONDING_CURVE.quote_mint) ?? WSOL,
    creatorFeeBps: has(creator_fee_bps, 8) ? reader.u64(creator_fee_bps) : 0n,
  };
}

/** The curve with the rates that it pays now. `mint` is the coin it was derived from, where known. */
export function decodePumpCurve(
  pool: Address,
  known: AccountSet,
  mint: Address | null,
): Decoded<PumpCurveState> {
  return decodedOrUnusable(() => readState(pool, known, mint));
}

function readState(pool: Address, known: AccountSet, mint: Address | null): PumpCurveState {
  const account = loaded(known, pool, "curve");
  const global = loaded(known, GLOBAL_ADDRESS, "Global of pump");
  const feeConfig = loaded(known, CURVE_FEE_CONFIG_ADDRESS, "FeeConfig of the curve");

  const curve = decodable(decodeBondingCurve(account), "curve account");
  const { isCreatorFeeConfigurable, buybackBps } = decodable(
    decodeGlobal(global),
    "Global of pump",
  );
  const config = decodable(decodeFeeConfig(feeConfig), "FeeConfig of the curve");
  const launched = launchedSchedule(config, curve.quoteMint);
  if (launched === null) throw new UnusableError("unsupported", EMPTY_TIERS);

  const schedule = ownSchedule(curve, launched, isCreatorFeeConfigurable);
  const marketCapSupply = supplyForTiers(curve, schedule, mint && known.get(mint));
  if (marketCapSupply === null) throw new UnusableError("missing-account", "mint of the coin");
  const transfer = quoteTransfer(curve.quoteMint, known);
  const { virtualToken, virtualQuote, realToken, realQuote } = curve;
  const { isComplete, isMayhem, isCashback, quoteMint } = curve;
  return {
    quoteMint,
    virtualToken,
    virtualQuote,
    realToken,
    realQuote,
    isComplete,
    isMayhem,
    hasFrozenVault: mint !== null && hasFrozenVault(mint, quoteMint, known),
    quoteVaultBalance: mint === null ? null : quoteVaultBalance(mint, quoteMint, known),
    buybackBps,
    isCashback,
    quoteTransferFee: transfer.transferFee,
    isQuoteStuck: transfer.isStuck,
    schedule,
    marketCapSupply,
  };
}

type PumpGlobal = {
  /** Whether coins may have a creator rate of their own. */
  readonly isCreatorFeeConfigurable: boolean;
  readonly buybackBps: bigint;
};

/** Null where the account is not a Global. Fields past its end are zero. */
function decodeGlobal(account: Account): PumpGlobal | null {
  const reader = readOwn(account, GLOBAL_KIND);
  if (reader === null) return null;
  const { creator_fee_configurable, buyback_bps } = GLOBAL;
  return {
    isCreatorFeeConfigurable:
      reader.length > creator_fee_configurable && reader.bool(creator_fee_configurable),
    buybackBps: reader.length >= buyback_bps + 8 ? reader.u64(buyback_bps) : 0n,
  };
}

function ownSchedule(
  curve: BondingCurve,
  launched: FeeSchedule,
  isCreatorFeeConfigurable: boolean,
): FeeSchedule {
  if (curve.creator === null) return withCreatorRate(launched, 0n);
  const isConfigured = isCreatorFeeConfigurable && curve.creatorFeeBps > 0n;
  return isConfigured ? withCreatorRate(launched, curve.creatorFeeBps) : launched;
}

/**
 * The live supply of the mint, and the curve's own total supply for mayhem coins; null where the
 * supply selects the tier and the mint is not known.
 */
function supplyForTiers(
  { isMayhem, totalSupply }: BondingCurve,
  schedule: FeeSchedule,
  mint: Account | null | undefined,
): bigint | null {
  if (isMayhem || schedule.length === 1) return totalSupply;
  return decodeMint(mint)?.supply ?? null;
}

/** The curve does not say which token program its quote belongs to: the mint's owner does. */
function quoteTransfer(quoteMint: Address, known: AccountSet): TokenTransfer {
  const isExtended = !isUntaxedQuote(quoteMint);
  return readTransfer(known, { mint: quoteMint, isExtended, isFrozen: false });
}
