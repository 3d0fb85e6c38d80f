import type { Address } from "#src/units/address.ts";

/** Why a holder is not counted among those who may sell. */
export type ExclusionReason =
  /** A pool's vault: its tokens are what the pool trades with. */
  | "pool"
  /** A launchpad's curve. */
  | "curve"
  /** An address without a signer. */
  | "burned"
  /** A locker that does not return its tokens, or not yet. */
  | "locker"
  /** A program signs for it: a farm, a vesting, a locker, a treasury. What it allows is not known. */
  | "program"
  /** The mint's authority froze the account. */
  | "frozen";

export type TokenHolder = { readonly owner: Address; readonly baseUnits: bigint };

/** Why it is not known who holds the token. */
export type TokenHoldersReason =
  /** The node refused to list the holders, or could not be reached. */
  | "holders-not-read"
  /** The list contradicts the mint. */
  | "holders-do-not-add-up";

export type TokenHolders =
  | {
      readonly kind: "known";
      readonly supply: bigint;
      /** Who may sell, by owner, the largest first. */
      readonly sellers: readonly TokenHolder[];
      readonly excluded: readonly (TokenHolder & { readonly reason: ExclusionReason })[];
      /** Held in accounts that the node did not list: each smaller than any of the listed ones. */
      readonly unlisted: bigint;
      readonly slot: bigint;
    }
  | { readonly kind: "unknown"; readonly reason: TokenHoldersReason };
