import type { TestContext } from "node:test";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { readPoolHeader } from "#src/venues/raydium-clmm/decode.ts";
import { PROGRAM_ID } from "#src/venues/raydium-clmm/layout.ts";
import {
  bitmapExtensionAddress,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
} from "#src/venues/raydium-clmm/tick-arrays.ts";
import type { Bn, BnClass } from "#test/support/pump-sdks.ts";
import { loadSdk } from "#test/support/sdk.ts";

type Layout = { decode(data: Buffer): object };
type SdkArray = { readonly address: object; readonly value: object };
type SwapRequest = {
  readonly programId: object;
  readonly poolId: object;
  readonly poolInfo: object;
  readonly tickArrays: readonly SdkArray[];
  readonly configInfo: object;
  readonly tickarrayBitmapExtension: object;
  readonly amountSpecified: Bn;
  readonly sqrtPriceLimitX64: Bn;
  readonly zeroForOne: boolean;
  readonly isBaseInput: boolean;
  readonly blockTimestamp: number;
  readonly includeExtraTickArrays: boolean;
};
type RaydiumPackage = {
  readonly PoolInfoLayout: Layout;
  readonly TickArrayLayout: Layout;
  readonly ClmmConfigLayout: Layout;
  readonly TickArrayBitmapExtensionLayout: Layout;
  swapInternal(request: SwapRequest): {
    readonly allTrade: boolean;
    readonly amountSpecifiedRemaining: Bn;
    readonly amountCalculated: Bn;
  };
};
type Web3 = { readonly PublicKey: new (text: string) => object };

/** Raydium's own SDK, asked about the same account bytes. */
export type ClmmSdk = {
  /** Every account decoded, as its quotes want them: decoding anew undoes what a quote rewrites. */
  readonly decode: (
    pool: Address,
    accounts: ReadonlyMap<Address, Account>,
    zeroForOne: boolean,
  ) => ClmmSdkPool;
};

export type ClmmSdkPool = {
  /** What the SDK would pay, or null where it says that the order does not fill. */
  readonly quote: (amountIn: bigint, unixTimestamp: bigint) => bigint | null;
};

export function loadClmmSdk(t: Pick<TestContext, "skip"> | null): ClmmSdk | null {
  const raydium = loadSdk<RaydiumPackage>(t, "@raydium-io/raydium-sdk-v2");
  const web3 = loadSdk<Web3>(t, "@solana/web3.js");
  const Bn = loadSdk<BnClass>(t, "bn.js");
  if (raydium === null || web3 === null || Bn === null) return null;
  return {
    decode: (pool, accounts, zeroForOne) => {
      const dataOf = (address: Address): Buffer => {
        const account = accounts.get(address);
        if (account === undefined) throw new Error(`no account at ${address}`);
        return Buffer.from(account.data);
      };
      const header = readPoolHeader(accounts.get(pool));
      if (header === null) throw new Error("not a pool");
      const poolId = new web3.PublicKey(pool);
      const extensionAccount = accounts.get(bitmapExtensionAddress(pool));
      const extension =
        extensionAccount === undefined ? null : readBitmapExtension(extensionAccount, pool);
      const bitmaps = { pool: header.reader, extension, tickSpacing: header.tickSpacing };
      const tickArrays = markedArrays(bitmaps, header.tickCurrent, zeroForOne).map((start) => {
        const address = tickArrayAddress(pool, start);
        return {
          address: new web3.PublicKey(address),
          value: raydium.TickArrayLayout.decode(dataOf(address)),
        };
      });
      const shared = {
        programId: new web3.PublicKey(PROGRAM_ID),
        poolId,
        poolInfo: raydium.PoolInfoLayout.decode(dataOf(pool)),
        tickArrays,
        configInfo: raydium.ClmmConfigLayout.decode(dataOf(header.ammConfig)),
        tickarrayBitmapExtension:
          extensionAccount === undefined
            ? {}
            : raydium.TickArrayBitmapExtensionLayout.decode(Buffer.from(extensionAccount.data)),
        zeroForOne,
        isBaseInput: true,
        includeExtraTickArrays: false,
      };
      return {
        quote: (amountIn, unixTimestamp) => {
          const found = raydium.swapInternal({
            ...shared,
            amountSpecified: new Bn(amountIn.toString()),
            sqrtPriceLimitX64: new Bn("0"),
            blockTimestamp: Number(unixTimestamp),
          });
          return found.allTrade ? BigInt(found.amountCalculated.toString()) : null;
        },
      };
    },
  };
}
