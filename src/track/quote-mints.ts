import type { Address } from "#src/units/address.ts";
import { STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { PoolOutline } from "#src/venues/venue.ts";

const STABLES: ReadonlySet<Address> = new Set(STABLE_MINTS);

/** Whether the mint is a stable whose pools reach SOL through a second hop. */
export function isStable(mint: Address): boolean {
  return STABLES.has(mint);
}

/**
 * What comes out when `mint` is sold in a pool of this pair, or null where that is nothing we count:
 * neither SOL nor a stable, or a pair without the mint. A stable as the token counts its SOL pools only.
 */
export function quoteMintFor(
  mint: Address,
  pair: Pick<PoolOutline, "mintA" | "mintB">,
): Address | null {
  const other = pair.mintA === mint ? pair.mintB : pair.mintB === mint ? pair.mintA : null;
  if (other === null || other === mint) return null;
  if (other === WSOL) return WSOL;
  return isStable(other) && !isStable(mint) ? other : null;
}

/** What the pool's vault of `quoteMint` holds, or null where that is unknown. */
export function heldOf(pair: PoolOutline | null, quoteMint: Address): bigint | null {
  if (pair === null) return null;
  return pair.mintA === quoteMint ? pair.heldA : pair.mintB === quoteMint ? pair.heldB : null;
}
