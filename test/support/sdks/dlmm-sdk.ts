import type { TestContext } from "node:test";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { binArrayAddress, bitmapExtensionAddress } from "#src/venues/meteora-dlmm/accounts.ts";
import { BIN_ARRAY } from "#src/venues/meteora-dlmm/layout.ts";
import type { Clock } from "#src/venues/venue.ts";
import { loadSdk } from "./sdk.ts";

type Big = { toString(): string };
type SdkBin = { readonly amountX: Big; readonly amountY: Big };
type SdkAccount = { readonly index: Big; readonly bins: readonly SdkBin[] };

type SdkProgram = {
  readonly programId: object;
  readonly coder: { readonly accounts: { decode(name: string, data: Buffer): SdkAccount } };
};

/** A position's holding in one bin: the payment for removing its liquidity, without fees and rewards. */
export type SdkPositionBin = {
  readonly binId: number;
  readonly positionLiquidity: string;
  readonly positionXAmount: string;
  readonly positionYAmount: string;
};

type DlmmModule = {
  readonly prototype: object;
  createProgram(connection: object): SdkProgram;
  wrapPosition(program: SdkProgram, key: null, account: { readonly data: Buffer }): object;
  /** Private in the SDK's types; every query for positions calls it. */
  processPosition(
    ...position: readonly [
      program: SdkProgram,
      lbPair: object,
      clock: object,
      position: object,
      mintX: object,
      mintY: object,
      rewardMintX: null,
      rewardMintY: null,
      arrays: ReadonlyMap<string, SdkAccount>,
    ]
  ): Promise<{ readonly positionBinData: readonly SdkPositionBin[] } | null>;
};

type BigConstructor = new (text: string) => Big;

type SdkPool = {
  readonly clock: { readonly epoch: Big };
  swapQuote(amountIn: Big, sellsX: boolean, slippage: Big, arrays: unknown): { outAmount: Big };
};

/** The official SDK over the accounts of a pair: its own decoder, its own `swapQuote`. */
export type DlmmSdk = {
  /** One bin array as the SDK's own decoder reads it. */
  readonly decodeBinArray: (account: Account) => readonly SdkBin[];
  /** Decodes every account of the pair again. The SDK reads the time from `Date`. */
  readonly open: (
    pair: Address,
    accounts: ReadonlyMap<Address, Account | null>,
    clock: Clock,
  ) => {
    readonly quote: (amountIn: bigint, sellsX: boolean) => bigint;
    /** The position's holdings, bin by bin. */
    readonly positionBins: (position: Account) => Promise<readonly SdkPositionBin[]>;
  };
};

const EXTENSIONS = 166;

/** Null after the test was skipped because the SDK is not installed. */
export function loadDlmmSdk(t: Pick<TestContext, "skip"> | null): DlmmSdk | null {
  const module = loadSdk<DlmmModule>(t, "@meteora-ag/dlmm");
  const Bn = loadSdk<BigConstructor>(t, "bn.js");
  if (module === null || Bn === null) return null;
  const program = module.createProgram({});
  const { coder } = program;
  const decode = (name: string, account: Account | null | undefined) => {
    if (account === null || account === undefined) throw new Error(`${name} is not there`);
    return coder.accounts.decode(name, Buffer.from(account.data));
  };
  const mintOf = (account: Account | null | undefined) => ({
    tlvData: Buffer.from(account?.data.subarray(EXTENSIONS) ?? []),
  });

  return {
    decodeBinArray: (account) => decode("binArray", account).bins,
    open: (pair, accounts, clock) => {
      const lbPair = decode("lbPair", accounts.get(pair)) as unknown as Record<string, object>;
      const extension = accounts.get(bitmapExtensionAddress(pair)) ?? null;
      const binArrays = [...accounts.values()]
        .filter((account) => account?.data.length === BIN_ARRAY.length)
        .map((account) => decode("binArray", account))
        .map((account) => ({ account, publicKey: binArrayAddress(pair, Number(account.index)) }));
      const pool: SdkPool = Object.assign(Object.create(module.prototype), {
        lbPair,
        tokenX: { mint: mintOf(accounts.get(String(lbPair.tokenXMint) as Address)) },
        tokenY: { mint: mintOf(accounts.get(String(lbPair.tokenYMint) as Address)) },
        clock: { epoch: new Bn(String(clock.epoch)) },
        binArrayBitmapExtension:
          extension === null
            ? null
            : { account: decode("binArrayBitmapExtension", extension), publicKey: pair },
      });
      const noSlippage = new Bn("0");
      const arrays = new Map(
        binArrays.map(({ account, publicKey }) => [String(publicKey), account]),
      );
      const mint = { decimals: 6, tlvData: Buffer.alloc(0) };
      return {
        positionBins: async (position) => {
          const wrapped = module.wrapPosition(program, null, { data: Buffer.from(position.data) });
          const now = {
            unixTimestamp: new Bn(String(clock.unixTimestamp)),
            epoch: pool.clock.epoch,
          };
          const found = await module.processPosition(
            ...([program, lbPair, now, wrapped, mint, mint, null, null, arrays] as const),
          );
          return found?.positionBinData ?? [];
        },
        quote: (amountIn, sellsX) => {
          const { outAmount } = pool.swapQuote(
            new Bn(String(amountIn)),
            sellsX,
            noSlippage,
            binArrays,
          );
          return BigInt(outAmount.toString());
        },
      };
    },
  };
}
