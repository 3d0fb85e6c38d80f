import { type Address, address } from "#src/units/address.ts";
import { divCeil, mulDivCeil } from "#src/units/integer.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "../../account-set.ts";
import { ByteReader, BytesEnded, discriminator } from "../../byte-reader.ts";
import type { ChainPlace } from "../../venue.ts";

/** The program that both the pump curve and PumpSwap ask for the rates of every trade. */
export const PUMP_FEES_PROGRAM = address("pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ");

/** Supply of a coin as pump launches it, base units. */
export const LAUNCH_SUPPLY = 1_000_000_000_000_000n;

export const FEE_CONFIG = {
  discriminator: discriminator("8f3492bbdb7b4c9b"),
  minLength: 2512,
  flatFees: 41,
  feeTiers: 65,
  tierSize: 40,
  /** The account is allotted whole: its length says which of the later fields exist. */
  lengthWithStableTiers: 4073,
  lengthWithExoticFees: 4097,
} as const;

const TOKEN_2022_NATIVE_MINT = address("9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP");

/** Basis points of the quote amount. Each fee is rounded up separately, never their sum. */
export type FeeRates = {
  readonly lpBps: bigint;
  readonly protocolBps: bigint;
  readonly creatorBps: bigint;
};

/** Rates from a market cap on, in base units of the quote. */
export type FeeTier = { readonly threshold: bigint; readonly rates: FeeRates };

/** Tiers in the account's order; a flat rate is a schedule of one tier. Never empty. */
export type FeeSchedule = readonly [FeeTier, ...FeeTier[]];

export type FeeConfig = {
  readonly flat: FeeRates;
  readonly tiers: readonly FeeTier[];
  readonly stableTiers: readonly FeeTier[];
  readonly exotic: FeeRates;
};

/**
 * Cache by the account itself, which every coin of pump is priced with and which hardly ever changes. A
 * module-level cache of a pure function: changed bytes arrive as another account.
 */
const DECODED = new WeakMap<Account, FeeConfig | null>();

/** A FeeConfig of pump_fees in any of its lengths, or null where the account is none. */
export function decodeFeeConfig(account: Account): FeeConfig | null {
  const known = DECODED.get(account);
  if (known !== undefined) return known;
  const decoded = readFeeConfig(account);
  DECODED.set(account, decoded);
  return decoded;
}

function readFeeConfig(account: Account): FeeConfig | null {
  if (account.owner !== PUMP_FEES_PROGRAM) return null;
  const reader = new ByteReader(account.data);
  if (!reader.has(0, FEE_CONFIG.discriminator) || reader.length < FEE_CONFIG.minLength) return null;
  try {
    const hasStable = reader.length >= FEE_CONFIG.lengthWithStableTiers;
    const hasExotic = reader.length >= FEE_CONFIG.lengthWithExoticFees;
    const tiers = readTiers(reader, FEE_CONFIG.feeTiers);
    const stable = hasStable ? readTiers(reader, tiers.end) : { tiers: [], end: tiers.end };
    return {
      flat: readRates(reader, FEE_CONFIG.flatFees),
      tiers: tiers.tiers,
      stableTiers: stable.tiers,
      exotic: hasExotic ? readRates(reader, stable.end) : NO_RATES,
    };
  } catch (error) {
    if (error instanceof BytesEnded) return null;
    throw error;
  }
}

const NO_RATES: FeeRates = { lpBps: 0n, protocolBps: 0n, creatorBps: 0n };

function readTiers(
  reader: ByteReader,
  offset: number,
): { readonly tiers: readonly FeeTier[]; readonly end: number } {
  const count = reader.u32(offset);
  const tiers = Array.from({ length: count }, (_, index) => {
    const start = offset + 4 + index * FEE_CONFIG.tierSize;
    return { threshold: reader.u128(start), rates: readRates(reader, start + 16) };
  });
  return { tiers, end: offset + 4 + count * FEE_CONFIG.tierSize };
}

function readRates(reader: ByteReader, offset: number): FeeRates {
  return {
    lpBps: reader.u64(offset),
    protocolBps: reader.u64(offset + 8),
    creatorBps: reader.u64(offset + 16),
  };
}

/** The schedule of a pool that pump did not launch. */
export function flatSchedule(config: FeeConfig): FeeSchedule {
  return [{ threshold: 0n, rates: config.flat }];
}

/** Why a pool or curve is unusable whose quote has no tiers: the program refuses every trade. */
export const EMPTY_TIERS = "the fee config has no tiers for this quote, so no trade is executed";

/**
 * The schedule of a curve, or of the pool it graduated to, by its quote: SOL pays `fee_tiers`, USDC
 * `stable_fee_tiers`, everything else `exotic_flat_fees` (`flat_fees` while those are all zero). Null
 * where the list is empty: the program refuses the trade (FeeTiersEmpty).
 */
export function launchedSchedule(config: FeeConfig, quoteMint: Address): FeeSchedule | null {
  if (quoteMint === WSOL || quoteMint === TOKEN_2022_NATIVE_MINT) return nonEmpty(config.tiers);
  if (quoteMint === USDC) return nonEmpty(config.stableTiers);
  const { lpBps, protocolBps, creatorBps } = config.exotic;
  const isUnset = lpBps === 0n && protocolBps === 0n && creatorBps === 0n;
  return [{ threshold: 0n, rates: isUnset ? config.flat : config.exotic }];
}

function nonEmpty(tiers: readonly FeeTier[]): FeeSchedule | null {
  return isSchedule(tiers) ? tiers : null;
}

function isSchedule(tiers: readonly FeeTier[]): tiers is FeeSchedule {
  return tiers.length > 0;
}

/** The schedule with every tier's creator rate replaced. */
export function withCreatorRate(schedule: FeeSchedule, creatorBps: bigint): FeeSchedule {
  const replace = ({ threshold, rates }: FeeTier): FeeTier => ({
    threshold,
    rates: { ...rates, creatorBps },
  });
  const [first, ...rest] = schedule;
  return [replace(first), ...rest.map(replace)];
}

/**
 * The rates at a market cap: of the last tier whose threshold is not above it. A market cap below the
 * first threshold pays the first rates, even if the tiers do not ascend and a later one is lower.
 *
 * @see calculate_fee_tier in the program's published clients
 */
export function ratesAt(schedule: FeeSchedule, marketCap: bigint): FeeRates {
  const [first] = schedule;
  if (marketCap < first.threshold) return first.rates;
  return schedule.findLast(({ threshold }) => marketCap >= threshold)?.rates ?? first.rates;
}

/** pump_amm's instruction that sells through curves and the pools they graduate to. */
export const MULTI_HOP_SWAP = "pump multi_hop_swap";

/** A single sale pays what the first and the last hop pay together. */
export const SINGLE_SALE: ChainPlace = { isFirst: true, isLast: true };

/** The rates that a sale pays at its place: lp and creator fee on the first hop, protocol fee on the last. */
export function ratesInChain(rates: FeeRates, { isFirst, isLast }: ChainPlace): FeeRates {
  if (isFirst && isLast) return rates;
  return {
    lpBps: isFirst ? rates.lpBps : 0n,
    protocolBps: isLast ? rates.protocolBps : 0n,
    creatorBps: isFirst ? rates.creatorBps : 0n,
  };
}

/** `ceil(amount * bps / 10,000)`. */
export function feeOf(amount: bigint, bps: bigint): bigint {
  return mulDivCeil(amount, bps, 10_000n);
}

/**
 * The pool's fees of a small trade, in parts per million of what is paid in, rounded up. A sale loses the rates
 * themselves; a purchase pays them on top of what it spends, so that they are `rates / (1 + rates)` of the whole.
 */
export function tradeFeePpm(rates: FeeRates, isPurchase: boolean): number {
  const bps = rates.lpBps + rates.protocolBps + rates.creatorBps;
  return toNumber(divCeil(bps * 1_000_000n, isPurchase ? 10_000n + bps : 10_000n));
}
