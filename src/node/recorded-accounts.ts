import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeBase64 } from "#src/platform/base64.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { Ledger } from "./ledger.ts";
import { RecordingError, readRefusedSearches } from "./recording.ts";
import { clockAt, clockFromAccount } from "./slot-clock.ts";

/**
 * A ledger of the accounts in a folder: one `.json` file each, in the form that
 * `solana account ADDRESS --output json` writes. With a recorded Clock sysvar the ledger's clock is
 * frozen at it; otherwise it starts at `nowMs`.
 *
 * @throws RecordingError for a folder without accounts, and for a file that holds none
 */
export async function readRecordedAccounts(folder: string, nowMs: number): Promise<Ledger> {
  const accounts = new Map<Address, Account>();
  for (const name of (await listFolder(folder)).sort()) {
    if (!name.endsWith(".json")) continue;
    const file = join(folder, name);
    const { address, account } = parseAccountFile(file, await readFile(file, "utf8"));
    accounts.set(address, account);
  }
  if (accounts.size === 0) throw new RecordingError(folder, "no account files (*.json)");
  const refusedSearches = await readRefusedSearches(folder);
  const clockSysvar = accounts.get(CLOCK_SYSVAR);
  if (clockSysvar === undefined) {
    const ledger = new Ledger(clockAt(nowMs), { isRecorded: true, refusedSearches });
    ledger.apply(accounts);
    return ledger;
  }
  const clock = clockFromAccount(clockSysvar);
  if (clock === null) throw new RecordingError(folder, "a Clock sysvar that is none");
  const ledger = new Ledger(clock, { isFrozen: true, isRecorded: true, refusedSearches });
  ledger.apply(accounts);
  return ledger;
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new RecordingError(folder, "no such folder, or it can't be read", error);
  }
}

function parseAccountFile(file: string, text: string) {
  let parsed: unknown;
  try {
    // Lamports may be larger than a double can hold, so numbers are kept as text.
    parsed = JSON.parse(text, keepNumberText);
  } catch (error) {
    throw new RecordingError(file, "not JSON", error);
  }
  const { pubkey, account } = fields(parsed);
  const { lamports, owner, data } = fields(account);
  const [bytes, encoding] = Array.isArray(data) ? data : [];
  const address = typeof pubkey === "string" ? parseAddress(pubkey) : null;
  const ownerAddress = typeof owner === "string" ? parseAddress(owner) : null;
  if (address === null) throw new RecordingError(file, "pubkey is not an address");
  if (ownerAddress === null) throw new RecordingError(file, "owner is not an address");
  if (typeof lamports !== "string" || !/^\d{1,20}$/.test(lamports)) {
    throw new RecordingError(file, "lamports is not a whole number");
  }
  if (typeof bytes !== "string" || encoding !== "base64") {
    throw new RecordingError(file, "data is not [text, base64]");
  }
  return {
    address,
    account: {
      owner: ownerAddress,
      lamports: BigInt(lamports),
      data: dataOf(file, bytes),
      slot: 0n,
    },
  };
}

function keepNumberText(_key: string, value: unknown, context?: { readonly source?: string }) {
  return typeof value === "number" ? (context?.source ?? value) : value;
}

function dataOf(file: string, text: string): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (error) {
    throw new RecordingError(file, "data is not base64", error);
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
