import type { Address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { decodeMint } from "#src/venues/token/mint.ts";
import { mintAccount, withTokenAmount } from "../token-accounts.ts";

/** A token whose mint account the pool makes: a thousand million whole ones of six decimals. */
const NEW_MINT_SUPPLY = 1_000_000_000_000_000n;
const NEW_MINT_DECIMALS = 6;
/** What SOL and every other mint that the node does not hold counts with. */
const USUAL_DECIMALS = 9;

export type TradedMint = {
  readonly decimals: number;
  readonly program: Address;
};

/** Decimals and token program of a mint, as far as its account is there. */
export function tradedMint(known: AccountSet, mint: Address): TradedMint {
  const account = known.get(mint);
  return {
    decimals: decodeMint(account)?.decimals ?? USUAL_DECIMALS,
    program: account?.owner ?? TOKEN_PROGRAM,
  };
}

/** The mint account that a new pool brings along where its base token has none yet. */
export function missingMint(
  known: AccountSet,
  mint: Address,
  amount: bigint,
  slot: bigint,
): readonly (readonly [Address, Account])[] {
  if (known.get(mint)) return [];
  const supply = amount > NEW_MINT_SUPPLY ? amount : NEW_MINT_SUPPLY;
  return [[mint, mintAccount({ supply, decimals: NEW_MINT_DECIMALS, slot })]];
}

/** Token accounts of `known` with other amounts; those that are not there are left out. */
export function tokenAmounts(
  known: AccountSet,
  amounts: readonly (readonly [Address, bigint])[],
  slot: bigint,
): readonly (readonly [Address, Account])[] {
  return amounts.flatMap(([address, amount]) => {
    const account = known.get(address);
    return account ? [[address, withTokenAmount(account, amount, slot)] as const] : [];
  });
}
