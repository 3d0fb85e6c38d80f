import { zstdCompressSync } from "node:zlib";
import { base58Encode } from "#src/units/base58.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { RpcError } from "./rpc-error.ts";

export type DataEncoding = "base58" | "base64" | "base64+zstd" | "jsonParsed";
export type DataSlice = { readonly offset: number; readonly length: number };

const MAX_BASE58_BYTES = 128;
/** The rent epoch of rent-exempt accounts: the largest u64, which no double can hold. */
const RENT_EPOCH = "18446744073709551615";

const CLOSED: Account = {
  owner: SYSTEM_PROGRAM,
  lamports: 0n,
  data: new Uint8Array(0),
  slot: 0n,
};

/** An account as a node prints it: JSON text, since lamports and rentEpoch are 64 bits wide. */
export function accountText(
  account: Account,
  encoding: DataEncoding | null,
  slice: DataSlice | null = null,
): string {
  const data = dataText(account.data, encoding, slice);
  return `{"lamports":${account.lamports},"data":${data},"owner":"${account.owner}","executable":false,"rentEpoch":${RENT_EPOCH},"space":${account.data.length}}`;
}

/** What a subscriber receives for a deleted account: no lamports, owned by the System program. */
export function closedAccountText(encoding: DataEncoding | null): string {
  return accountText(CLOSED, encoding);
}

function dataText(
  whole: Uint8Array,
  encoding: DataEncoding | null,
  slice: DataSlice | null,
): string {
  const data = slice === null ? whole : whole.subarray(slice.offset, slice.offset + slice.length);
  switch (encoding) {
    case null:
      return `"${base58Text(data)}"`;
    case "base58":
      return `["${base58Text(data)}","base58"]`;
    case "base64+zstd":
      return `["${zstdCompressSync(data).toString("base64")}","base64+zstd"]`;
    // A node without a parser for the owner's accounts answers base64 too.
    case "jsonParsed":
    case "base64":
      return `["${Buffer.from(data.buffer, data.byteOffset, data.length).toString("base64")}","base64"]`;
  }
}

function base58Text(data: Uint8Array): string {
  if (data.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      -32600,
      "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.",
    );
  }
  return base58Encode(data);
}
