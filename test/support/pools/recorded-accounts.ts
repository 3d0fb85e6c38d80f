import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";

/** Every account of a folder of `solana account --output json` files, by address. */
export function readRecordedAccounts(folder: string): Map<Address, Account> {
  const accounts = new Map<Address, Account>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".json")) continue;
    const { pubkey, account } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    accounts.set(address(pubkey), {
      owner: address(account.owner),
      lamports: BigInt(account.lamports),
      data: new Uint8Array(Buffer.from(account.data[0], "base64")),
      slot: 0n,
    });
  }
  return accounts;
}
