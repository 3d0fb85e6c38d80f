import { createHash } from "node:crypto";
import type { Cell } from "./column-kinds.ts";

/**
 * The row count, and the sum of the rows' SHA-256 modulo 2^256. A sum is independent of the order of
 * rows, which differs between the databases for text keys.
 */
export type RowTally = { readonly rows: number; readonly checksum: bigint };

export const NO_ROWS: RowTally = { rows: 0, checksum: 0n };

const CHECKSUM_BITS = 256;

export function addRows(tally: RowTally, rows: readonly (readonly Cell[])[]): RowTally {
  let { checksum } = tally;
  for (const row of rows) checksum += rowDigest(row);
  return { rows: tally.rows + rows.length, checksum: BigInt.asUintN(CHECKSUM_BITS, checksum) };
}

export function isSameTally(one: RowTally, other: RowTally): boolean {
  return one.rows === other.rows && one.checksum === other.checksum;
}

export function checksumText(checksum: bigint): string {
  return checksum.toString(16).padStart(CHECKSUM_BITS / 4, "0");
}

export function parseChecksum(text: string): bigint {
  return BigInt(`0x${text}`);
}

/** Each value is preceded by its length, so that different rows have different bytes. */
function rowDigest(row: readonly Cell[]): bigint {
  const hash = createHash("sha256");
  for (const cell of row) {
    if (cell === null) {
      hash.update("null,");
      continue;
    }
    const bytes = typeof cell === "string" ? Buffer.from(cell) : cell;
    hash.update(`${bytes.length}:`);
    hash.update(bytes);
  }
  return BigInt(`0x${hash.digest("hex")}`);
}
