import { ByteWriter } from "#demo/byte-writer.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { RangedShares } from "#src/venues/liquidity-shares.ts";
import type { RangedPosition, TakenPositions } from "#src/venues/quotable-pool.ts";
import type { PositionLayout } from "#src/venues/shared/tick-positions.ts";
import type { Position } from "./clmm-pools.ts";
import { testAddress } from "./raydium-pools.ts";

/** A tick pool's position in the program's layout, with a token of its own. */
export function positionAccount(
  layout: PositionLayout,
  pool: Address,
  { lower, upper, liquidity, token }: Position & { readonly token: Address },
): Account {
  const writer = new ByteWriter(new Uint8Array(layout.length))
    .raw(0, layout.discriminator)
    .address(layout.pool, pool)
    .address(layout.token, token)
    .i32(layout.lower, lower)
    .i32(layout.upper, upper)
    .u128(layout.liquidity, liquidity);
  return { owner: layout.programId, lamports: 1n, data: writer.bytes, slot: 1n };
}

/** The positions as the venue decodes them; fails where it refuses one. */
export function decodePositions(
  shares: RangedShares,
  layout: PositionLayout,
  { pool, positions }: { readonly pool: Address; readonly positions: readonly Position[] },
): readonly RangedPosition[] {
  return positions.map((position, place) => {
    const token = testAddress(200 + place);
    const decoded = shares.decode(positionAccount(layout, pool, { ...position, token }));
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
