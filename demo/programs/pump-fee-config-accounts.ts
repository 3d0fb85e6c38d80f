import type { Account } from "#src/venues/account-set.ts";
import {
  decodeFeeConfig,
  FEE_CONFIG,
  type FeeConfig,
  type FeeRates,
  type FeeTier,
  PUMP_FEES_PROGRAM,
} from "#src/venues/shared/pump-fees/fee-config.ts";
import { ByteWriter } from "../byte-writer.ts";

/** A FeeConfig account of pump_fees; `length` is that of one of its versions. */
export function feeConfigAccount(
  config: FeeConfig,
  slot: bigint,
  length: number = FEE_CONFIG.lengthWithExoticFees,
): Account {
  const writer = new ByteWriter(new Uint8Array(length)).raw(0, FEE_CONFIG.discriminator);
  writeRates(writer, FEE_CONFIG.flatFees, config.flat);
  let offset = writeTiers(writer, FEE_CONFIG.feeTiers, config.tiers);
  if (length >= FEE_CONFIG.lengthWithStableTiers) {
    offset = writeTiers(writer, offset, config.stableTiers);
  }
  if (length >= FEE_CONFIG.lengthWithExoticFees) writeRates(writer, offset, config.exotic);
  return { owner: PUMP_FEES_PROGRAM, lamports: 29_406_000n, data: writer.bytes, slot };
}

/** The same schedule with one of its rates moved so that every tier comes to `totalBps`, where it can. */
export function withTotalFee(
  account: Account,
  rate: "lpBps" | "protocolBps",
  totalBps: bigint,
  slot: bigint,
): Account | null {
  const config = decodeFeeConfig(account);
  if (config === null) return null;
  const moved = (rates: FeeRates): FeeRates => {
    const others = rates.lpBps + rates.protocolBps + rates.creatorBps - rates[rate];
    return { ...rates, [rate]: totalBps > others ? totalBps - others : 0n };
  };
  const movedTiers = (tiers: readonly FeeTier[]): readonly FeeTier[] =>
    tiers.map(({ threshold, rates }) => ({ threshold, rates: moved(rates) }));
  return feeConfigAccount(
    {
      flat: moved(config.flat),
      tiers: movedTiers(config.tiers),
      stableTiers: movedTiers(config.stableTiers),
      exotic: moved(config.exotic),
    },
    slot,
    account.data.length,
  );
}

function writeTiers(writer: ByteWriter, offset: number, tiers: readonly FeeTier[]): number {
  writer.u32(offset, tiers.length);
  let start = offset + 4;
  for (const { threshold, rates } of tiers) {
    writer.u128(start, threshold);
    writeRates(writer, start + 16, rates);
    start += FEE_CONFIG.tierSize;
  }
  return start;
}

function writeRates(writer: ByteWriter, offset: number, rates: FeeRates): void {
  writer
    .u64(offset, rates.lpBps)
    .u64(offset + 8, rates.protocolBps)
    .u64(offset + 16, rates.creatorBps);
}
