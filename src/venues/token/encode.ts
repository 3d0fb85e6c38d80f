import { type Address, addressBytes } from "#src/units/address.ts";
import type { TransferFee, TransferFeeSchedule } from "./transfer-fee.ts";

const MINT_LENGTH = 82;
const TOKEN_ACCOUNT_LENGTH = 165;
const AMOUNT = 64;
const EXTENSIONS = 166;
const TRANSFER_FEE_CONFIG = { type: 1, length: 108 } as const;

export type NewMint = {
  readonly supply: bigint;
  readonly decimals: number;
  /** Makes it a Token-2022 mint with that extension; null: a plain mint of either program. */
  readonly transferFee: TransferFeeSchedule | null;
};

/** Bytes of an initialised mint without authorities. For the demo market and tests. */
export function newMintData(mint: NewMint): Uint8Array {
  const length =
    mint.transferFee === null ? MINT_LENGTH : EXTENSIONS + 4 + TRANSFER_FEE_CONFIG.length;
  const data = new Uint8Array(length);
  const view = new DataView(data.buffer);
  view.setBigUint64(36, mint.supply, true);
  view.setUint8(44, mint.decimals);
  view.setUint8(45, 1);
  if (mint.transferFee !== null) {
    view.setUint8(EXTENSIONS - 1, 1);
    view.setUint16(EXTENSIONS, TRANSFER_FEE_CONFIG.type, true);
    view.setUint16(EXTENSIONS + 2, TRANSFER_FEE_CONFIG.length, true);
    writeFee(view, EXTENSIONS + 4 + 72, mint.transferFee.older);
    writeFee(view, EXTENSIONS + 4 + 90, mint.transferFee.newer);
  }
  return data;
}

/** Bytes of an initialised token account. For the demo market and tests. */
export function newTokenAccountData(mint: Address, owner: Address, amount: bigint): Uint8Array {
  const data = new Uint8Array(TOKEN_ACCOUNT_LENGTH);
  data.set(addressBytes(mint) ?? new Uint8Array(32));
  data.set(addressBytes(owner) ?? new Uint8Array(32), 32);
  const view = new DataView(data.buffer);
  view.setBigUint64(AMOUNT, amount, true);
  view.setUint8(108, 1);
  return data;
}

/** A copy of a token account's bytes with another balance. */
export function withTokenBalance(data: Uint8Array, amount: bigint): Uint8Array {
  const copy = data.slice();
  new DataView(copy.buffer).setBigUint64(AMOUNT, amount, true);
  return copy;
}

function writeFee(view: DataView, offset: number, fee: TransferFee): void {
  view.setBigUint64(offset, fee.epoch, true);
  view.setBigUint64(offset + 8, fee.maximum, true);
  view.setUint16(offset + 16, fee.feeBps, true);
}
