import type { TestContext } from "node:test";
import type { Account } from "#src/venues/account-set.ts";
import { loadSdk } from "./sdk.ts";

/** What we use of bn.js, which the SDKs speak. */
export type Bn = { toString(): string; isNeg(): boolean };
export type BnClass = new (text: string) => Bn;
export type PublicKeyClass = new (text: string) => object;

/** An account as the SDKs' decoders take it. */
export type AccountInfo = { readonly data: Buffer };

export function accountInfo(account: Account | undefined): AccountInfo {
  if (account === undefined) throw new Error("the fixture has no such account");
  return { data: Buffer.from(account.data) };
}

export type PumpSdkPackage = {
  readonly PUMP_SDK: {
    decodeGlobal(account: AccountInfo): object;
    decodeFeeConfig(account: AccountInfo): object;
    decodeBondingCurve(account: AccountInfo): object & { readonly quoteMint: object };
  };
  getSellSolAmountFromTokenAmount(input: CurveQuoteInput): Bn;
  getBuyTokenAmountFromSolAmount(input: CurveQuoteInput & { readonly quoteMint: object }): Bn;
  getBuySolAmountFromTokenAmount(input: CurveQuoteInput & { readonly quoteMint: object }): Bn;
};

export type CurveQuoteInput = {
  readonly global: object;
  readonly feeConfig: object;
  readonly mintSupply: Bn;
  readonly bondingCurve: object;
  readonly amount: Bn;
};

export type SdkPool = {
  readonly creator: object;
  readonly baseMint: object;
  readonly quoteMint: object;
  readonly coinCreator: object;
  readonly isMayhemMode: boolean;
  readonly virtualQuoteReserves: Bn;
  readonly creatorFeeBps: Bn;
};

export type SwapQuoteInput = Omit<SdkPool, "isMayhemMode"> & {
  readonly isMayhemMode: boolean;
  readonly slippage: number;
  readonly baseReserve: Bn;
  readonly quoteReserve: Bn;
  readonly globalConfig: object;
  readonly baseMintAccount: { readonly supply: bigint };
  readonly feeConfig: object | null;
};

export type PumpSwapSdkPackage = {
  readonly PUMP_AMM_SDK: {
    decodeGlobalConfig(account: AccountInfo): object;
    decodeFeeConfig(account: AccountInfo): object;
    decodePool(account: AccountInfo): SdkPool;
  };
  sellBaseInput(input: SwapQuoteInput & { readonly base: Bn }): { readonly uiQuote: Bn };
  buyQuoteInput(input: SwapQuoteInput & { readonly quote: Bn }): { readonly base: Bn };
  withdraw(
    shares: Bn,
    slippagePct: number,
    baseReserve: Bn,
    quoteReserve: Bn,
    issued: Bn,
  ): { readonly base: Bn; readonly quote: Bn };
};

type Skips = Pick<TestContext, "skip"> | null;

export function loadPumpSdk(t: Skips): { sdk: PumpSdkPackage; BN: BnClass } | null {
  const sdk = loadSdk<PumpSdkPackage>(t, "@pump-fun/pump-sdk");
  const BN = loadSdk<BnClass>(t, "bn.js");
  return sdk === null || BN === null ? null : { sdk, BN };
}

export function loadPumpSwapSdk(t: Skips): { sdk: PumpSwapSdkPackage; BN: BnClass } | null {
  const sdk = loadSdk<PumpSwapSdkPackage>(t, "@pump-fun/pump-swap-sdk");
  const BN = loadSdk<BnClass>(t, "bn.js");
  return sdk === null || BN === null ? null : { sdk, BN };
}
