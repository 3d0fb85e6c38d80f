import type { Address } from "#src/units/address.ts";

/** A stretch of the curve: `liquidity` holds up to `sqrtPrice`, from the point before it. */
export type CurvePoint = { readonly sqrtPrice: bigint; readonly liquidity: bigint };

/** How the fee starts and what lowers or raises it. Numerators over 10^9. */
export type BaseFee =
  | {
      readonly kind: "linear" | "exponential";
      readonly cliffNumerator: bigint;
      readonly periods: number;
      /** Slots or seconds of one period; 0: the cliff fee for ever. */
      readonly periodLength: bigint;
      /** Numerator taken off, or basis points of what is left, per period. */
      readonly reduction: bigint;
    }
  | {
      /** Large buys pay more while the pool is young. */
      readonly kind: "rate-limiter";
      readonly cliffNumerator: bigint;
      readonly incrementBps: number;
      /** Slots or seconds since activation. */
      readonly duration: bigint;
      /** Input, in quote units, up to which the cliff fee holds. */
      readonly referenceAmount: bigint;
    };

export type DynamicFee = {
  readonly maxVolatilityAccumulator: number;
  readonly variableFeeControl: number;
  readonly binStep: number;
  readonly binStepQ64: bigint;
  /** Seconds. */
  readonly filterPeriod: number;
  /** Seconds. */
  readonly decayPeriod: number;
  readonly reductionFactorBps: number;
};

/** What a launchpad fixed for its curves. Sqrt prices are of quote per base, Q64.64. */
export type DbcConfig = {
  readonly quoteMint: Address;
  readonly baseFee: BaseFee;
  readonly dynamicFee: DynamicFee | null;
  /** What a fee is taken in: always the quote token, or whatever comes out. */
  readonly collects: "quote" | "output";
  /** What schedules count in. */
  readonly countsBy: "slot" | "time";
  readonly creatorTradingFeePercent: number;
  /** Quote units with which the curve is complete. */
  readonly migrationQuoteThreshold: bigint;
  /** Base units that must be left for the graduated pool. */
  readonly migrationBaseThreshold: bigint;
  readonly migrationSqrtPrice: bigint;
  /** Base units that vest after migration. */
  readonly vestingAmount: bigint;
  readonly sqrtStartPrice: bigint;
  readonly curve: readonly CurvePoint[];
};

/** Fees owed to others that lie in a vault. */
export type OwedFees = {
  readonly protocol: bigint;
  readonly partner: bigint;
  readonly creator: bigint;
};

export type Volatility = {
  /** Unix seconds. */
  readonly lastUpdateTimestamp: bigint;
  readonly sqrtPriceReference: bigint;
  readonly accumulator: bigint;
  readonly reference: bigint;
};

/** One curve and the config that it was launched with. */
export type DbcState = {
  readonly config: DbcConfig;
  readonly baseMint: Address;
  /** Balances of the vaults, fees owed included; null where they could not be read. */
  readonly baseVaultBalance: bigint | null;
  readonly quoteVaultBalance: bigint | null;
  /** A vault is frozen or a mint paused: the token program refuses every trade. */
  readonly isStuck: boolean;
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  readonly baseFees: OwedFees;
  readonly quoteFees: OwedFees;
  readonly sqrtPrice: bigint;
  /** Slot or unix seconds of its creation. */
  readonly activationPoint: bigint;
  readonly isMigrated: boolean;
  readonly volatility: Volatility;
  /** The base mint has a transfer hook, and may refuse what the curve would pay. */
  readonly hasTransferHook: boolean;
};
