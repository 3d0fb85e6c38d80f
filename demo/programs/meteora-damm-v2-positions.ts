import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import {
  POSITION,
  POSITION_DISCRIMINATOR,
  POSITION_LENGTH,
  PROGRAM_ID,
} from "#src/venues/meteora-damm-v2/layout.ts";
import { positionAddress, positionTokenAccount } from "#src/venues/meteora-damm-v2/positions.ts";
import { ByteWriter, edited } from "../byte-writer.ts";
import { mintAccount, tokenAccount } from "../token-accounts.ts";

const WHOLE_BPS = 10_000n;

export type NewPosition = {
  readonly pool: Address;
  readonly owner: Address;
  readonly liquidity: bigint;
  /** The part that is locked permanently. */
  readonly lockedBps: number;
  readonly slot: bigint;
};

/** The first position of a pool, the mint of its token, and the account that holds the token. */
export function firstPosition(position: NewPosition): readonly (readonly [Address, Account])[] {
  const { pool, owner, liquidity, lockedBps, slot } = position;
  const token = firstPositionToken(pool);
  const locked = (liquidity * BigInt(lockedBps)) / WHOLE_BPS;
  const writer = new ByteWriter(new Uint8Array(POSITION_LENGTH))
    .raw(0, POSITION_DISCRIMINATOR)
    .address(POSITION.pool, pool)
    .address(POSITION.nftMint, token)
    .u128(POSITION.unlockedLiquidity, liquidity - locked)
    .u128(POSITION.permanentLockedLiquidity, locked);
  const held = { mint: token, owner, amount: 1n, program: TOKEN_2022_PROGRAM, slot };
  return [
    [positionAddress(token), { owner: PROGRAM_ID, lamports: 3_730_560n, data: writer.bytes, slot }],
    [token, { ...mintAccount({ supply: 1n, decimals: 0, slot }), owner: TOKEN_2022_PROGRAM }],
    [positionTokenAccount(token), tokenAccount(held)],
  ];
}

/** The first position with `delta` added to its unlocked liquidity, which never falls below 0. */
export function movedFirstPosition(
  known: AccountSet,
  pool: Address,
  delta: bigint,
  slot: bigint,
): readonly (readonly [Address, Account])[] {
  const address = positionAddress(firstPositionToken(pool));
  const account = known.get(address);
  if (!account) return [];
  const unlocked = new ByteReader(account.data).u128(POSITION.unlockedLiquidity) + delta;
  const position = edited(account, slot, (writer) =>
    writer.u128(POSITION.unlockedLiquidity, unlocked > 0n ? unlocked : 0n),
  );
  return [[address, position]];
}

/** Replaces the keypair that creates a position's token. */
function firstPositionToken(pool: Address): Address {
  return findProgramAddress(["demo position", { address: pool }], PROGRAM_ID);
}
