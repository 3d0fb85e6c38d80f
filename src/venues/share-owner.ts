import { type Address, address, addressBytes } from "#src/units/address.ts";
import { isOnCurve } from "#src/units/curve-membership.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "./account-set.ts";
import { ByteReader, discriminator } from "./byte-reader.ts";
import { PROGRAM_ID as DAMM_V1_PROGRAM } from "./meteora-damm-v1/layout.ts";

/** Where Solana's runtime burns whatever lamports arrive; no key for it exists. */
export const INCINERATOR = address("1nc1nerator11111111111111111111111111111111");

/**
 * Raydium's Burn & Earn keeps locked CPMM shares under this address: the PDA of
 * `LockrWmn6K5twhz3y9w1dQERbmgSaRkfnTeTKbpofwE` with seed "lock_cp_authority_seed". Its program pays
 * out what a lock has earned in fees, and never the liquidity.
 */
export const RAYDIUM_LOCK_AUTHORITY = address("3f7GcQFG397GAaEnv51zR6tsTVihYRydnydDD1cXekxH");

/**
 * The same program's authority over locked CLMM positions: it holds their tokens.
 *
 * @see CLMM_LOCK_AUTH_ID in @raydium-io/raydium-sdk-v2
 */
const RAYDIUM_CLMM_LOCK_AUTHORITY = address("kN1kEznaF5Xbd8LYuqtEFcxzWSBk5Fv6ygX6SqEGJVy");

const LOCK_AUTHORITIES: readonly Address[] = [RAYDIUM_LOCK_AUTHORITY, RAYDIUM_CLMM_LOCK_AUTHORITY];

/** DAMM v1's LockEscrow: it too gives back fees and no liquidity. */
const LOCK_ESCROW = discriminator("be6a7906c8b6154b");

/** What becomes of shares that an owner holds. */
export type ShareOwnerKind =
  /** They can never be moved. */
  | "burned"
  /** A locker holds them that gives back fees alone. */
  | "locked"
  /** A program signs for the owner: what it allows is not known. */
  | "program"
  | "wallet";

/**
 * What the owner of a token account is, by its address and its own account, where that was read:
 * null where it does not exist, undefined if unknown.
 */
export function shareOwnerKind(
  owner: Address,
  account: Account | null | undefined,
): ShareOwnerKind {
  if (owner === INCINERATOR || owner === SYSTEM_PROGRAM) return "burned";
  if (LOCK_AUTHORITIES.includes(owner) || isLockEscrow(account)) return "locked";
  const bytes = addressBytes(owner);
  const isProgramOwned =
    account !== null && account !== undefined && account.owner !== SYSTEM_PROGRAM;
  return isProgramOwned || bytes === null || !isOnCurve(bytes) ? "program" : "wallet";
}

function isLockEscrow(account: Account | null | undefined): boolean {
  if (account === null || account === undefined || account.owner !== DAMM_V1_PROGRAM) return false;
  return new ByteReader(account.data).has(0, LOCK_ESCROW);
}
