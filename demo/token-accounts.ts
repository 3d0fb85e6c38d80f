import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import type { TransferFeeSchedule } from "#src/venues/shared/token/transfer-fee.ts";
import { ByteWriter, edited } from "./byte-writer.ts";

const TOKEN_ACCOUNT_LENGTH = 165;
const MINT_LENGTH = 82;
const ACCOUNT_TYPE = 165;
const EXTENSIONS = 166;
const TRANSFER_FEE_CONFIG = 1;
const TRANSFER_FEE_LENGTH = 108;

export type NewTokenAccount = {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly program?: Address;
  readonly slot: bigint;
};

/** An initialized token account of 165 bytes. */
export function tokenAccount(fields: NewTokenAccount): Account {
  const writer = new ByteWriter(new Uint8Array(TOKEN_ACCOUNT_LENGTH))
    .address(0, fields.mint)
    .address(32, fields.owner)
    .u64(64, fields.amount)
    .u8(108, 1);
  return {
    owner: fields.program ?? TOKEN_PROGRAM,
    lamports: 2_039_280n,
    data: writer.bytes,
    slot: fields.slot,
  };
}

/** The token account with another amount. */
export function withTokenAmount(account: Account, amount: bigint, slot: bigint): Account {
  return edited(account, slot, (writer) => writer.u64(64, amount));
}

/** The owners' accounts: from 4 % of the amount for the first down to 0.6 % for the 24th, a third in all. */
export function holderAccounts(owners: readonly Address[], held: Omit<NewTokenAccount, "owner">) {
  const { mint, program } = held;
  const account = (owner: Address, index: number): readonly [Address, Account] => {
    const amount = (held.amount * 4n) / (25n * BigInt(index + 4));
    return [associatedTokenAddress(owner, mint, program), tokenAccount({ ...held, owner, amount })];
  };
  return new Map(owners.map(account));
}

export type NewMint = {
  readonly supply: bigint;
  readonly decimals: number;
  readonly mintAuthority?: Address;
  readonly freezeAuthority?: Address;
  /** Makes it a Token-2022 mint with the transfer fee extension. */
  readonly transferFee?: TransferFeeSchedule;
  readonly slot: bigint;
};

/** An initialized mint: of Token-2022 if it has a transfer fee, else of SPL Token. */
export function mintAccount(fields: NewMint): Account {
  const { transferFee, mintAuthority, freezeAuthority } = fields;
  const length = transferFee === undefined ? MINT_LENGTH : EXTENSIONS + 4 + TRANSFER_FEE_LENGTH;
  const writer = new ByteWriter(new Uint8Array(length))
    .u64(36, fields.supply)
    .u8(44, fields.decimals)
    .u8(45, 1);
  if (mintAuthority !== undefined) writer.u32(0, 1).address(4, mintAuthority);
  if (freezeAuthority !== undefined) writer.u32(46, 1).address(50, freezeAuthority);
  if (transferFee !== undefined) {
    const body = EXTENSIONS + 4;
    writer
      .u8(ACCOUNT_TYPE, 1)
      .u16(EXTENSIONS, TRANSFER_FEE_CONFIG)
      .u16(EXTENSIONS + 2, TRANSFER_FEE_LENGTH);
    for (const [offset, fee] of [
      [body + 72, transferFee.older],
      [body + 90, transferFee.newer],
    ] as const) {
      writer
        .u64(offset, fee.epoch)
        .u64(offset + 8, fee.maximum)
        .u16(offset + 16, fee.feeBps);
    }
  }
  return {
    owner: transferFee === undefined ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM,
    lamports: 1_461_600n,
    data: writer.bytes,
    slot: fields.slot,
  };
}
