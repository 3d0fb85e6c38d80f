import { type Address, address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Pool } from "#src/venues/pumpswap/decode.ts";
import { GLOBAL_CONFIG, POOL, PUMPSWAP_PROGRAM } from "#src/venues/pumpswap/layout.ts";
import { ByteWriter } from "../byte-writer.ts";

const ZERO_KEY = address("11111111111111111111111111111111");

export type NewPumpSwapPool = Pool & {
  readonly index: number;
  readonly lpMint: Address;
  readonly lpSupply: bigint;
  readonly slot: bigint;
};

/** A Pool account; an older one is a shorter `length`. */
export function poolAccount(pool: NewPumpSwapPool, length: number = POOL.currentLength): Account {
  const writer = new ByteWriter(new Uint8Array(POOL.currentLength))
    .raw(0, POOL.discriminator)
    .u8(POOL.pool_bump, 255)
    .u16(POOL.index, pool.index)
    .address(POOL.creator, pool.creator)
    .address(POOL.base_mint, pool.baseMint)
    .address(POOL.quote_mint, pool.quoteMint)
    .address(POOL.lp_mint, pool.lpMint)
    .address(POOL.pool_base_token_account, pool.baseVault)
    .address(POOL.pool_quote_token_account, pool.quoteVault)
    .u64(POOL.lp_supply, pool.lpSupply)
    .address(POOL.coin_creator, pool.coinCreator ?? ZERO_KEY)
    .u8(POOL.is_mayhem_mode, pool.isMayhem ? 1 : 0)
    .u8(POOL.is_cashback_coin, pool.isCashback ? 1 : 0)
    .u128(POOL.virtual_quote_reserves, BigInt.asUintN(128, pool.virtualQuote))
    .u64(POOL.creator_fee_bps, pool.creatorFeeBps)
    .u64(POOL.protocol_fees, pool.protocolFees)
    .u64(POOL.creator_fees, pool.creatorFees);
  return {
    owner: PUMPSWAP_PROGRAM,
    lamports: 2_985_840n,
    data: writer.bytes.slice(0, length),
    slot: pool.slot,
  };
}

const GLOBAL_CONFIG_LENGTH = 949;

/** The program's GlobalConfig account; what no quote reads is zero. */
export function globalConfigAccount(
  fields: {
    readonly admin: Address;
    readonly disableFlags: number;
    readonly isCreatorFeeConfigurable: boolean;
  },
  slot: bigint,
): Account {
  const writer = new ByteWriter(new Uint8Array(GLOBAL_CONFIG_LENGTH))
    .raw(0, GLOBAL_CONFIG.discriminator)
    .address(8, fields.admin)
    .u8(GLOBAL_CONFIG.disable_flags, fields.disableFlags)
    .u8(GLOBAL_CONFIG.creator_fee_configurable, fields.isCreatorFeeConfigurable ? 1 : 0);
  return { owner: PUMPSWAP_PROGRAM, lamports: 7_495_920n, data: writer.bytes, slot };
}
