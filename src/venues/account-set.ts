import type { Address } from "#src/units/address.ts";

/** An on-chain account at a slot. Its bytes are hostile until decoded. */
export type Account = {
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The slot at which these bytes are known to hold. */
  readonly slot: bigint;
};

/**
 * Loaded accounts: an account, `null` where it is known not to exist, `undefined` where it was not
 * read. The difference decides between an empty pool and an unknown one.
 */
export type AccountSet = { readonly get: (address: Address) => Account | null | undefined };
