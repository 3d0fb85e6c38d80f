import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import { loaded, readOwn } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { type PairVaults, readTransfer, type TokenTransfer } from "../shared/reserve-pool.ts";
import { decodeTokenAccount } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import { amountA, amountB } from "./curve.ts";
import { MAX_FEE_NUMERATORS, POOL, POOL_DISCRIMINATOR, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";

/** One of the pool's two tokens; amounts are base units. */
export type DammToken = TokenTransfer & {
  readonly mint: Address;
  /** Null where the vault was not delivered: the maths is all in the pool, the vault only pays. */
  readonly vaultAmount: bigint | null;
  /** What the program counts as the pool's own: the vault less fees not yet claimed. */
  readonly reserve: bigint;
  readonly protocolFee: bigint;
};

/** Numerators are over 10^9. Points are slots or seconds, as the pool's activation type says. */
export type BaseFee =
  | {
      readonly kind: "time-linear" | "time-exponential";
      readonly cliffFeeNumerator: bigint;
      readonly periods: bigint;
      readonly periodFrequency: bigint;
      readonly reductionFactor: bigint;
    }
  | {
      readonly kind: "rate-limiter";
      readonly cliffFeeNumerator: bigint;
      readonly feeIncrementBps: bigint;
      readonly maxDuration: bigint;
      readonly maxFeeBps: bigint;
      readonly referenceAmount: bigint;
    }
  | {
      readonly kind: "market-cap-linear" | "market-cap-exponential";
      readonly cliffFeeNumerator: bigint;
      readonly periods: bigint;
      readonly sqrtPriceStepBps: bigint;
      readonly expiry: bigint;
      readonly reductionFactor: bigint;
    };

export type DynamicFee = {
  readonly maxVolatilityAccumulator: bigint;
  readonly variableFeeControl: bigint;
  readonly binStep: bigint;
  readonly filterPeriod: bigint;
  readonly decayPeriod: bigint;
  readonly reductionFactor: bigint;
  readonly binStepQ64: bigint;
  readonly lastUpdateTimestamp: bigint;
  readonly sqrtPriceReference: bigint;
  readonly volatilityAccumulator: bigint;
  readonly volatilityReference: bigint;
};

export const COLLECT_FEE_MODES = ["both", "only-b", "compounding"] as const;
export const ACTIVATION_TYPES = ["slot", "time"] as const;

/** Prices are Q64.64 square roots of B per A. */
export type DammV2State = {
  readonly tokenA: DammToken;
  readonly tokenB: DammToken;
  readonly liquidity: bigint;
  readonly sqrtMinPrice: bigint;
  readonly sqrtMaxPrice: bigint;
  readonly sqrtPrice: bigint;
  readonly initSqrtPrice: bigint;
  readonly activationPoint: bigint;
  readonly activationType: (typeof ACTIVATION_TYPES)[number];
  readonly isEnabled: boolean;
  readonly collectFeeMode: (typeof COLLECT_FEE_MODES)[number];
  readonly maxFeeNumerator: bigint;
  readonly baseFee: BaseFee;
  /** Null where it is switched off. */
  readonly dynamicFee: DynamicFee | null;
  readonly protocolFeePercent: bigint;
  readonly compoundingFeeBps: bigint;
};

export type DammV2Addresses = PairVaults & {
  readonly isExtendedA: boolean;
  readonly isExtendedB: boolean;
};

const POOL_KIND = {
  programId: PROGRAM_ID,
  discriminator: POOL_DISCRIMINATOR,
  length: POOL_LENGTH,
} as const;

/** Where the pool's other accounts are, or null where the account is missing or no DAMM v2 pool. */
export function poolAddresses(pool: Address, known: AccountSet): DammV2Addresses | null {
  const reader = readOwn(known.get(pool), POOL_KIND);
  return reader === null ? null : addressesIn(reader);
}

function addressesIn(reader: ByteReader): DammV2Addresses {
  return {
    vaultA: reader.address(POOL.tokenAVault),
    vaultB: reader.address(POOL.tokenBVault),
    mintA: reader.address(POOL.tokenAMint),
    mintB: reader.address(POOL.tokenBMint),
    isExtendedA: reader.u8(POOL.tokenAFlag) !== 0,
    isExtendedB: reader.u8(POOL.tokenBFlag) !== 0,
  };
}

/**
 * Pool, both vaults where they are there, and the mint of each Token-2022 token. A vault that is not
 * delivered does not set the pool aside: its balance could only refuse what the reserves allow.
 */
export function decode(pool: Address, known: AccountSet): Decoded<DammV2State> {
  return decodedOrUnusable(() => readState(pool, known));
}

function readState(pool: Address, known: AccountSet): DammV2State {
  const reader = decodable(readOwn(loaded(known, pool, "pool"), POOL_KIND), "not a DAMM v2 pool");
  const addresses = addressesIn(reader);
  const baseFee = readBaseFee(reader);
  const collectFeeMode = COLLECT_FEE_MODES[reader.u8(POOL.collectFeeMode)];
  const activationType = ACTIVATION_TYPES[reader.u8(POOL.activationType)];
  const maxFeeNumerator = MAX_FEE_NUMERATORS[reader.u8(POOL.feeVersion)];
  const layoutVersion = reader.u8(POOL.layoutVersion);
  if (
    baseFee === null ||
    collectFeeMode === undefined ||
    activationType === undefined ||
    maxFeeNumerator === undefined ||
    layoutVersion > 1
  ) {
    throw new UnusableError("unsupported", "a mode or version that the program does not know yet");
  }
  const reserves = readReserves(reader, layoutVersion === 0 && collectFeeMode !== "compounding");
  return {
    tokenA: readToken(known, {
      vault: addresses.vaultA,
      mint: addresses.mintA,
      isExtended: addresses.isExtendedA,
      reserve: reserves.a,
      protocolFee: reader.u64(POOL.protocolAFee),
    }),
    tokenB: readToken(known, {
      vault: addresses.vaultB,
      mint: addresses.mintB,
      isExtended: addresses.isExtendedB,
      reserve: reserves.b,
      protocolFee: reader.u64(POOL.protocolBFee),
    }),
    liquidity: reader.u128(POOL.liquidity),
    sqrtMinPrice: reader.u128(POOL.sqrtMinPrice),
    sqrtMaxPrice: reader.u128(POOL.sqrtMaxPrice),
    sqrtPrice: reader.u128(POOL.sqrtPrice),
    initSqrtPrice: reader.u128(POOL.initSqrtPrice),
    activationPoint: reader.u64(POOL.activationPoint),
    activationType,
    isEnabled: reader.u8(POOL.poolStatus) === 0,
    collectFeeMode,
    maxFeeNumerator,
    baseFee,
    dynamicFee: readDynamicFee(reader),
    protocolFeePercent: BigInt(reader.u8(POOL.protocolFeePercent)),
    compoundingFeeBps: BigInt(reader.u16(POOL.compoundingFeeBps)),
  };
}

function readBaseFee(reader: ByteReader): BaseFee | null {
  const cliffFeeNumerator = reader.u64(POOL.cliffFeeNumerator);
  const first = BigInt(reader.u16(POOL.baseFeeFirst));
  const low = BigInt(reader.u32(POOL.baseFeeSecond));
  const high = BigInt(reader.u32(POOL.baseFeeSecondHigh));
  const third = reader.u64(POOL.baseFeeThird);
  switch (reader.u8(POOL.baseFeeMode)) {
    case 0:
    case 1:
      return {
        kind: reader.u8(POOL.baseFeeMode) === 0 ? "time-linear" : "time-exponential",
        cliffFeeNumerator,
        periods: first,
        periodFrequency: reader.u64(POOL.baseFeeSecond),
        reductionFactor: third,
      };
    case 2:
      return {
        kind: "rate-limiter",
        cliffFeeNumerator,
        feeIncrementBps: first,
        maxDuration: low,
        maxFeeBps: high,
        referenceAmount: third,
      };
    case 3:
    case 4:
      return {
        kind: reader.u8(POOL.baseFeeMode) === 3 ? "market-cap-linear" : "market-cap-exponential",
        cliffFeeNumerator,
        periods: first,
        sqrtPriceStepBps: low,
        expiry: high,
        reductionFactor: third,
      };
    default:
      return null;
  }
}

function readDynamicFee(reader: ByteReader): DynamicFee | null {
  if (reader.u8(POOL.dynamicFeeInitialized) === 0) return null;
  return {
    maxVolatilityAccumulator: BigInt(reader.u32(POOL.maxVolatilityAccumulator)),
    variableFeeControl: BigInt(reader.u32(POOL.variableFeeControl)),
    binStep: BigInt(reader.u16(POOL.binStep)),
    filterPeriod: BigInt(reader.u16(POOL.filterPeriod)),
    decayPeriod: BigInt(reader.u16(POOL.decayPeriod)),
    reductionFactor: BigInt(reader.u16(POOL.reductionFactor)),
    binStepQ64: reader.u128(POOL.binStepU128),
    lastUpdateTimestamp: reader.u64(POOL.lastUpdateTimestamp),
    sqrtPriceReference: reader.u128(POOL.sqrtPriceReference),
    volatilityAccumulator: reader.u128(POOL.volatilityAccumulator),
    volatilityReference: reader.u128(POOL.volatilityReference),
  };
}

/**
 * Pools of before version 0.2 do not count their reserves: the first swap fills them in from the
 * price range, rounded up.
 *
 * @throws MathError where that leaves u64, as the swap then fails
 */
function readReserves(reader: ByteReader, isUncounted: boolean) {
  if (!isUncounted) {
    return { a: reader.u64(POOL.tokenAAmount), b: reader.u64(POOL.tokenBAmount) };
  }
  const liquidity = reader.u128(POOL.liquidity);
  const price = reader.u128(POOL.sqrtPrice);
  return {
    a: amountA(liquidity, price, reader.u128(POOL.sqrtMaxPrice), "up"),
    b: amountB(liquidity, reader.u128(POOL.sqrtMinPrice), price, "up"),
  };
}

type TokenFields = Pick<DammToken, "mint" | "reserve" | "protocolFee"> & {
  readonly vault: Address;
  readonly isExtended: boolean;
};

function readToken(known: AccountSet, fields: TokenFields): DammToken {
  const { vault, isExtended, ...kept } = fields;
  const vaultAccount = known.get(vault) ?? null;
  const decodedVault = decodeTokenAccount(vaultAccount);
  if (vaultAccount !== null && decodedVault?.mint !== kept.mint) {
    throw new UnusableError("undecodable", `vault ${vault}`);
  }
  const isFrozen = decodedVault?.isFrozen === true;
  const transfer = readTransfer(known, { mint: kept.mint, isExtended, isFrozen });
  const { transferFee, isStuck, hasHook } = transfer;
  const vaultAmount = decodedVault?.amount ?? null;
  return { ...kept, vaultAmount, transferFee, isStuck, hasHook };
}
