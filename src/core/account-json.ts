import { parseAddress } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";

/** An account as JSON-RPC and `solana account --output json` write it, with base64 data. */
export type AccountJson = {
  readonly owner: string;
  readonly lamports: number | string | bigint;
  /** Base64, alone or with the name of the encoding. */
  readonly data: string | readonly [data: string, encoding: string];
};

/**
 * Reads one account of a JSON-RPC answer (`getAccountInfo`, `getMultipleAccounts`) or of a file that
 * `solana account --output json` wrote. Null stays null: the account does not exist.
 *
 * @throws TypeError where it has another form
 */
export function accountFromJson(json: AccountJson | null, slot: bigint): Account | null {
  if (json === null) return null;
  const owner = parseAddress(json.owner);
  const [data, encoding] = typeof json.data === "string" ? [json.data, "base64"] : json.data;
  if (owner === null) throw new TypeError(`the owner is not an address: ${json.owner}`);
  if (encoding !== "base64") throw new TypeError(`the data must be base64, not ${encoding}`);
  return { owner, lamports: BigInt(json.lamports), data: bytesOf(data), slot };
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
