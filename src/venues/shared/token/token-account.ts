import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../../account-set.ts";
import { ByteReader } from "../../byte-reader.ts";
import { loaded } from "../own-account.ts";
import { UnusableError } from "../refusals.ts";

/** Offsets, the length without extensions, and two values of the state. */
export const TOKEN_ACCOUNT = {
  length: 165,
  mint: 0,
  owner: 32,
  amount: 64,
  state: 108,
  initialized: 1,
  frozen: 2,
} as const;

export type TokenAccount = {
  readonly mint: Address;
  readonly amount: bigint;
  readonly isFrozen: boolean;
};

/**
 * An SPL Token or Token-2022 token account, or null where the account is none.
 *
 * @see https://github.com/solana-program/token (state.rs, Account)
 */
export function decodeTokenAccount(account: Account | null | undefined): TokenAccount | null {
  if (!isTokenAccount(account)) return null;
  const reader = new ByteReader(account.data);
  return {
    mint: reader.address(TOKEN_ACCOUNT.mint),
    amount: reader.u64(TOKEN_ACCOUNT.amount),
    isFrozen: reader.u8(TOKEN_ACCOUNT.state) === TOKEN_ACCOUNT.frozen,
  };
}

/** @throws UnusableError where the vault is missing or no token account of that mint */
export function loadedVault(known: AccountSet, address: Address, mint: Address): TokenAccount {
  const vault = decodeTokenAccount(loaded(known, address, "vault"));
  if (vault === null || vault.mint !== mint) {
    throw new UnusableError("undecodable", `vault ${address} is not a token account of ${mint}`);
  }
  return vault;
}

/** Whether the mint's authority froze the account: nothing moves in or out. False where it is none. */
export function isFrozenAccount(account: Account | null | undefined): boolean {
  return isTokenAccount(account) && account.data[TOKEN_ACCOUNT.state] === TOKEN_ACCOUNT.frozen;
}

/** Who may move what a token account holds, or null where the account is none. */
export function tokenAccountOwner(account: Account | null | undefined): Address | null {
  return isTokenAccount(account) ? new ByteReader(account.data).address(TOKEN_ACCOUNT.owner) : null;
}

/** Balance of a token account in base units, or null where the account is none. */
export function tokenBalance(account: Account | null | undefined): bigint | null {
  return isTokenAccount(account) ? new ByteReader(account.data).u64(TOKEN_ACCOUNT.amount) : null;
}

function isTokenAccount(account: Account | null | undefined): account is Account {
  if (account === null || account === undefined) return false;
  if (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM) return false;
  return account.data.length >= TOKEN_ACCOUNT.length && account.data[TOKEN_ACCOUNT.state] !== 0;
}
