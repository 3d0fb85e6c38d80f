import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { PositionLayout } from "#src/venues/shared/tick-positions.ts";
import { ByteWriter, edited } from "./byte-writer.ts";
import type { LiquidityTick } from "./concentrated-positions.ts";
import { mintAccount, tokenAccount } from "./token-accounts.ts";

type Entry = readonly [Address, Account];

type NewPositions = {
  readonly pool: Address;
  readonly owner: Address;
  /** Ascending: the ends of positions that lie in each other. */
  readonly ticks: readonly LiquidityTick[];
  readonly slot: bigint;
};

/** The positions of a tick pool, each with the mint of its token and the account that holds the token. */
export function nestedPositions(
  layout: PositionLayout,
  { pool, owner, ticks, slot }: NewPositions,
): readonly Entry[] {
  return rangesOf(ticks).flatMap(({ lower, upper, liquidity }, place): Entry[] => {
    const token = derived(layout, pool, `demo token ${place}`);
    const held = { mint: token, owner, amount: 1n, slot };
    const position = { pool, token, lower, upper, liquidity, slot };
    return [
      [positionAddress(layout, pool, place), positionAccount(layout, position)],
      [token, mintAccount({ supply: 1n, decimals: 0, slot })],
      [derived(layout, pool, `demo holder ${place}`), tokenAccount(held)],
    ];
  });
}

/** A position in the program's layout; its fees and rewards are zero. */
export function positionAccount(
  layout: PositionLayout,
  {
    pool,
    token,
    lower,
    upper,
    liquidity,
    slot,
  }: {
    readonly pool: Address;
    readonly token: Address;
    readonly lower: number;
    readonly upper: number;
    readonly liquidity: bigint;
    readonly slot: bigint;
  },
): Account {
  const writer = new ByteWriter(new Uint8Array(layout.length))
    .raw(0, layout.discriminator)
    .address(layout.pool, pool)
    .address(layout.token, token)
    .i32(layout.lower, lower)
    .i32(layout.upper, upper)
    .u128(layout.liquidity, liquidity);
  return { owner: layout.programId, lamports: 2_846_640n, data: writer.bytes, slot };
}

/** The same positions with the liquidity that the ticks have now. */
export function changedPositions(
  layout: PositionLayout,
  known: AccountSet,
  { pool, ticks, slot }: Omit<NewPositions, "owner">,
): readonly Entry[] {
  return rangesOf(ticks).flatMap(({ liquidity }, place): Entry[] => {
    const address = positionAddress(layout, pool, place);
    const account = known.get(address);
    if (!account) return [];
    return [[address, edited(account, slot, (writer) => writer.u128(layout.liquidity, liquidity))]];
  });
}

/** The outermost first: its ends are the first tick and the last one. */
function rangesOf(ticks: readonly LiquidityTick[]) {
  return ticks.slice(0, ticks.length / 2).map(({ tick, liquidityNet }, place) => ({
    lower: tick,
    upper: ticks[ticks.length - 1 - place]?.tick ?? tick,
    liquidity: liquidityNet,
  }));
}

function positionAddress(layout: PositionLayout, pool: Address, place: number): Address {
  return derived(layout, pool, `demo position ${place}`);
}

function derived({ programId }: PositionLayout, pool: Address, name: string): Address {
  return findProgramAddress([name, { address: pool }], programId);
}
