import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "../account-set.ts";
import { ByteReader } from "../byte-reader.ts";
import { UnusableError } from "./refusals.ts";

/** What identifies a kind of account of a program; a pool's address does not show it. */
export type AccountKind = {
  readonly programId: Address;
  readonly discriminator?: Uint8Array;
  /** Exact bytes. */
  readonly length?: number;
  readonly minLength?: number;
};

/** Fields of an account of that kind; null where the account is missing or of another kind. */
export function readOwn(
  account: Account | null | undefined,
  { programId, discriminator, length, minLength = 0 }: AccountKind,
): ByteReader | null {
  if (account === null || account === undefined || account.owner !== programId) return null;
  const reader = new ByteReader(account.data);
  if (reader.length < minLength || (length !== undefined && reader.length !== length)) return null;
  return discriminator === undefined || reader.has(0, discriminator) ? reader : null;
}

/**
 * The account at an address where a program may have made one; null where it has not, undefined where it was not
 * delivered. Anyone can send lamports to the address: to the program, the account does not exist then.
 */
export function madeByProgram(known: AccountSet, address: Address): Account | null | undefined {
  const account = known.get(address);
  const isUnused =
    account !== null &&
    account !== undefined &&
    account.owner === SYSTEM_PROGRAM &&
    account.data.length === 0;
  return isUnused ? null : account;
}

/** @throws UnusableError where the account is missing or was not delivered */
export function loaded(known: AccountSet, address: Address, what: string): Account {
  const account = known.get(address);
  if (account === null || account === undefined) {
    throw new UnusableError("missing-account", `${what} ${address} is missing`);
  }
  return account;
}
