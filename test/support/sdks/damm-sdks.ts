import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { loadSdk } from "./sdk.ts";

type Integer = { toString(): string };
type Key = { toString(): string };
type Coder<Name extends string> = {
  readonly accounts: { decode(name: Name, data: Buffer): unknown };
};

export type DammV2PoolFields = {
  readonly tokenAMint: Key;
  readonly tokenBMint: Key;
  readonly creator: Key;
};

/** What is used here of `@meteora-ag/cp-amm-sdk`. */
export type DammV2Sdk = {
  readonly BN: new (text: string) => Integer;
  decodePool(data: Buffer): DammV2PoolFields;
  /** @throws where the SDK refuses, outputs of zero among them */
  quote(order: {
    inAmount: Integer;
    inputTokenMint: Key;
    slippage: number;
    poolState: DammV2PoolFields;
    currentTime: number;
    currentSlot: number;
    tokenADecimal: number;
    tokenBDecimal: number;
    hasReferral: boolean;
  }): { swapOutAmount: Integer };
  /** The core that `quote` uses: amounts alone, by direction 0 (A to B) or 1. */
  quoteCore(
    pool: DammV2PoolFields,
    amountIn: Integer,
    feeMode: unknown,
    direction: 0 | 1,
    point: Integer,
  ): { outputAmount: Integer };
  feeMode(collectFeeMode: number, direction: 0 | 1, hasReferral: boolean): unknown;
  /** The pool of two mints under a configuration, and the one that anyone may customize. */
  poolAddress(config: Key, mintA: Key, mintB: Key): string;
  customizablePoolAddress(mintA: Key, mintB: Key): string;
};

type DammV2Module = {
  readonly derivePoolAddress: (config: Key, mintA: Key, mintB: Key) => Key;
  readonly deriveCustomizablePoolAddress: (mintA: Key, mintB: Key) => Key;
  readonly CpAmm: new (
    connection: unknown,
  ) => {
    readonly _program: { readonly coder: Coder<"pool"> };
    readonly getQuote: DammV2Sdk["quote"];
  };
  readonly getSwapResultFromExactInput: DammV2Sdk["quoteCore"];
  readonly getFeeMode: DammV2Sdk["feeMode"];
};

/** The SDK, or null after the test was marked as skipped. */
export function loadDammV2Sdk(t: Pick<TestContext, "skip"> | null): DammV2Sdk | null {
  const sdk = loadSdk<DammV2Module>(t, "@meteora-ag/cp-amm-sdk");
  const BN = loadSdk<DammV2Sdk["BN"]>(t, "bn.js");
  if (sdk === null || BN === null) return null;
  const amm = new sdk.CpAmm({});
  return {
    BN,
    decodePool: (data) => amm._program.coder.accounts.decode("pool", data) as DammV2PoolFields,
    quote: (order) => amm.getQuote(order),
    quoteCore: sdk.getSwapResultFromExactInput,
    feeMode: sdk.getFeeMode,
    poolAddress: (config, mintA, mintB) => sdk.derivePoolAddress(config, mintA, mintB).toString(),
    customizablePoolAddress: (mintA, mintB) =>
      sdk.deriveCustomizablePoolAddress(mintA, mintB).toString(),
  };
}

export type DammV1PoolFields = {
  readonly tokenAMint: Key;
  readonly tokenBMint: Key;
  readonly aVault: Key;
  readonly bVault: Key;
};

/** What is used here of `@meteora-ag/dynamic-amm-sdk`. */
export type DammV1Sdk = {
  readonly BN: new (text: string) => Integer;
  decodePool(data: Buffer): DammV1PoolFields;
  decodeVault(data: Buffer): unknown;
  /** The pool of two mints by curve and trade fee, in basis points. */
  poolAddress(mintA: Key, mintB: Key, isStable: boolean, feeBps: number): string;
  /** @throws where the SDK refuses */
  quote(
    inTokenMint: Key,
    inAmount: Integer,
    state: {
      poolState: DammV1PoolFields;
      vaultA: unknown;
      vaultB: unknown;
      vaultALpSupply: Integer;
      vaultBLpSupply: Integer;
      poolVaultALp: Integer;
      poolVaultBLp: Integer;
      vaultAReserve: Integer;
      vaultBReserve: Integer;
      currentTime: number;
      currentSlot: number;
      depegAccounts: ReadonlyMap<string, unknown>;
    },
  ): { amountOut: Integer };
};

type DammV1Module = {
  readonly derivePoolAddress: (
    connection: unknown,
    mintA: Key,
    mintB: Key,
    decimalsA: number,
    decimalsB: number,
    isStable: boolean,
    feeBps: unknown,
  ) => Key;
  readonly AmmIdl: unknown;
  readonly VaultIdl: unknown;
  readonly calculateSwapQuote: DammV1Sdk["quote"];
};

const DAMM_V1 = "@meteora-ag/dynamic-amm-sdk";

/** The SDK, or null after the test was marked as skipped. It brings its own Anchor. */
export function loadDammV1Sdk(t: Pick<TestContext, "skip"> | null): DammV1Sdk | null {
  const sdk = loadSdk<DammV1Module>(t, DAMM_V1);
  const BN = loadSdk<DammV1Sdk["BN"]>(t, "bn.js");
  if (sdk === null || BN === null) return null;
  const bench = createRequire(new URL("../../../bench/sdks/package.json", import.meta.url));
  const anchor = createRequire(bench.resolve(DAMM_V1))("@coral-xyz/anchor") as {
    readonly BorshCoder: new (idl: unknown) => Coder<"pool" | "vault">;
  };
  const pools = new anchor.BorshCoder(sdk.AmmIdl);
  const vaults = new anchor.BorshCoder(sdk.VaultIdl);
  return {
    BN,
    decodePool: (data) => pools.accounts.decode("pool", data) as DammV1PoolFields,
    decodeVault: (data) => vaults.accounts.decode("vault", data),
    poolAddress: (mintA, mintB, isStable, feeBps) =>
      sdk.derivePoolAddress({}, mintA, mintB, 6, 9, isStable, new BN(String(feeBps))).toString(),
    quote: sdk.calculateSwapQuote,
  };
}
