import { type Address, addressBytes, parseAddress } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";
import { LARGEST_LISTED } from "./chain-source.ts";
import { isRecord } from "./json-rpc-client.ts";
import { RpcFailure } from "./rpc-failure.ts";

/** No Solana account holds more than 10 MiB (MAX_PERMITTED_DATA_LENGTH). */
const MAX_BASE64_LENGTH = 14 * 1024 * 1024;
const CLOCK_BYTES = 40;

export type AccountsAnswer = {
  readonly slot: bigint;
  /** An entry of the wrong shape is missing: unknown, not absent. */
  readonly accounts: ReadonlyMap<Address, Account | null>;
};

export type ProgramAnswer = {
  readonly slot: bigint;
  readonly accounts: ReadonlyMap<Address, Account>;
};

/** `getMultipleAccounts`. @throws RpcFailure where it does not have an entry for each address */
export function parseMultipleAccounts(
  result: unknown,
  addresses: readonly Address[],
): AccountsAnswer {
  const { slot, value } = parseContext(result);
  if (!Array.isArray(value)) throw garbage("value is no list");
  if (value.length !== addresses.length) {
    throw garbage(`${value.length} entries for ${addresses.length} addresses`);
  }
  const accounts = new Map<Address, Account | null>();
  for (const [index, address] of addresses.entries()) {
    const account = parseAccount(value[index], slot);
    if (account !== undefined) accounts.set(address, account);
  }
  return { slot, accounts };
}

/**
 * `getProgramAccounts` with context. An account that does not match the filter is dropped: some
 * nodes take a filter for a hint.
 *
 * @throws RpcFailure where an entry can't be read: a list with holes is no complete answer
 */
export function parseProgramAccounts(result: unknown, filter: ProgramFilter): ProgramAnswer {
  const { slot, value } = parseContext(result);
  if (!Array.isArray(value)) throw garbage("value is no list");
  const accounts = new Map<Address, Account>();
  for (const entry of value) {
    const found = parseKeyedAccount(entry, slot);
    if (found === null) throw garbage("an entry that is no account");
    if (matchesFilter(found.account, filter)) accounts.set(found.address, found.account);
  }
  return { slot, accounts };
}

/**
 * `getTokenLargestAccounts`: the addresses alone.
 *
 * @throws RpcFailure where an entry can't be read: a list with holes hides a holder
 */
export function parseLargestAccounts(result: unknown): readonly Address[] {
  const { value } = parseContext(result);
  if (!Array.isArray(value)) throw garbage("value is no list");
  if (value.length > LARGEST_LISTED) throw garbage(`${value.length} largest accounts`);
  return value.map((entry: unknown) => {
    const text = isRecord(entry) ? entry["address"] : undefined;
    const address = typeof text === "string" ? parseAddress(text) : null;
    if (address === null) throw garbage("an entry that is no token account");
    return address;
  });
}

/** `{ pubkey, account }`, or null where it is not that. */
export function parseKeyedAccount(
  entry: unknown,
  slot: bigint,
): { readonly address: Address; readonly account: Account } | null {
  if (!isRecord(entry) || typeof entry["pubkey"] !== "string") return null;
  const address = parseAddress(entry["pubkey"]);
  const account = parseAccount(entry["account"], slot);
  return address === null || account === null || account === undefined
    ? null
    : { address, account };
}

/** An account in base64 encoding; null where it does not exist, undefined where the entry makes no sense. */
export function parseAccount(entry: unknown, slot: bigint): Account | null | undefined {
  if (entry === null) return null;
  if (!isRecord(entry)) return undefined;
  const { owner, lamports, data } = entry;
  if (typeof owner !== "string" || !isWholeNumber(lamports) || !Array.isArray(data)) {
    return undefined;
  }
  const ownerAddress = parseAddress(owner);
  const bytes = data[1] === "base64" ? parseBase64(data[0]) : undefined;
  if (ownerAddress === null || bytes === undefined) return undefined;
  // How a node tells of an account that was closed: nothing in it, and owned by nobody.
  if (lamports === 0) return null;
  return { owner: ownerAddress, lamports: BigInt(lamports), data: bytes, slot };
}

/** `{ context: { slot }, value }`. @throws RpcFailure where it is not that */
export function parseContext(result: unknown): { readonly slot: bigint; readonly value: unknown } {
  const context = isRecord(result) ? result["context"] : undefined;
  const slot = isRecord(context) ? context["slot"] : undefined;
  if (!isRecord(result) || !isWholeNumber(slot)) throw garbage("no context slot");
  return { slot: BigInt(slot), value: result["value"] };
}

/** The Clock sysvar's bytes, or null where they are none. */
export function parseClock(data: Uint8Array): Clock | null {
  if (data.length !== CLOCK_BYTES) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    slot: view.getBigUint64(0, true),
    epoch: view.getBigUint64(16, true),
    unixTimestamp: view.getBigInt64(32, true),
  };
}

/** Whether an account is one that the filter asks for. */
export function matchesFilter(account: Account, filter: ProgramFilter): boolean {
  if (account.owner !== filter.programId) return false;
  if (filter.dataSize !== null && account.data.length !== filter.dataSize) return false;
  return filter.memcmp.every(({ offset, bytes }) => {
    const expected = typeof bytes === "string" ? addressBytes(bytes) : bytes;
    if (expected === null || offset + expected.length > account.data.length) return false;
    return expected.every((byte, index) => account.data[offset + index] === byte);
  });
}

export function garbage(detail: string): RpcFailure {
  return new RpcFailure({ kind: "garbage", detail });
}

export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Exactly these bytes in a buffer of their own: a view of Node's pool would keep its 8 KiB alive. */
function parseBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text.length > MAX_BASE64_LENGTH) return undefined;
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    // Not base64: the caller reports an account that can't be read.
    return undefined;
  }
}
