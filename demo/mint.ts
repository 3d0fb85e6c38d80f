import type { AccountChanges } from "#src/node/ledger.ts";
import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteWriter } from "./byte-writer.ts";
import { metaplexMetadata } from "./metaplex-metadata.ts";
import { mintAccount } from "./token-accounts.ts";

const DEMO_DECIMALS = 6;
/** A thousand million whole tokens, as launchpads make them. */
export const DEMO_SUPPLY = 1_000_000_000n * 10n ** BigInt(DEMO_DECIMALS);

const PLAIN_LENGTH = 82;
const ACCOUNT_TYPE = 165;
const MINT_TYPE = 1;
const EXTENSIONS = 166;
const METADATA_POINTER = 18;
const TOKEN_METADATA = 19;

export type DemoMint = {
  readonly kind: "classic" | "token-2022";
  readonly mint: Address;
  readonly name: string;
  readonly symbol: string;
  /** Basis points of each transfer that the token itself takes; 0: no such extension. */
  readonly transferFeeBps: number;
  readonly slot: bigint;
};

/** The mint, and for a classic one the metadata account that names it. */
export function demoMintAccounts(fields: DemoMint): AccountChanges {
  if (fields.kind === "token-2022") return new Map([[fields.mint, extendedMint(fields)]]);
  const { mint, slot } = fields;
  const metadata = metaplexMetadata(fields);
  return new Map([
    [mint, mintAccount({ supply: DEMO_SUPPLY, decimals: DEMO_DECIMALS, slot })],
    [metadata.address, metadata.account],
  ]);
}

/** A Token-2022 mint that carries its own name and symbol. */
function extendedMint(fields: DemoMint): Account {
  const { transferFeeBps, slot } = fields;
  const fee = { epoch: 0n, maximum: DEMO_SUPPLY, feeBps: transferFeeBps };
  const plain = mintAccount({
    supply: DEMO_SUPPLY,
    decimals: DEMO_DECIMALS,
    slot,
    ...(transferFeeBps === 0 ? {} : { transferFee: { older: fee, newer: fee } }),
  });
  const metadata = metadataBody(fields);
  const start = Math.max(plain.data.length, EXTENSIONS);
  const end = start + 4 + 64 + 4 + metadata.length;
  const data = new Uint8Array(end);
  data.set(plain.data.subarray(0, Math.max(PLAIN_LENGTH, plain.data.length)));
  new ByteWriter(data)
    .u8(ACCOUNT_TYPE, MINT_TYPE)
    .u16(start, METADATA_POINTER)
    .u16(start + 2, 64)
    .address(start + 4 + 32, fields.mint)
    .u16(start + 68, TOKEN_METADATA)
    .u16(start + 70, metadata.length)
    .raw(start + 72, metadata);
  return { owner: TOKEN_2022_PROGRAM, lamports: 4_000_000n, data, slot };
}

/** Update authority (none), mint, then name, symbol and uri as u32 length and bytes, and no more fields. */
function metadataBody({ mint, name, symbol }: DemoMint): Uint8Array {
  const texts = [name, symbol, ""].map((text) => new TextEncoder().encode(text));
  const length = texts.reduce((sum, text) => sum + 4 + text.length, 64 + 4);
  const writer = new ByteWriter(new Uint8Array(length)).address(32, mint);
  let offset = 64;
  for (const text of texts) {
    writer.u32(offset, text.length).raw(offset + 4, text);
    offset += 4 + text.length;
  }
  return writer.bytes;
}
