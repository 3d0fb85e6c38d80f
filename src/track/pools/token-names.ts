import type { TokenNames } from "#src/store/tokens.ts";
import { type Address, address, addressFromBytes } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";

const METADATA_PROGRAM = address("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s");
const METADATA_V1 = 4;
const MINT_AT = 33;
const NAME_AT = 65;
/** Lengths that token lists show; Metaplex itself allows 32 and 10 bytes, Token-2022 any length. */
const LONGEST = { name: 64, symbol: 24 } as const;

export const NO_NAMES: TokenNames = { name: null, symbol: null };

/** The address of the Metaplex metadata account of a mint. */
export function metadataAddress(mint: Address): Address {
  const seeds = ["metadata", { address: METADATA_PROGRAM }, { address: mint }];
  return findProgramAddress(seeds, METADATA_PROGRAM);
}

/**
 * Name and symbol from the mint's own metadata, or else from its Metaplex account: untrusted text, cut to length,
 * without control characters.
 */
export function tokenNames(
  mint: { readonly address: Address; readonly facts: Mint | null },
  metadata: Account | null | undefined,
): TokenNames {
  const found = mint.facts?.metadata ?? decodeMetadata(metadata, mint.address);
  if (found === null) return NO_NAMES;
  return {
    name: cleanText(found.name, LONGEST.name),
    symbol: cleanText(found.symbol, LONGEST.symbol),
  };
}

/**
 * Name and symbol from a Metaplex metadata account of this mint; null if it is not one.
 *
 * @see https://github.com/metaplex-foundation/mpl-token-metadata (state/metadata.rs)
 */
function decodeMetadata(
  account: Account | null | undefined,
  mint: Address,
): { readonly name: string; readonly symbol: string } | null {
  if (account === null || account === undefined || account.owner !== METADATA_PROGRAM) return null;
  const { data } = account;
  if (data[0] !== METADATA_V1 || !isMint(data, mint)) return null;
  const name = readText(data, NAME_AT);
  if (name === null) return null;
  const symbol = readText(data, name.end);
  return symbol === null ? null : { name: name.text, symbol: symbol.text };
}

function isMint(data: Uint8Array, mint: Address): boolean {
  return data.length >= NAME_AT && addressFromBytes(data, MINT_AT) === mint;
}

/** A length of four bytes, then that many bytes of UTF-8. */
function readText(data: Uint8Array, offset: number) {
  if (offset + 4 > data.length) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const end = offset + 4 + view.getUint32(offset, true);
  if (end > data.length) return null;
  return { text: new TextDecoder().decode(data.subarray(offset + 4, end)), end };
}

/** Removes padding, control characters and marks that change the direction of text. */
function cleanText(text: string, longest: number): string | null {
  const printable = text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "").trim();
  const cut = [...printable].slice(0, longest).join("").trim();
  return cut === "" ? null : cut;
}
