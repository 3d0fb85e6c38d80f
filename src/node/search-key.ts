import { type Address, bytesOf } from "#src/units/address.ts";
import { base58Decode } from "#src/units/base58.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";

/** Identifies a search by its filters, independent of their order and encoding. */
export type SearchKey = string & { readonly __brand: "SearchKey" };

export function searchKeyOf(filter: ProgramFilter): SearchKey {
  const parts = filter.memcmp.map(({ offset, bytes }) =>
    comparePart(offset, typeof bytes === "string" ? bytesOf(bytes) : bytes),
  );
  if (filter.dataSize !== null) parts.push(sizePart(filter.dataSize));
  return keyOf(filter.programId, parts);
}

/** The key of the filters of a getProgramAccounts request, which must be valid. */
export function searchKeyOfRequest(programId: Address, filters: unknown): SearchKey {
  const parts = (Array.isArray(filters) ? filters : []).map((filter) => {
    if (filter.dataSize !== undefined) return sizePart(filter.dataSize);
    const { offset, bytes, encoding } = filter.memcmp;
    if (encoding === "base64") return comparePart(offset, Buffer.from(bytes, "base64"));
    return comparePart(offset, typeof bytes === "string" ? base58Decode(bytes) : bytes);
  });
  return keyOf(programId, parts);
}

function keyOf(programId: Address, parts: readonly string[]): SearchKey {
  return [programId, ...parts.toSorted()].join(" ") as SearchKey;
}

function sizePart(size: number): string {
  return `size:${size}`;
}

function comparePart(offset: number, bytes: Uint8Array | null): string {
  return `${offset}:${Buffer.from(bytes ?? []).toString("hex")}`;
}
