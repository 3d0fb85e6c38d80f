import type { TestContext } from "node:test";
import type { Account } from "#src/venues/account-set.ts";
import { loadSdk } from "./sdk.ts";

/** A BN or anything else that prints itself as a decimal integer. */
export type Integer = { toString(): string; sub(other: Integer): Integer };
type Layout<Fields> = { decode(data: Buffer): Fields };

export type CpmmPoolFields = {
  readonly protocolFeesMintA: Integer;
  readonly protocolFeesMintB: Integer;
  readonly fundFeesMintA: Integer;
  readonly fundFeesMintB: Integer;
  readonly creatorFeesMintA: Integer;
  readonly creatorFeesMintB: Integer;
  readonly mintA: { toString(): string };
  readonly mintB: { toString(): string };
  readonly feeOn: number;
  readonly enableCreatorFee: boolean;
};
export type CpmmConfigFields = {
  readonly tradeFeeRate: Integer;
  readonly creatorFeeRate: Integer;
  readonly protocolFeeRate: Integer;
  readonly fundFeeRate: Integer;
};

type CpmmCompute = {
  computeSwapAmount(order: {
    pool: unknown;
    amountIn: Integer;
    outputMint: string;
    slippage: number;
  }): { amountOut: Integer };
};
type LiquidityCompute = {
  computeAmountOut(order: {
    poolInfo: unknown;
    amountIn: Integer;
    mintIn: string;
    mintOut: string;
    slippage: number;
  }): { amountOut: Integer };
};

/** What is used here of `@raydium-io/raydium-sdk-v2`, and its two modules that compute swaps. */
export type RaydiumSdk = {
  readonly BN: new (text: string) => Integer;
  readonly CpmmPoolInfoLayout: Layout<CpmmPoolFields>;
  readonly CpmmConfigInfoLayout: Layout<CpmmConfigFields>;
  readonly splAccountLayout: Layout<{ readonly amount: Integer }>;
  readonly liquidityStateV4Layout: Layout<{
    readonly baseMint: { toString(): string };
    readonly quoteMint: { toString(): string };
    readonly baseNeedTakePnl: Integer;
    readonly quoteNeedTakePnl: Integer;
  }>;
  readonly CurveCalculator: {
    swapBaseInput(
      amountIn: Integer,
      reserveIn: Integer,
      reserveOut: Integer,
      tradeFeeRate: Integer,
      creatorFeeRate: Integer,
      protocolFeeRate: Integer,
      fundFeeRate: Integer,
      isCreatorFeeOnInput: boolean,
    ): { outputAmount: Integer; protocolFee: Integer; fundFee: Integer; creatorFee: Integer };
  };
  readonly cpmm: CpmmCompute;
  readonly liquidity: LiquidityCompute;
};

type Modules = Omit<RaydiumSdk, "BN" | "cpmm" | "liquidity">;
type ModuleClass<Compute> = { readonly default: { readonly prototype: Compute } };

const NAME = "@raydium-io/raydium-sdk-v2";

/** The SDK, or null after the test was marked as skipped. */
export function loadRaydiumSdk(t: Pick<TestContext, "skip"> | null): RaydiumSdk | null {
  const sdk = loadSdk<Modules>(t, NAME);
  if (sdk === null) return null;
  const BN = loadSdk<RaydiumSdk["BN"]>(t, "bn.js");
  const cpmm = loadSdk<ModuleClass<CpmmCompute>>(t, `${NAME}/lib/raydium/cpmm/cpmm.js`);
  const liquidity = loadSdk<ModuleClass<LiquidityCompute>>(
    t,
    `${NAME}/lib/raydium/liquidity/liquidity.js`,
  );
  if (BN === null || cpmm === null || liquidity === null) return null;
  return {
    ...sdk,
    BN,
    cpmm: cpmm.default.prototype,
    liquidity: liquidity.default.prototype,
  };
}

/** Account bytes as SDKs take them. @throws where the account is missing: our own mistake */
export function bytesOf(account: Account | null | undefined): Buffer {
  if (account === null || account === undefined) throw new Error("account missing");
  return Buffer.from(account.data.buffer, account.data.byteOffset, account.data.length);
}
