import type { TestContext } from "node:test";
import { type Address, bytesOf } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { readPoolHeader } from "#src/venues/raydium-clmm/decode.ts";
import { PROGRAM_ID } from "#src/venues/raydium-clmm/layout.ts";
import {
  bitmapExtensionAddress,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
} from "#src/venues/raydium-clmm/tick-arrays.ts";
import type { Bn, BnClass, PublicKeyClass } from "#test/support/sdks/pump-sdks.ts";
import { loadSdk } from "#test/support/sdks/sdk.ts";

export type SdkTickArray = {
  readonly ticks: readonly {
    readonly tick: number;
    readonly liquidityNet: Bn;
    readonly liquidityGross: Bn;
  }[];
};
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
  readonly TickArrayLayout: { decode(data: Buffer): SdkTickArray };
  readonly ClmmConfigLayout: Layout;
  readonly TickArrayBitmapExtensionLayout: Layout;
  swapInternal(request: SwapRequest): {
    readonly allTrade: boolean;
    readonly amountSpecifiedRemaining: Bn;
    readonly amountCalculated: Bn;
  };
};

type Known = ReadonlyMap<Address, Account>;

/** Raydium's own SDK, asked about the same account bytes. */
export type ClmmSdk = {
  /** Finds a pool's accounts, once. */
  readonly open: (pool: Address, known: Known, zeroForOne: boolean) => OpenClmmSdk;
  /** Decodes one tick array, all of its fields. */
  readonly decodeTickArray: (account: Account) => SdkTickArray;
};

export type OpenClmmSdk = {
  /** Decodes every account again, which also undoes what a quote rewrites. */
  readonly decode: (known: Known) => ClmmSdkPool;
};

export type ClmmSdkPool = {
  /** What the SDK's core would pay, or null where it says that the order does not fill. */
  readonly quote: (amountIn: bigint, unixTimestamp: bigint) => bigint | null;
};

export function loadClmmSdk(t: Pick<TestContext, "skip"> | null): ClmmSdk | null {
  const raydium = loadSdk<RaydiumPackage>(t, "@raydium-io/raydium-sdk-v2");
  const web3 = loadSdk<{ readonly PublicKey: PublicKeyClass }>(t, "@solana/web3.js");
  const Bn = loadSdk<BnClass>(t, "bn.js");
  if (raydium === null || web3 === null || Bn === null) return null;
  return {
    decodeTickArray: ({ data }) => raydium.TickArrayLayout.decode(Buffer.from(data)),
    open: (pool, known, zeroForOne) => {
      const found = findAccounts(pool, known, zeroForOne);
      const { PublicKey } = web3;
      const arrays = found.arrays.map((address) => ({ address, key: new PublicKey(address) }));
      const shared = {
        programId: new PublicKey(PROGRAM_ID),
        poolId: new PublicKey(pool),
        sqrtPriceLimitX64: new Bn("0"),
        zeroForOne,
        isBaseInput: true,
        includeExtraTickArrays: false,
      };
      return {
        decode: (accounts) => {
          const read = (layout: Layout, address: Address) =>
            layout.decode(dataOf(accounts, address));
          const decoded = {
            ...shared,
            poolInfo: read(raydium.PoolInfoLayout, pool),
            configInfo: read(raydium.ClmmConfigLayout, found.config),
            tickarrayBitmapExtension:
              found.extension === null
                ? {}
                : read(raydium.TickArrayBitmapExtensionLayout, found.extension),
            tickArrays: arrays.map(({ address, key }) => ({
              address: key,
              value: read(raydium.TickArrayLayout, address),
            })),
          };
          return {
            quote: (amountIn, unixTimestamp) => {
              const result = raydium.swapInternal({
                ...decoded,
                amountSpecified: new Bn(amountIn.toString()),
                blockTimestamp: Number(unixTimestamp),
              });
              return result.allTrade ? BigInt(result.amountCalculated.toString()) : null;
            },
          };
        },
      };
    },
  };
}

function findAccounts(pool: Address, known: Known, zeroForOne: boolean) {
  const header = readPoolHeader(known.get(pool));
  if (header === null) throw new Error("not a pool");
  const address = bitmapExtensionAddress(pool);
  const account = known.get(address);
  const extension = account === undefined ? null : readBitmapExtension(account, bytesOf(pool));
  const bitmaps = { pool: header.reader, extension, tickSpacing: header.tickSpacing };
  return {
    config: header.ammConfig,
    extension: account === undefined ? null : address,
    arrays: markedArrays(bitmaps, header.tickCurrent, zeroForOne ? "down" : "up").map((start) =>
      tickArrayAddress(pool, start),
    ),
  };
}

function dataOf(known: Known, address: Address): Buffer {
  const account = known.get(address);
  if (account === undefined) throw new Error(`no account at ${address}`);
  return Buffer.from(account.data);
}
