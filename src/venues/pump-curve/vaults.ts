import { type Address, address } from "#src/units/address.ts";
import {
  STABLE_MINTS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import type { AccountSet } from "../account-set.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import { associatedTokenAddress } from "../shared/token/associated-token.ts";
import { decodeMint } from "../shared/token/mint.ts";
import { isFrozenAccount, tokenBalance } from "../shared/token/token-account.ts";
import { curveAddress } from "./addresses.ts";

/** By token program: by coin, its curve's accounts for the coin and for its quote. */
const VAULTS: ReadonlyMap<Address, DerivedAddresses<Address>> = new Map(
  [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => [
    program,
    new DerivedAddresses<Address>(32_768, (coin, mint) =>
      associatedTokenAddress(curveAddress(coin), mint, program),
    ),
  ]),
);

/**
 * Tokens whose transfers cost nothing, so that their mint need not be read, and their token programs: the
 * stables, and PUMP, a Token-2022 mint without a transfer fee (a mint's extensions are fixed at its creation).
 */
const UNTAXED_TOKENS: ReadonlyMap<Address, Address> = new Map([
  ...STABLE_MINTS.map((mint) => [mint, TOKEN_PROGRAM] as const),
  [address("pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn"), TOKEN_2022_PROGRAM],
]);

export function isUntaxedQuote(quoteMint: Address): boolean {
  return quoteMint === WSOL || UNTAXED_TOKENS.has(quoteMint);
}

/** Every address where a curve of this coin can hold this quote, before the quote's mint is read. */
export function possibleQuoteVaults(coin: Address, quoteMint: Address): readonly Address[] {
  if (quoteMint === WSOL) return [];
  const program = UNTAXED_TOKENS.get(quoteMint);
  const programs = program === undefined ? [...VAULTS.keys()] : [program];
  return programs.flatMap((one) => VAULTS.get(one)?.get(coin, quoteMint) ?? []);
}

/** Null for SOL, which lies in the curve account itself, and until the quote's mint is read. */
export function quoteVault(coin: Address, quoteMint: Address, known: AccountSet): Address | null {
  if (quoteMint === WSOL) return null;
  const program = UNTAXED_TOKENS.get(quoteMint) ?? known.get(quoteMint)?.owner;
  return (program && VAULTS.get(program)?.get(coin, quoteMint)) ?? null;
}

/**
 * The curve's token accounts that can be frozen: that of the coin where its mint has a freeze authority,
 * which pump gives to no coin, and that of the quote where it is not SOL. What cannot be frozen is not
 * derived.
 */
export function freezableVaults(
  coin: Address,
  quoteMint: Address,
  known: AccountSet,
): readonly Address[] {
  const account = known.get(coin);
  const canFreezeCoin = (decodeMint(account)?.freezeAuthority ?? null) !== null;
  const coinVault = canFreezeCoin && account ? VAULTS.get(account.owner)?.get(coin, coin) : null;
  return [coinVault, quoteVault(coin, quoteMint, known)].flatMap((vault) => vault ?? []);
}

export function hasFrozenVault(coin: Address, quoteMint: Address, known: AccountSet): boolean {
  return freezableVaults(coin, quoteMint, known).some((vault) => isFrozenAccount(known.get(vault)));
}

/** What the curve's quote vault holds; null where it has none or it was not read. */
export function quoteVaultBalance(
  coin: Address,
  quoteMint: Address,
  known: AccountSet,
): bigint | null {
  const vault = quoteVault(coin, quoteMint, known);
  return vault === null ? null : tokenBalance(known.get(vault));
}
