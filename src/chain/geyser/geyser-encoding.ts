import type { SubscribeRequest } from "@triton-one/yellowstone-grpc";

/** Tags of geyser.proto: field number and wire type 2 (length, then bytes). */
const ACCOUNTS_OF_REQUEST = tag(1);
const NAME_OF_FILTER = tag(1);
const FILTER = tag(2);
const ACCOUNT_OF_FILTER = tag(2);
/** An address has at most 44 characters, so its length fits in one byte. */
const HEAD_BYTES = 2;

/**
 * The request as bytes. Filters with many accounts are encoded here, because the package's encoder takes two
 * microseconds for each address, and a request of a large stream has tens of thousands.
 */
export function encodeRequest(
  request: SubscribeRequest,
  encode: (request: SubscribeRequest) => Uint8Array,
): Buffer {
  const filters = Object.entries(request.accounts);
  const isPlain = ([, filter]: (typeof filters)[number]): boolean =>
    filter.account.length > 0 &&
    Object.entries(filter).every(
      ([name, value]) =>
        name === "account" || value === undefined || (Array.isArray(value) && value.length === 0),
    );
  const others = Object.fromEntries(filters.filter((entry) => !isPlain(entry)));
  return Buffer.concat([
    encode({ ...request, accounts: others }),
    ...filters
      .filter(isPlain)
      .map(([name, { account }]) => field(ACCOUNTS_OF_REQUEST, filterEntry(name, account))),
  ]);
}

function filterEntry(name: string, addresses: readonly string[]): Buffer {
  const length = addresses.reduce((sum, address) => sum + HEAD_BYTES + address.length, 0);
  const filter = Buffer.allocUnsafe(length);
  let at = 0;
  for (const address of addresses) {
    filter[at++] = ACCOUNT_OF_FILTER;
    filter[at++] = address.length;
    at += filter.write(address, at, "latin1");
  }
  return Buffer.concat([field(NAME_OF_FILTER, Buffer.from(name)), field(FILTER, filter)]);
}

function field(head: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(head, ...varint(bytes.length)), bytes]);
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
}

function tag(fieldNumber: number): number {
  return (fieldNumber << 3) | 2;
}
