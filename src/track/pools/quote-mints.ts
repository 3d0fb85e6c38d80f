import type { Address } from "#src/units/address.ts";
import { isStable, WSOL } from "#src/units/known-addresses.ts";
import type { PoolOutline } from "#src/venues/venue.ts";

/**
 * What comes out when `mint` is sold in a pool of this pair; null where the pair is unreadable or without the
 * mint. A stable as the token counts its SOL pools only.
 */
export function quoteMintFor(
  mint: Address,
  pair: Pick<PoolOutline, "mintA" | "mintB"> | null,
): Address | null {
  if (pair === null) return null;
  const other = pair.mintA === mint ? pair.mintB : pair.mintB === mint ? pair.mintA : null;
  if (other === null || other === mint) return null;
  return other === WSOL || !isStable(mint) ? other : null;
}

/** What the pool's vault of `mint` holds, or null where that is unknown. */
export function heldOf(pair: PoolOutline | null, mint: Address): bigint | null {
  if (pair === null) return null;
  return pair.mintA === mint ? pair.heldA : pair.mintB === mint ? pair.heldB : null;
}
