import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import { edited } from "./byte-writer.ts";
import type { ShareTaker } from "./market-program.ts";
import { mintAccount, tokenAccount, withTokenAmount } from "./token-accounts.ts";

const SHARE_DECIMALS = 9;
const MINT_SUPPLY = 36;
const WHOLE_BPS = 10_000n;

type Entry = readonly [Address, Account];

export type NewShares = {
  readonly mint: Address;
  /** Shares that exist as tokens. */
  readonly minted: bigint;
  readonly mintAuthority: Address;
  readonly creator: Address;
  readonly takers: readonly ShareTaker[] | undefined;
  readonly slot: bigint;
};

/** A pool's share mint and the token accounts of the takers; the creator receives the other shares. */
export function issuedShares(shares: NewShares): readonly Entry[] {
  const { mint, minted, mintAuthority, creator, takers = [], slot } = shares;
  const supply = minted > 0n ? minted : 0n;
  const parts = takers.map(({ owner, bps }) => ({
    owner,
    amount: (supply * BigInt(bps)) / WHOLE_BPS,
  }));
  const given = parts.reduce((sum, { amount }) => sum + amount, 0n);
  return [
    [mint, mintAccount({ supply, decimals: SHARE_DECIMALS, mintAuthority, slot })],
    ...[{ owner: creator, amount: supply - given }, ...parts].map(
      ({ owner, amount }): Entry => [
        associatedTokenAddress(owner, mint),
        tokenAccount({ mint, owner, amount, slot }),
      ],
    ),
  ];
}

export type MovedShares = {
  readonly mint: Address;
  readonly owner: Address;
  /** The supply that the pool counts before. */
  readonly issued: bigint;
  /** The part that is removed; below zero: added. */
  readonly shareBps: number;
  readonly slot: bigint;
};

/** Burns the owner's shares for removed liquidity, as far as it has any, or mints shares for added liquidity. */
export function movedShares(
  known: AccountSet,
  { mint, owner, issued, shareBps, slot }: MovedShares,
): { readonly issued: bigint; readonly changes: readonly Entry[] } {
  const mintAccountBefore = known.get(mint);
  const supply = decodeMint(mintAccountBefore)?.supply ?? null;
  const address = associatedTokenAddress(owner, mint);
  const account = known.get(address);
  const held = tokenBalance(account);
  if (!mintAccountBefore || !account || supply === null || held === null) {
    return { issued, changes: [] };
  }
  const wanted = (issued * BigInt(shareBps)) / WHOLE_BPS;
  const burned = wanted > held ? held : wanted;
  const supplied = edited(mintAccountBefore, slot, (writer) =>
    writer.u64(MINT_SUPPLY, supply - burned),
  );
  return {
    issued: issued - burned,
    changes: [
      [mint, supplied],
      [address, withTokenAmount(account, held - burned, slot)],
    ],
  };
}
