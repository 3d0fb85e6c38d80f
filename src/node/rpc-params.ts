import { type Address, addressBytes, parseAddress } from "#src/units/address.ts";
import { base58Decode } from "#src/units/base58.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { DataEncoding, DataSlice } from "./account-json.ts";
import { invalidParams } from "./rpc-error.ts";

const MAX_FILTERS = 4;
/** The largest number of bytes in one memcmp. */
const MAX_MEMCMP_BYTES = 128;
const ENCODINGS: readonly DataEncoding[] = ["base58", "base64", "base64+zstd", "jsonParsed"];

export type AccountConfig = {
  /** Null: no encoding requested, which means the old bare base58 string. */
  readonly encoding: DataEncoding | null;
  readonly dataSlice: DataSlice | null;
  readonly minContextSlot: number | null;
};

export type AccountFilter = (account: Account) => boolean;

export function addressParam(value: unknown): Address {
  if (value === undefined) throw invalidParams("`params` should have at least 1 argument(s)");
  if (typeof value !== "string") throw wrongType(value, "a string");
  const parsed = parseAddress(value);
  if (parsed !== null) return parsed;
  throw invalidParams(
    base58Decode(value) === null ? "Invalid param: Invalid" : "Invalid param: WrongSize",
  );
}

export function numberParam(value: unknown): number {
  if (value === undefined) throw invalidParams("`params` should have at least 1 argument(s)");
  if (!isWholeNumber(value)) throw wrongType(value, "u64");
  return value;
}

/** The optional last argument: an object, or nothing. */
export function configParam(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrongType(value, "a map");
  return { ...value };
}

export function accountConfigParam(value: unknown): AccountConfig {
  const config = configParam(value);
  return {
    encoding: encodingOf(config["encoding"]),
    dataSlice: dataSliceOf(config["dataSlice"]),
    minContextSlot: optionalNumber(config["minContextSlot"]),
  };
}

/** Up to four filters; an account must match all of them. */
export function filterParam(value: unknown): AccountFilter {
  if (value === undefined || value === null) return () => true;
  if (!Array.isArray(value)) throw wrongType(value, "a sequence");
  if (value.length > MAX_FILTERS) {
    throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  }
  const filters = value.map(oneFilter);
  return (account) => filters.every((filter) => filter(account));
}

function oneFilter(value: unknown): AccountFilter {
  if (value === "tokenAccountState") return (account) => account.data.length >= 165;
  const filter = configParam(value);
  if (filter["dataSize"] !== undefined) {
    const dataSize = numberParam(filter["dataSize"]);
    return ({ data }) => data.length === dataSize;
  }
  const { offset, bytes, encoding } = configParam(filter["memcmp"]);
  const start = numberParam(offset);
  const expected = memcmpBytes(bytes, encoding);
  return ({ data }) =>
    start + expected.length <= data.length &&
    expected.every((byte, index) => data[start + index] === byte);
}

function memcmpBytes(bytes: unknown, encoding: unknown): Uint8Array {
  if (Array.isArray(bytes)) return bounded(Uint8Array.from(bytes, Number));
  if (typeof bytes !== "string") throw wrongType(bytes, "a string");
  if (encoding === "base64") return bounded(Buffer.from(bytes, "base64"));
  const decoded = addressBytes(bytes) ?? base58Decode(bytes);
  if (decoded === null) throw invalidParams("Invalid param: unable to decode bytes");
  return bounded(decoded);
}

function bounded(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_MEMCMP_BYTES) throw invalidParams("Invalid param: data too large");
  return bytes;
}

function encodingOf(value: unknown): DataEncoding | null {
  if (value === undefined || value === null) return null;
  const found = ENCODINGS.find((encoding) => encoding === value);
  if (found === undefined) {
    throw invalidParams(
      `Invalid params: unknown variant \`${String(value)}\`, expected one of \`binary\`, \`base64\`, \`base58\`, \`jsonParsed\`, \`base64+zstd\`.`,
    );
  }
  return found;
}

function dataSliceOf(value: unknown): DataSlice | null {
  if (value === undefined || value === null) return null;
  const { offset, length } = configParam(value);
  return { offset: numberParam(offset), length: numberParam(length) };
}

function optionalNumber(value: unknown): number | null {
  return value === undefined || value === null ? null : numberParam(value);
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function wrongType(value: unknown, expected: string) {
  const kind = value === null ? "null" : Array.isArray(value) ? "sequence" : typeof value;
  return invalidParams(`Invalid params: invalid type: ${kind}, expected ${expected}.`);
}
