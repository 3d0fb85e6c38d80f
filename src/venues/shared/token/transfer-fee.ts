import { minBigint, mulDivCeil } from "#src/units/integer.ts";

export type TransferFee = {
  readonly epoch: bigint;
  readonly maximum: bigint;
  readonly feeBps: number;
};

/** A Token-2022 mint's two fee schedules; the newer holds from its epoch on. */
export type TransferFeeSchedule = { readonly older: TransferFee; readonly newer: TransferFee };

/** The transfer fees that a sale pays; null: none. */
export type ChargedTransfers = {
  readonly input: TransferFeeSchedule | null;
  readonly output: TransferFeeSchedule | null;
};

/**
 * What the token program withholds from a transfer of `amount` base units at `epoch`:
 * `min(ceil(amount * bps / 10,000), maximum)`, and 0 for a mint without the extension.
 *
 * @see https://github.com/solana-program/token-2022 (extension/transfer_fee)
 */
export function transferFee(
  schedule: TransferFeeSchedule | null,
  amount: bigint,
  epoch: bigint,
): bigint {
  if (schedule === null) return 0n;
  const fee = feeAt(schedule, epoch);
  if (fee.feeBps === 0 || amount === 0n) return 0n;
  return minBigint(mulDivCeil(amount, BigInt(fee.feeBps), 10_000n), fee.maximum);
}

/** The schedule that holds at `epoch`. */
export function feeAt(schedule: TransferFeeSchedule, epoch: bigint): TransferFee {
  return epoch >= schedule.newer.epoch ? schedule.newer : schedule.older;
}
