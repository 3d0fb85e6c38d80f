import { zstdDecompressSync } from "node:zlib";
import { decodeBase64 } from "#src/platform/base64.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import { type Address, bytesOf, parseAddress } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";
import { type AccountsRead, LARGEST_LISTED } from "../chain-source.ts";
import { RpcFailure } from "./rpc-failure.ts";

/** No Solana account holds more than 10 MiB (MAX_PERMITTED_DATA_LENGTH). */
const MAX_BASE64_LENGTH = 14 * 1024 * 1024;
const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;
const CLOCK_BYTES = 40;

export type ProgramAnswer = {
  readonly slot: bigint;
  readonly accounts: ReadonlyMap<Address, Account>;
};

/**
 * `getMultipleAccounts`.
 *
 * @throws RpcFailure unless it has one entry for each address, and if the Clock sysvar is among them and absent:
 * a node that has lost its state reports every account as absent
 */
export function parseMultipleAccounts(
  result: unknown,
  addresses: readonly Address[],
): AccountsRead {
  const { slot, value } = parseContext(result);
  if (!Array.isArray(value)) throw malformed("value is not a list");
  if (value.length !== addresses.length) {
    throw malformed(`${value.length} entries for ${addresses.length} addresses`);
  }
  const accounts = new Map<Address, Account | null>();
  for (const [index, address] of addresses.entries()) {
    const account = parseAccount(value[index], slot);
    if (account !== undefined) accounts.set(address, account);
  }
  if (accounts.get(CLOCK_SYSVAR) === null) throw malformed("no Clock sysvar");
  return { slot, accounts };
}

/**
 * `getProgramAccounts` with context. Accounts that do not match the filter are dropped: some nodes
 * ignore filters.
 *
 * @throws RpcFailure if an entry is malformed, because the list would be incomplete
 */
export function parseProgramAccounts(result: unknown, filter: ProgramFilter): ProgramAnswer {
  const { slot, value } = parseContext(result);
  if (!Array.isArray(value)) throw malformed("value is not a list");
  const accounts = new Map<Address, Account>();
  for (const entry of value) {
    const found = parseKeyedAccount(entry, slot);
    if (found === null) throw malformed("an entry is not an account");
    if (matchesFilter(found.account, filter)) accounts.set(found.address, found.account);
  }
  return { slot, accounts };
}

/** One page of `getProgramAccountsV2`; `nextKey` null: it is the last. */
export type ProgramPage = ProgramAnswer & { readonly nextKey: string | null };

/** `getProgramAccountsV2` with context. @throws RpcFailure as `parseProgramAccounts` does */
export function parseProgramPage(result: unknown, filter: ProgramFilter): ProgramPage {
  const { value } = parseContext(result);
  if (!isJsonObject(value) || !isJsonObject(result)) throw malformed("value is not a page");
  const { accounts, paginationKey } = value;
  const page = parseProgramAccounts({ context: result["context"], value: accounts }, filter);
  // Filters may empty a page: only a missing key, or a page without any account, is the end.
  const isLast =
    typeof paginationKey !== "string" || !Array.isArray(accounts) || accounts.length === 0;
  return { ...page, nextKey: isLast ? null : paginationKey };
}

/** `getSignaturesForAddress`, newest first: the first of a successful transaction; null: none. */
export function parseNewestSignature(result: unknown): string | null {
  if (!Array.isArray(result)) throw malformed("signatures are not a list");
  const entry: unknown = result.find((one: unknown) => isJsonObject(one) && one["err"] === null);
  const signature = isJsonObject(entry) ? entry["signature"] : null;
  return typeof signature === "string" ? signature : null;
}

/**
 * `getTokenLargestAccounts`: the addresses alone.
 *
 * @throws RpcFailure if an entry is malformed, because a holder would be missing
 */
export function parseLargestAccounts(result: unknown): readonly Address[] {
  const { value } = parseContext(result);
  if (!Array.isArray(value)) throw malformed("value is not a list");
  if (value.length > LARGEST_LISTED) throw malformed(`${value.length} largest accounts`);
  return value.map((entry: unknown) => {
    const text = isJsonObject(entry) ? entry["address"] : undefined;
    const address = typeof text === "string" ? parseAddress(text) : null;
    if (address === null) throw malformed("an entry is not a token account");
    return address;
  });
}

/** `{ pubkey, account }`; null: malformed. */
export function parseKeyedAccount(
  entry: unknown,
  slot: bigint,
): { readonly address: Address; readonly account: Account } | null {
  if (!isJsonObject(entry) || typeof entry["pubkey"] !== "string") return null;
  const address = parseAddress(entry["pubkey"]);
  const account = parseAccount(entry["account"], slot);
  return address === null || account === null || account === undefined
    ? null
    : { address, account };
}

/** An account in base64 encoding, compressed or not; null: it does not exist; undefined: the entry is malformed. */
export function parseAccount(entry: unknown, slot: bigint): Account | null | undefined {
  if (entry === null) return null;
  if (!isJsonObject(entry)) return undefined;
  const { owner, lamports, data } = entry;
  if (typeof owner !== "string" || !isWholeNumber(lamports) || !Array.isArray(data)) {
    return undefined;
  }
  const ownerAddress = parseOwner(owner);
  const bytes = parseData(data);
  if (ownerAddress === null || bytes === undefined) return undefined;
  // A closed account is notified with no lamports and the system program as its owner.
  if (lamports === 0) return null;
  return { owner: ownerAddress, lamports: BigInt(lamports), data: bytes, slot };
}

/** Owners parsed recently. Owners are few, and parsing each one took most of the time of a large answer. */
const recentOwners = new BoundedMap<string, Address>(256);

function parseOwner(text: string): Address | null {
  const recent = recentOwners.get(text);
  if (recent !== undefined) return recent;
  const owner = parseAddress(text);
  if (owner !== null) recentOwners.set(text, owner);
  return owner;
}

/** `{ context: { slot }, value }`. @throws RpcFailure for any other shape */
export function parseContext(result: unknown): { readonly slot: bigint; readonly value: unknown } {
  const context = isJsonObject(result) ? result["context"] : undefined;
  const slot = isJsonObject(context) ? context["slot"] : undefined;
  if (!isJsonObject(result) || !isWholeNumber(slot)) throw malformed("no context slot");
  return { slot: BigInt(slot), value: result["value"] };
}

/** The Clock sysvar; null: not its size. */
export function parseClock(data: Uint8Array): Clock | null {
  if (data.length !== CLOCK_BYTES) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    slot: view.getBigUint64(0, true),
    epoch: view.getBigUint64(16, true),
    unixTimestamp: view.getBigInt64(32, true),
  };
}

/** Whether an account matches the filter. */
export function matchesFilter(account: Account, filter: ProgramFilter): boolean {
  if (account.owner !== filter.programId) return false;
  if (filter.dataSize !== null && account.data.length !== filter.dataSize) return false;
  return filter.memcmp.every(({ offset, bytes }) => {
    const expected = typeof bytes === "string" ? bytesOf(bytes) : bytes;
    if (offset + expected.length > account.data.length) return false;
    return expected.every((byte, index) => account.data[offset + index] === byte);
  });
}

export function malformed(detail: string): RpcFailure {
  return new RpcFailure({ kind: "malformed", detail });
}

export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseData([text, encoding]: readonly unknown[]): Uint8Array | undefined {
  if (typeof text !== "string" || text.length > MAX_BASE64_LENGTH) return undefined;
  try {
    if (encoding === "base64") return decodeBase64(text);
    if (encoding !== "base64+zstd") return undefined;
    return zstdDecompressSync(decodeBase64(text), { maxOutputLength: MAX_ACCOUNT_BYTES });
  } catch {
    // Neither base64 nor zstd, or too long: the caller treats the account as malformed.
    return undefined;
  }
}
