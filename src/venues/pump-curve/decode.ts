import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import {
  decodeFeeConfig,
  type FeeSchedule,
  LAUNCH_SUPPLY,
  launchedSchedule,
  withCreatorRate,
} from "../pump-fees/fee-config.ts";
import { decodeMint } from "../token/mint.ts";
import type { Decoded, UnusableReason } from "../venue.ts";
import {
  BONDING_CURVE,
  CURVE_FEE_CONFIG_ADDRESS,
  GLOBAL,
  GLOBAL_ADDRESS,
  PUMP_PROGRAM,
} from "./layout.ts";

/** What a BondingCurve account says by itself. Tokens and quote in base units. */
export type BondingCurve = {
  readonly virtualToken: bigint;
  readonly virtualQuote: bigint;
  readonly realToken: bigint;
  readonly realQuote: bigint;
  readonly isComplete: boolean;
  /** Null on curves from before creators were paid. */
  readonly creator: Address | null;
  readonly isMayhem: boolean;
  readonly quoteMint: Address;
  /** The coin's own creator rate; 0: none is configured. */
  readonly creatorFeeBps: bigint;
};

export type PumpCurveState = {
  /** The coin; null where the caller did not say, since the curve's bytes do not name it. */
  readonly baseMint: Address | null;
  readonly quoteMint: Address;
  readonly virtualToken: bigint;
  readonly virtualQuote: bigint;
  readonly realToken: bigint;
  readonly realQuote: bigint;
  readonly isComplete: boolean;
  readonly isMayhem: boolean;
  /** Rates as this curve pays them: its own creator rate, or none, already put in. */
  readonly schedule: FeeSchedule;
  /** The supply that the market cap of the fee tiers is reckoned on, base units. */
  readonly marketCapSupply: bigint;
};

/** The curve's own account, in any of its lengths, or null where the account is none. */
export function decodeBondingCurve(account: Account | null | undefined): BondingCurve | null {
  if (account === null || account === undefined || account.owner !== PUMP_PROGRAM) return null;
  const reader = new ByteReader(account.data);
  if (!reader.has(0, BONDING_CURVE.discriminator)) return null;
  if (reader.length < BONDING_CURVE.minLength) return null;
  const has = (offset: number, width: number): boolean => reader.length >= offset + width;
  const keyAt = (offset: number): Address | null => {
    const found = has(offset, 32) ? reader.address(offset) : SYSTEM_PROGRAM;
    return found === SYSTEM_PROGRAM ? null : found;
  };
  const { is_mayhem_mode, creator_fee_bps } = BONDING_CURVE;
  return {
    virtualToken: reader.u64(BONDING_CURVE.virtual_token_reserves),
    virtualQuote: reader.u64(BONDING_CURVE.virtual_quote_reserves),
    realToken: reader.u64(BONDING_CURVE.real_token_reserves),
    realQuote: reader.u64(BONDING_CURVE.real_quote_reserves),
    isComplete: reader.bool(BONDING_CURVE.complete),
    creator: keyAt(BONDING_CURVE.creator),
    isMayhem: has(is_mayhem_mode, 1) && reader.bool(is_mayhem_mode),
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
  const account = known.get(pool);
  const global = known.get(GLOBAL_ADDRESS);
  const feeConfig = known.get(CURVE_FEE_CONFIG_ADDRESS);
  if (!account) return unusable("missing-account", "curve account");
  if (!global) return unusable("missing-account", "Global of pump");
  if (!feeConfig) return unusable("missing-account", "FeeConfig of the curve");

  const curve = decodeBondingCurve(account);
  if (curve === null) return unusable("undecodable", "curve account");
  const isCreatorFeeConfigurable = decodeGlobal(global);
  if (isCreatorFeeConfigurable === null) return unusable("undecodable", "Global of pump");
  const config = decodeFeeConfig(feeConfig);
  const launched = config && launchedSchedule(config, curve.quoteMint);
  if (!launched) return unusable("undecodable", "FeeConfig of the curve");

  const schedule = ownSchedule(curve, launched, isCreatorFeeConfigurable);
  const marketCapSupply = supplyForTiers(curve, schedule, mint && known.get(mint));
  if (marketCapSupply === null) return unusable("missing-account", "mint of a mayhem coin");
  const { virtualToken, virtualQuote, realToken, realQuote } = curve;
  const { isComplete, isMayhem, quoteMint } = curve;
  return {
    kind: "pool",
    state: {
      baseMint: mint,
      quoteMint,
      virtualToken,
      virtualQuote,
      realToken,
      realQuote,
      isComplete,
      isMayhem,
      schedule,
      marketCapSupply,
    },
  };
}

/** Whether coins may have a creator rate of their own, or null where the account is no Global. */
function decodeGlobal(account: Account): boolean | null {
  if (account.owner !== PUMP_PROGRAM) return null;
  const reader = new ByteReader(account.data);
  if (!reader.has(0, GLOBAL.discriminator) || reader.length < GLOBAL.minLength) return null;
  const { creator_fee_configurable } = GLOBAL;
  return reader.length > creator_fee_configurable && reader.bool(creator_fee_configurable);
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

/** The live supply for mayhem coins, which may exceed a launch's; null where it is needed and unknown. */
function supplyForTiers(
  curve: BondingCurve,
  schedule: FeeSchedule,
  mint: Account | null | undefined,
): bigint | null {
  if (!curve.isMayhem || schedule.length === 1) return LAUNCH_SUPPLY;
  return decodeMint(mint)?.supply ?? null;
}

function unusable(reason: UnusableReason, detail: string): Decoded<PumpCurveState> {
  return { kind: "unusable", reason, detail };
}
