import { positionAccount } from "#demo/nested-positions.ts";
import type { Address } from "#src/units/address.ts";
import type { RangedShares } from "#src/venues/liquidity-shares.ts";
import type { RangedPosition, TakenPositions } from "#src/venues/quotable-pool.ts";
import type { PositionLayout } from "#src/venues/shared/tick-positions.ts";
import type { Position } from "./clmm-pools.ts";
import { testAddress } from "./raydium-pools.ts";

/** The positions as the venue decodes them; fails where it refuses one. */
export function decodePositions(
  shares: RangedShares,
  layout: PositionLayout,
  { pool, positions }: { readonly pool: Address; readonly positions: readonly Position[] },
): readonly RangedPosition[] {
  return positions.map((position, place) => {
    const token = testAddress(200 + place);
    const decoded = shares.decode(positionAccount(layout, { ...position, pool, token, slot: 1n }));
    if (decoded === null) throw new Error(`position ${place} is not decoded`);
    return decoded;
  });
}

/** Every other position of all, as one owner's. */
export function everyOther(shares: RangedShares, all: readonly RangedPosition[]): TakenPositions {
  const totals = shares.addUp(all);
  if (totals === null) throw new Error("the positions do not add up");
  return { positions: all.filter((_, place) => place % 2 === 0), totals };
}
