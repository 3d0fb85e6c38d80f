import { type Address, bytesOf } from "#src/units/address.ts";
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { Placeholder } from "#src/venues/venue-sale.ts";

const TOKEN_ACCOUNT_LENGTH = 165;
const MINT_LENGTH = 82;
const ACCOUNT_TYPE = 165;
const TOKEN_ACCOUNT_TYPE = 2;
const EXTENSIONS = 166;
/** What each extension of a mint puts into its token accounts: type and bytes. */
const ACCOUNT_EXTENSIONS: Readonly<
  Record<number, { readonly type: number; readonly length: number }>
> = {
  1: { type: 2, length: 8 },
  9: { type: 13, length: 0 },
  14: { type: 15, length: 1 },
  26: { type: 27, length: 0 },
};
const RENT_PER_BYTE = 6_960n;
const ACCOUNT_OVERHEAD = 128n;

export type LaidOut = Pick<Account, "owner" | "lamports" | "data">;

/** What an account of so many bytes has to hold so that no rent is due. */
export function rentExempt(bytes: number): bigint {
  return (BigInt(bytes) + ACCOUNT_OVERHEAD) * RENT_PER_BYTE;
}

export type TokenAccountFields = {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
};

/** A token account as the token program would have made it, of wrapped SOL too. */
export function layTokenAccount(known: AccountSet, fields: TokenAccountFields): LaidOut {
  const { mint, owner, amount } = fields;
  const mintAccount = known.get(mint);
  const program = mintAccount?.owner === TOKEN_2022_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
  const extensions = program === TOKEN_PROGRAM ? [] : extensionsFor(mintAccount?.data);
  const body = extensions.reduce((sum, { length }) => sum + 4 + length, 0);
  const length = body === 0 ? TOKEN_ACCOUNT_LENGTH : EXTENSIONS + body;
  const data = new Uint8Array(length);
  const view = new DataView(data.buffer);
  data.set(bytesOf(mint), 0);
  data.set(bytesOf(owner), 32);
  view.setBigUint64(64, amount, true);
  data[108] = 1;
  const rent = rentExempt(length);
  if (mint === WSOL) {
    view.setUint32(109, 1, true);
    view.setBigUint64(113, rent, true);
  }
  if (body > 0) {
    data[ACCOUNT_TYPE] = TOKEN_ACCOUNT_TYPE;
    let at = EXTENSIONS;
    for (const extension of extensions) {
      view.setUint16(at, extension.type, true);
      view.setUint16(at + 2, extension.length, true);
      at += 4 + extension.length;
    }
  }
  return { owner: program, lamports: mint === WSOL ? rent + amount : rent, data };
}

function extensionsFor(mint: Uint8Array | undefined) {
  if (mint === undefined || mint.length <= EXTENSIONS) return [];
  const view = new DataView(mint.buffer, mint.byteOffset, mint.byteLength);
  const found = [];
  for (let at = EXTENSIONS; at + 4 <= mint.length; ) {
    const type = view.getUint16(at, true);
    if (type === 0) break;
    const extension = ACCOUNT_EXTENSIONS[type];
    if (extension !== undefined) found.push(extension);
    at += 4 + view.getUint16(at + 2, true);
  }
  return found;
}

/** The mint of wrapped SOL, which pools of SOL name and a quote never loads. */
export function layNativeMint(): LaidOut {
  const data = new Uint8Array(MINT_LENGTH);
  data[44] = 9;
  data[45] = 1;
  return { owner: TOKEN_PROGRAM, lamports: rentExempt(MINT_LENGTH), data };
}

export function layPlaceholder(known: AccountSet, placeholder: Placeholder): LaidOut {
  switch (placeholder.kind) {
    case "token-account":
      return layTokenAccount(known, { amount: 0n, ...placeholder });
    case "wallet":
      return { owner: SYSTEM_PROGRAM, lamports: rentExempt(0), data: new Uint8Array() };
    case "program-account": {
      const { owner, data } = placeholder;
      return { owner, lamports: rentExempt(data.length), data };
    }
  }
}
