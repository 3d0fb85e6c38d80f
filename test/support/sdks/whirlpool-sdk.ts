import type { TestContext } from "node:test";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { TICKS_PER_ARRAY, UPGRADEABLE, WHIRLPOOL } from "#src/venues/orca-whirlpool/layout.ts";
import type { TickArray, WhirlpoolState } from "#src/venues/orca-whirlpool/pool-state.ts";
import { oracleAddress, tickArrayAddress } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import { arrayStarts } from "#src/venues/orca-whirlpool/tick-sequence.ts";
import type { Bn, BnClass, PublicKeyClass } from "#test/support/sdks/pump-sdks.ts";
import { loadSdk } from "#test/support/sdks/sdk.ts";

type CoreFee = { readonly feeBps: number; readonly maxFee: bigint };
type CorePackage = {
  swapQuoteByInputToken(
    tokenIn: bigint,
    specifiedTokenA: boolean,
    slippageBps: number,
    whirlpool: object,
    oracle: object | undefined,
    tickArrays: readonly object[],
    timestamp: bigint,
    transferFeeA?: CoreFee,
    transferFeeB?: CoreFee,
  ): { readonly tokenEstOut: bigint };
};

/** Quotes of `whirlpools-core` (WASM) on a state that we decoded: null where it throws. */
export function loadWhirlpoolCore(t: Pick<TestContext, "skip"> | null) {
  const core = loadSdk<CorePackage>(t, "@orca-so/whirlpools-core");
  if (core === null) return null;
  return (state: WhirlpoolState, aToB: boolean, amountIn: bigint, now: bigint): bigint | null => {
    const arrays = arrayStarts(state.tickCurrent, state.tickSpacing, aToB ? "down" : "up").map(
      (start) => coreArray(state.arrays.get(start) ?? { start, ticks: [] }, state.tickSpacing),
    );
    try {
      return core.swapQuoteByInputToken(
        amountIn,
        aToB,
        0,
        corePool(state),
        coreOracle(state),
        arrays,
        now,
      ).tokenEstOut;
    } catch {
      return null;
    }
  };
}

function corePool(state: WhirlpoolState): object {
  const index = state.adaptiveFee === null ? state.tickSpacing : 1024;
  return {
    feeTierIndexSeed: Uint8Array.of(index & 0xff, index >> 8),
    tickSpacing: state.tickSpacing,
    feeRate: state.feeRatePpm,
    protocolFeeRate: 1300,
    liquidity: state.liquidity,
    sqrtPrice: state.sqrtPriceX64,
    tickCurrentIndex: state.tickCurrent,
    feeGrowthGlobalA: 0n,
    feeGrowthGlobalB: 0n,
    rewardLastUpdatedTimestamp: 0n,
    rewardInfos: Array.from({ length: 3 }, () => ({
      emissionsPerSecondX64: 0n,
      growthGlobalX64: 0n,
    })),
  };
}

function coreOracle({ adaptiveFee: fee, tradeEnableTimestamp }: WhirlpoolState) {
  if (fee === null) return undefined;
  return {
    tradeEnableTimestamp,
    adaptiveFeeConstants: {
      filterPeriod: Number(fee.filterPeriod),
      decayPeriod: Number(fee.decayPeriod),
      reductionFactor: fee.reductionFactor,
      adaptiveFeeControlFactor: fee.controlFactor,
      maxVolatilityAccumulator: fee.maxAccumulator,
      tickGroupSize: fee.groupSize,
      majorSwapThresholdTicks: fee.majorSwapThresholdTicks,
    },
    adaptiveFeeVariables: {
      lastReferenceUpdateTimestamp: fee.lastReferenceUpdate,
      lastMajorSwapTimestamp: fee.lastMajorSwap,
      volatilityReference: fee.volatilityReference,
      tickGroupIndexReference: fee.groupReference,
      volatilityAccumulator: fee.accumulator,
    },
  };
}

function coreArray(array: TickArray, tickSpacing: number): object {
  const netOf = new Map(array.ticks.map(({ tick, liquidityNet }) => [tick, liquidityNet]));
  return {
    startTickIndex: array.start,
    ticks: Array.from({ length: TICKS_PER_ARRAY }, (_, slot) => {
      const net = netOf.get(array.start + slot * tickSpacing);
      return {
        initialized: net !== undefined,
        liquidityNet: net ?? 0n,
        liquidityGross: 0n,
        feeGrowthOutsideA: 0n,
        feeGrowthOutsideB: 0n,
        rewardGrowthsOutside: [0n, 0n, 0n],
      };
    }),
  };
}

type Parser<Parsed = object> = {
  parse(address: object, account: { readonly data: Buffer; readonly owner: object }): Parsed | null;
};
type LegacyPackage = {
  readonly ParsableWhirlpool: Parser;
  readonly ParsableTickArray: Parser<LegacyTickArray>;
  readonly ParsableOracle: Parser;
  readonly SwapUtils: { getDefaultSqrtPriceLimit(aToB: boolean): Bn };
  swapQuoteWithParams(params: object, slippage: object): { readonly estimatedAmountOut: Bn };
};
type CommonPackage = {
  readonly Percentage: { fromFraction(numerator: number, denominator: number): object };
};

/** The legacy SDK, from account bytes: null where it throws. Mints have no transfer fee. */
export type LegacyWhirlpools = {
  readonly decode: (pool: Address, known: Known, aToB: boolean) => LegacyWhirlpool;
  /** Decodes one tick array, all of its fields. */
  readonly decodeTickArray: (account: Account) => LegacyTickArray;
};
export type LegacyTickArray = {
  readonly ticks: readonly { readonly initialized: boolean; readonly liquidityNet: Bn }[];
};
type Known = ReadonlyMap<Address, Account | null>;
export type LegacyWhirlpool = {
  readonly quote: (amountIn: bigint, now: bigint) => bigint | null;
};

export function loadLegacyWhirlpools(t: Pick<TestContext, "skip"> | null): LegacyWhirlpools | null {
  const legacy = loadSdk<LegacyPackage>(t, "@orca-so/whirlpools-sdk");
  const common = loadSdk<CommonPackage>(t, "@orca-so/common-sdk");
  const web3 = loadSdk<{ readonly PublicKey: PublicKeyClass }>(t, "@solana/web3.js");
  const Bn = loadSdk<BnClass>(t, "bn.js");
  if (legacy === null || common === null || web3 === null || Bn === null) return null;
  const { programId } = UPGRADEABLE;
  const owner = new web3.PublicKey(programId);
  const slippage = common.Percentage.fromFraction(0, 100);
  const mint = { tokenProgram: owner, tlvData: Buffer.alloc(0) };
  // Keys are made once: a user who polls a pool has them.
  const keys = new Map<Address, object>();
  const keyOf = (address: Address): object => {
    const key = keys.get(address) ?? new web3.PublicKey(address);
    keys.set(address, key);
    return key;
  };
  return {
    decodeTickArray: ({ data }) => {
      const array = legacy.ParsableTickArray.parse(owner, { data: Buffer.from(data), owner });
      if (array === null) throw new Error("the legacy SDK finds no tick array");
      return array;
    },
    decode: (pool, known, aToB) => {
      const parse = (parser: Parser, address: Address): object | null => {
        const account = known.get(address);
        if (account === undefined || account === null) return null;
        return parser.parse(keyOf(address), { data: Buffer.from(account.data), owner });
      };
      const header = Buffer.from(known.get(pool)?.data ?? []);
      const tickSpacing = header.readUInt16LE(WHIRLPOOL.tickSpacing);
      const tickCurrent = header.readInt32LE(WHIRLPOOL.tickCurrentIndex);
      const tickArrays = arrayStarts(tickCurrent, tickSpacing, aToB ? "down" : "up").map(
        (startTickIndex) => {
          const address = tickArrayAddress({ pool, programId }, startTickIndex);
          return {
            address: keyOf(address),
            startTickIndex,
            data: parse(legacy.ParsableTickArray, address),
          };
        },
      );
      const shared = {
        whirlpoolData: parse(legacy.ParsableWhirlpool, pool),
        oracleData: parse(legacy.ParsableOracle, oracleAddress({ pool, programId })),
        tickArrays,
        aToB,
        amountSpecifiedIsInput: true,
        sqrtPriceLimit: legacy.SwapUtils.getDefaultSqrtPriceLimit(aToB),
        otherAmountThreshold: new Bn("0"),
        tokenExtensionCtx: {
          currentEpoch: 925,
          tokenMintWithProgramA: mint,
          tokenMintWithProgramB: mint,
        },
      };
      return {
        quote: (amountIn, now) => {
          const tokenAmount = new Bn(amountIn.toString());
          const timestampInSeconds = new Bn(now.toString());
          try {
            const params = { ...shared, tokenAmount, timestampInSeconds };
            const quote = legacy.swapQuoteWithParams(params, slippage);
            return BigInt(quote.estimatedAmountOut.toString());
          } catch {
            return null;
          }
        },
      };
    },
  };
}

type Decoder = { decode(data: Uint8Array): object };
type ClientPackage = {
  getWhirlpoolDecoder(): Decoder;
  getFixedTickArrayDecoder(): Decoder;
};

/** Orca's new decoders and its WASM quotes: null where they, or kit that they need, are not installed. */
export function loadWhirlpoolClient() {
  const core = loadSdk<CorePackage>(null, "@orca-so/whirlpools-core");
  const client = loadClient();
  if (core === null || client === null) return null;
  const pools = client.getWhirlpoolDecoder();
  const arrays = client.getFixedTickArrayDecoder();
  return (
    addresses: { readonly pool: Address; readonly arrays: readonly Address[] },
    known: Known,
    aToB: boolean,
  ) => {
    const dataOf = (address: Address): Uint8Array => known.get(address)?.data ?? new Uint8Array();
    const pool = pools.decode(dataOf(addresses.pool));
    const decoded = addresses.arrays.map((address) => arrays.decode(dataOf(address)));
    return (amountIn: bigint, now: bigint): bigint =>
      core.swapQuoteByInputToken(amountIn, aToB, 0, pool, undefined, decoded, now).tokenEstOut;
  };
}

/** The client takes kit from the package around it, which a linked installation has not. */
function loadClient(): ClientPackage | null {
  try {
    return loadSdk<ClientPackage>(null, "@orca-so/whirlpools-client");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}
