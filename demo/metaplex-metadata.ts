import { type Address, address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteWriter } from "./byte-writer.ts";

const PROGRAM_ID = address("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s");
const METADATA_V1 = 4;
const LENGTH = 607;
/** Texts are stored padded with zeros to these lengths. */
const NAME_LENGTH = 32;
const SYMBOL_LENGTH = 10;
const URI_LENGTH = 200;

export type MetaplexFields = {
  readonly mint: Address;
  readonly name: string;
  readonly symbol: string;
  readonly slot: bigint;
};

/** The Metaplex metadata account, which contains a classic mint's name and symbol. */
export function metaplexMetadata(fields: MetaplexFields): {
  readonly address: Address;
  readonly account: Account;
} {
  const { mint, name, symbol, slot } = fields;
  const seeds = ["metadata", { address: PROGRAM_ID }, { address: mint }];
  const writer = new ByteWriter(new Uint8Array(LENGTH)).u8(0, METADATA_V1).address(33, mint);
  let offset = 65;
  for (const [text, length] of [
    [name, NAME_LENGTH],
    [symbol, SYMBOL_LENGTH],
    ["", URI_LENGTH],
  ] as const) {
    writer.u32(offset, length).raw(offset + 4, new TextEncoder().encode(text).subarray(0, length));
    offset += 4 + length;
  }
  return {
    address: findProgramAddress(seeds, PROGRAM_ID),
    account: { owner: PROGRAM_ID, lamports: 15_115_600n, data: writer.bytes, slot },
  };
}
