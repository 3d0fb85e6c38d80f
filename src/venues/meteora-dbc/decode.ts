import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import { loaded } from "../shared/own-account.ts";
import { decodable, decodedOrUnusable, UnusableError } from "../shared/refusals.ts";
import { decodeMint, isStopped } from "../shared/token/mint.ts";
import { isFrozenAccount, tokenBalance } from "../shared/token/token-account.ts";
import type { Decoded } from "../venue.ts";
import { readConfig, readPool } from "./accounts.ts";
import { POOL_CONFIG, VIRTUAL_POOL } from "./layout.ts";
import type { BaseFee, CurvePoint, DbcConfig, DbcState, DynamicFee } from "./state.ts";

const BASE_FEE_MODE = { linear: 0, exponential: 1, rateLimiter: 2 } as const;
const COLLECT_FEE_MODE = { quoteToken: 0, outputToken: 1 } as const;
const ACTIVATION_TYPE = { slot: 0, timestamp: 1 } as const;

/** The curve and the config it names. Vaults and mints may be missing: they only confirm what the curve says. */
export function decodePool(address: Address, known: AccountSet): Decoded<DbcState> {
  return decodedOrUnusable(() => readState(address, known));
}

function readState(address: Address, known: AccountSet): DbcState {
  const pool = decodable(readPool(loaded(known, address, "pool")), "not a pool of this program");
  const { reader, hasTransferHook } = pool;
  const configAccount = loaded(known, reader.address(VIRTUAL_POOL.config), "config");
  const config = decodable(readConfig(configAccount), "not a config of this program");
  const baseVault = known.get(reader.address(VIRTUAL_POOL.baseVault));
  const quoteVault = known.get(reader.address(VIRTUAL_POOL.quoteVault));
  const baseMint = reader.address(VIRTUAL_POOL.baseMint);
  const configFields = readConfigFields(config);
  return {
    config: configFields,
    baseMint,
    baseVaultBalance: tokenBalance(baseVault),
    quoteVaultBalance: tokenBalance(quoteVault),
    isStuck:
      [baseVault, quoteVault].some(isFrozenAccount) ||
      [baseMint, configFields.quoteMint].some((mint) => isStoppedMint(known.get(mint))),
    baseReserve: reader.u64(VIRTUAL_POOL.baseReserve),
    quoteReserve: reader.u64(VIRTUAL_POOL.quoteReserve),
    baseFees: {
      protocol: reader.u64(VIRTUAL_POOL.protocolBaseFee),
      partner: reader.u64(VIRTUAL_POOL.partnerBaseFee),
      creator: reader.u64(VIRTUAL_POOL.creatorBaseFee),
    },
    quoteFees: {
      protocol: reader.u64(VIRTUAL_POOL.protocolQuoteFee),
      partner: reader.u64(VIRTUAL_POOL.partnerQuoteFee),
      creator: reader.u64(VIRTUAL_POOL.creatorQuoteFee),
    },
    sqrtPrice: reader.u128(VIRTUAL_POOL.sqrtPrice),
    activationPoint: reader.u64(VIRTUAL_POOL.activationPoint),
    isMigrated: reader.bool(VIRTUAL_POOL.isMigrated),
    volatility: {
      lastUpdateTimestamp: reader.u64(VIRTUAL_POOL.lastUpdateTimestamp),
      sqrtPriceReference: reader.u128(VIRTUAL_POOL.sqrtPriceReference),
      accumulator: reader.u128(VIRTUAL_POOL.volatilityAccumulator),
      reference: reader.u128(VIRTUAL_POOL.volatilityReference),
    },
    hasTransferHook,
  };
}

function isStoppedMint(account: Account | null | undefined): boolean {
  const mint = decodeMint(account);
  return mint !== null && isStopped(mint);
}

function readConfigFields(config: ByteReader): DbcConfig {
  const collectFeeMode = config.u8(POOL_CONFIG.collectFeeMode);
  const activationType = config.u8(POOL_CONFIG.activationType);
  if (collectFeeMode > COLLECT_FEE_MODE.outputToken) {
    throw new UnusableError("unsupported", `collect fee mode ${collectFeeMode}`);
  }
  if (activationType > ACTIVATION_TYPE.timestamp) {
    throw new UnusableError("unsupported", `activation type ${activationType}`);
  }
  return {
    quoteMint: config.address(POOL_CONFIG.quoteMint),
    baseFee: readBaseFee(config),
    dynamicFee: readDynamicFee(config),
    collects: collectFeeMode === COLLECT_FEE_MODE.quoteToken ? "quote" : "output",
    countsBy: activationType === ACTIVATION_TYPE.slot ? "slot" : "time",
    creatorTradingFeePercent: config.u8(POOL_CONFIG.creatorTradingFeePercentage),
    migrationQuoteThreshold: config.u64(POOL_CONFIG.migrationQuoteThreshold),
    migrationBaseThreshold: config.u64(POOL_CONFIG.migrationBaseThreshold),
    migrationSqrtPrice: config.u128(POOL_CONFIG.migrationSqrtPrice),
    vestingAmount:
      config.u64(POOL_CONFIG.vestingCliffUnlockAmount) +
      config.u64(POOL_CONFIG.vestingAmountPerPeriod) *
        config.u64(POOL_CONFIG.vestingNumberOfPeriod),
    sqrtStartPrice: config.u128(POOL_CONFIG.sqrtStartPrice),
    curve: readCurve(config),
  };
}

function readBaseFee(config: ByteReader): BaseFee {
  const mode = config.u8(POOL_CONFIG.baseFeeMode);
  const cliffNumerator = config.u64(POOL_CONFIG.cliffFeeNumerator);
  const firstFactor = config.u16(POOL_CONFIG.firstFactor);
  const secondFactor = config.u64(POOL_CONFIG.secondFactor);
  const thirdFactor = config.u64(POOL_CONFIG.thirdFactor);
  switch (mode) {
    case BASE_FEE_MODE.linear:
    case BASE_FEE_MODE.exponential:
      return {
        kind: mode === BASE_FEE_MODE.linear ? "linear" : "exponential",
        cliffNumerator,
        periods: firstFactor,
        periodLength: secondFactor,
        reduction: thirdFactor,
      };
    case BASE_FEE_MODE.rateLimiter:
      return {
        kind: "rate-limiter",
        cliffNumerator,
        incrementBps: firstFactor,
        duration: secondFactor,
        referenceAmount: thirdFactor,
      };
    default:
      throw new UnusableError("unsupported", `base fee mode ${mode}`);
  }
}

function readDynamicFee(config: ByteReader): DynamicFee | null {
  if (!config.bool(POOL_CONFIG.dynamicFeeInitialized)) return null;
  return {
    maxVolatilityAccumulator: config.u32(POOL_CONFIG.maxVolatilityAccumulator),
    variableFeeControl: config.u32(POOL_CONFIG.variableFeeControl),
    binStep: config.u16(POOL_CONFIG.binStep),
    binStepQ64: config.u128(POOL_CONFIG.binStepU128),
    filterPeriod: config.u16(POOL_CONFIG.filterPeriod),
    decayPeriod: config.u16(POOL_CONFIG.decayPeriod),
    reductionFactorBps: config.u16(POOL_CONFIG.reductionFactor),
  };
}

function readCurve(config: ByteReader): readonly CurvePoint[] {
  return Array.from({ length: POOL_CONFIG.curvePoints }, (_, index) => {
    const offset = POOL_CONFIG.curve + index * POOL_CONFIG.curvePointLength;
    return { sqrtPrice: config.u128(offset), liquidity: config.u128(offset + 16) };
  });
}
