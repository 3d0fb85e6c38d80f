import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";

const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const KIND_MINT = 1;
const TRANSFER_HOOK = 14;
const ADDRESS_BYTES = 32;
const TRANSFER_HOOK_BYTES = 2 * ADDRESS_BYTES;

/** The mint as one of Token-2022 whose transfers call a program. */
export function hookedMint(mint: Account): Account {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES + 1 + 4 + TRANSFER_HOOK_BYTES);
  data.set(mint.data.subarray(0, MINT_BYTES));
  let offset = data.writeUInt8(KIND_MINT, TOKEN_ACCOUNT_BYTES);
  offset = data.writeUInt16LE(TRANSFER_HOOK, offset);
  offset = data.writeUInt16LE(TRANSFER_HOOK_BYTES, offset);
  data.fill(7, offset + ADDRESS_BYTES);
  return { ...mint, owner: TOKEN_2022_PROGRAM, data: new Uint8Array(data) };
}
