import { type Address, address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { BondingCurve } from "#src/venues/pump-curve/decode.ts";
import { BONDING_CURVE, GLOBAL, PUMP_PROGRAM } from "#src/venues/pump-curve/layout.ts";
import { ByteWriter, edited } from "../byte-writer.ts";

const ZERO_KEY = address("11111111111111111111111111111111");

export type NewCurve = BondingCurve & {
  readonly slot: bigint;
};

/** A BondingCurve account; an older one is a shorter `length`. */
export function curveAccount(
  curve: NewCurve,
  length: number = BONDING_CURVE.currentLength,
): Account {
  const quoteMint = curve.quoteMint === WSOL ? ZERO_KEY : curve.quoteMint;
  const writer = new ByteWriter(new Uint8Array(BONDING_CURVE.currentLength))
    .raw(0, BONDING_CURVE.discriminator)
    .u64(BONDING_CURVE.token_total_supply, curve.totalSupply)
    .address(BONDING_CURVE.creator, curve.creator ?? ZERO_KEY)
    .u8(BONDING_CURVE.is_mayhem_mode, curve.isMayhem ? 1 : 0)
    .u8(BONDING_CURVE.is_cashback_coin, curve.isCashback ? 1 : 0)
    .address(BONDING_CURVE.quote_mint, quoteMint)
    .u64(BONDING_CURVE.creator_fee_bps, curve.creatorFeeBps);
  writeReserves(writer, curve);
  return {
    owner: PUMP_PROGRAM,
    lamports: 1_941_840n + (curve.quoteMint === WSOL ? curve.realQuote : 0n),
    data: writer.bytes.slice(0, length),
    slot: curve.slot,
  };
}

export type CurveReserves = Pick<
  BondingCurve,
  "virtualToken" | "virtualQuote" | "realToken" | "realQuote" | "isComplete"
>;

/** The curve with other reserves. */
export function withReserves(account: Account, reserves: CurveReserves, slot: bigint): Account {
  return edited(account, slot, (writer) => writeReserves(writer, reserves));
}

function writeReserves(writer: ByteWriter, reserves: CurveReserves): void {
  writer
    .u64(BONDING_CURVE.virtual_token_reserves, reserves.virtualToken)
    .u64(BONDING_CURVE.virtual_quote_reserves, reserves.virtualQuote)
    .u64(BONDING_CURVE.real_token_reserves, reserves.realToken)
    .u64(BONDING_CURVE.real_quote_reserves, reserves.realQuote)
    .u8(BONDING_CURVE.complete, reserves.isComplete ? 1 : 0);
}

const GLOBAL_LENGTH = 1087;

/** The program's Global account; what no quote reads is zero. */
export function globalAccount(
  fields: { readonly authority: Address; readonly isCreatorFeeConfigurable: boolean },
  slot: bigint,
): Account {
  const writer = new ByteWriter(new Uint8Array(GLOBAL_LENGTH))
    .raw(0, GLOBAL.discriminator)
    .u8(8, 1)
    .address(9, fields.authority)
    .u8(GLOBAL.creator_fee_configurable, fields.isCreatorFeeConfigurable ? 1 : 0);
  return { owner: PUMP_PROGRAM, lamports: 8_456_400n, data: writer.bytes, slot };
}
