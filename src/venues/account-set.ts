import type { Address } from "#src/units/address.ts";

/** An on-chain account as it stood at a slot. Its bytes are hostile until decoded. */
export type Account = {
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The slot at which these bytes are known to hold. */
  readonly slot: bigint;
};

/**
 * What has been loaded: an account, `null` where it is known not to exist, `undefined` where nobody
 * has looked. The difference decides between a pool that is empty and one that is unknown.
 */
export type AccountSet = { readonly get: (address: Address) => Account | null | undefined };
