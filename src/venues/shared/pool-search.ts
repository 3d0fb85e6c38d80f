import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { isStable, STABLE_MINTS, WSOL } from "#src/units/known-addresses.ts";
import type { ProgramFilter } from "../venue.ts";

/** How getProgramAccounts finds a program's pools: size, discriminator and the offsets of both mints. */
export type PairFields = {
  readonly programId: Address;
  /** Null where pools of several lengths exist. */
  readonly dataSize: number | null;
  readonly discriminator: Uint8Array | null;
  readonly mintA: number;
  readonly mintB: number;
};

/** One query for each side of the pair, narrowed to pools against `pairedWith` where that is given. */
export function pairFilters(
  fields: PairFields,
  mint: Address,
  pairedWith: Address | null,
): readonly ProgramFilter[] {
  const { programId, dataSize, discriminator, mintA, mintB } = fields;
  const filter = (own: number, other: number): ProgramFilter => ({
    programId,
    dataSize,
    memcmp: [
      ...(discriminator === null ? [] : [{ offset: 0, bytes: discriminator }]),
      { offset: own, bytes: mint },
      ...(pairedWith === null ? [] : [{ offset: other, bytes: pairedWith }]),
    ],
  });
  return [filter(mintA, mintB), filter(mintB, mintA)];
}

/** Mints that pools of `mint` are derived against: `pairedWith`, or SOL and the stables. */
export function partnersOf(
  mint: Address,
  pairedWith: Address | null,
  usual: readonly Address[] = [WSOL, ...STABLE_MINTS],
): readonly Address[] {
  return (pairedWith === null ? usual : [pairedWith]).filter((partner) => partner !== mint);
}

/** What holders sell for: SOL before a stable, and a stable before any other token. */
export function moneyRank(mint: Address): number {
  if (mint === WSOL) return 2;
  return isStable(mint) ? 1 : 0;
}

/** Both mints by their bytes, the lesser first. */
export function ascendingMints(a: Address, b: Address): readonly [Address, Address] {
  return compareAddressBytes(a, b) < 0 ? [a, b] : [b, a];
}
