import type { Address } from "#src/units/address.ts";
import { findProgramAddress, i64LeSeed, type Seed, u16LeSeed } from "#src/units/program-address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import { type AccountKind, readOwn } from "../shared/own-account.ts";
import { ascendingMints } from "../shared/pool-search.ts";
import { binArrayIndex } from "./bin-price.ts";
import { type Bitmap, markedArrays } from "./bitmap.ts";
import { BITMAP_EXTENSION, DLMM_PROGRAM, ILM_BASE, LB_PAIR } from "./layout.ts";
import type { DlmmParameters } from "./state.ts";

/**
 * Bin arrays that a swap is given per direction. The program itself sets no number; a transaction's
 * compute budget ends a swap after three full arrays, or rather more sparse ones.
 */
const ARRAYS_PER_DIRECTION = 12;

const PAIR_KIND = kindOf(LB_PAIR);
const EXTENSION_KIND = kindOf(BITMAP_EXTENSION);

/** Fields of a pair, or null where the account is none of this program. */
export function readPair(account: Account | null | undefined): ByteReader | null {
  return readOwn(account, PAIR_KIND);
}

/** Fields of a bitmap extension, or null where the account is none. */
export function readBitmapExtension(account: Account | null | undefined): ByteReader | null {
  return readOwn(account, EXTENSION_KIND);
}

export function kindOf(layout: {
  readonly discriminator: Uint8Array;
  readonly length: number;
}): AccountKind {
  return {
    programId: DLMM_PROGRAM,
    discriminator: layout.discriminator,
    length: layout.length,
  };
}

/** Where the pair of two mints is that a launch makes. */
export function launchPairAddress(mintA: Address, mintB: Address): Address {
  return findProgramAddress([{ address: ILM_BASE }, ...mintSeeds(mintA, mintB)], DLMM_PROGRAM);
}

/** Where the pair of two mints is that was made from a preset. */
export function presetPairAddress(
  mintA: Address,
  mintB: Address,
  { binStep, baseFactor }: Pick<DlmmParameters, "binStep" | "baseFactor">,
): Address {
  const seeds = [...mintSeeds(mintA, mintB), u16LeSeed(binStep), u16LeSeed(baseFactor)];
  return findProgramAddress(seeds, DLMM_PROGRAM);
}

/** Two mints in the program's order: as big-endian numbers of 32 bytes. */
function mintSeeds(a: Address, b: Address): readonly Seed[] {
  return ascendingMints(a, b).map((address) => ({ address }));
}

const extensionAddresses = new DerivedAddresses(16_384, (pair) =>
  findProgramAddress(["bitmap", { address: pair }], DLMM_PROGRAM),
);
const binArrayAddresses = new DerivedAddresses(65_536, (pair, index) =>
  findProgramAddress(["bin_array", { address: pair }, i64LeSeed(BigInt(index))], DLMM_PROGRAM),
);

/** Where the bitmap extension of a pair is, if it has one. */
export function bitmapExtensionAddress(pair: Address): Address {
  return extensionAddresses.get(pair, 0);
}

/** Where a bin array of a pair is. */
export function binArrayAddress(pair: Address, index: number): Address {
  return binArrayAddresses.get(pair, index);
}

/** Bin arrays that swaps from the active bin visit, by index, nearest first; the active one is in both. */
export type ArraysInReach = { readonly down: readonly number[]; readonly up: readonly number[] };

/** The bin arrays that the bitmap marks, as far as one swap reaches. */
export function arraysInReach(bitmap: Bitmap): ArraysInReach {
  const active = binArrayIndex(bitmap.pair.i32(LB_PAIR.activeId));
  return {
    down: markedArrays(bitmap, active, "down", ARRAYS_PER_DIRECTION),
    up: markedArrays(bitmap, active, "up", ARRAYS_PER_DIRECTION),
  };
}

/** Addresses that a quote needs, as far as the loaded accounts determine them. See `Venue.accountsNeeded`. */
export function accountsNeeded(pool: Address, known: AccountSet): readonly Address[] {
  const pair = readPair(known.get(pool));
  if (pair === null) return [pool];
  const extensionAddress = bitmapExtensionAddress(pool);
  const extension = readBitmapExtension(known.get(extensionAddress));
  const { down, up } = arraysInReach({ pair, extension });
  return [
    pool,
    pair.address(LB_PAIR.tokenXMint),
    pair.address(LB_PAIR.tokenYMint),
    pair.address(LB_PAIR.reserveX),
    pair.address(LB_PAIR.reserveY),
    extensionAddress,
    ...[...new Set([...down, ...up])].map((index) => binArrayAddress(pool, index)),
  ];
}
