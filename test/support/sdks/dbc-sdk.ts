import type { TestContext } from "node:test";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { loadSdk } from "./sdk.ts";

type Big = { toString(): string };
type BigConstructor = new (text: string) => Big;

type DbcModule = {
  createDbcProgram(connection: object): {
    readonly program: {
      readonly coder: { readonly accounts: { decode(name: string, data: Buffer): object } };
    };
  };
  /** Parameters as in the SDK: pool, config, sells base, amount, slippage, referral, point, first swap. */
  swapQuoteExactIn(
    ...parameters: readonly [object, object, boolean, Big, number, boolean, Big, boolean]
  ): { readonly outputAmount: Big };
};

/** The official SDK over the accounts of a curve: its own decoder, its own quote. */
export type DbcSdk = {
  readonly open: (
    accounts: ReadonlyMap<Address, Account | null>,
    addresses: { readonly pool: Address; readonly config: Address },
    point: bigint,
  ) => { readonly quote: (amountIn: bigint, sellsBase: boolean) => bigint };
};

/** Null after the test was skipped because the SDK is not installed. */
export function loadDbcSdk(t: Pick<TestContext, "skip"> | null): DbcSdk | null {
  const module = loadSdk<DbcModule>(t, "@meteora-ag/dynamic-bonding-curve-sdk");
  const Bn = loadSdk<BigConstructor>(t, "bn.js");
  if (module === null || Bn === null) return null;
  const { coder } = module.createDbcProgram({ commitment: "confirmed" }).program;
  const decode = (name: string, account: Account | null | undefined) => {
    if (account === null || account === undefined) throw new Error(`${name} is not there`);
    return coder.accounts.decode(name, Buffer.from(account.data));
  };
  return {
    open: (accounts, addresses, point) => {
      const pool = decode("virtualPool", accounts.get(addresses.pool));
      const config = decode("poolConfig", accounts.get(addresses.config));
      const now = new Bn(String(point));
      return {
        quote: (amountIn, sellsBase) => {
          const amount = new Bn(String(amountIn));
          const { outputAmount } = module.swapQuoteExactIn(
            ...([pool, config, sellsBase, amount, 0, false, now, false] as const),
          );
          return BigInt(outputAmount.toString());
        },
      };
    },
  };
}
