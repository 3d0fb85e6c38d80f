import { TOKEN_2022_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";

const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const KIND_MINT = 1;
const PAUSABLE = 26;
const PAUSABLE_BYTES = 33;

/** The mint as one of Token-2022 that its issuer has paused. */
export function pausedMint(mint: Account): Account {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES + 1 + 4 + PAUSABLE_BYTES);
  data.set(mint.data.subarray(0, MINT_BYTES));
  let offset = data.writeUInt8(KIND_MINT, TOKEN_ACCOUNT_BYTES);
  offset = data.writeUInt16LE(PAUSABLE, offset);
  offset = data.writeUInt16LE(PAUSABLE_BYTES, offset);
  data.writeUInt8(1, offset + PAUSABLE_BYTES - 1);
  return { ...mint, owner: TOKEN_2022_PROGRAM, data: new Uint8Array(data) };
}
