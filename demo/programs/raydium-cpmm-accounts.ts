import type { Address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import type { CpmmState } from "#src/venues/raydium-cpmm/decode.ts";
import {
  CONFIG,
  CONFIG_DISCRIMINATOR,
  CONFIG_LENGTH,
  POOL,
  POOL_DISCRIMINATOR,
  POOL_LENGTH,
  PROGRAM_ID,
} from "#src/venues/raydium-cpmm/layout.ts";
import type { Clock } from "#src/venues/venue.ts";
import { ByteWriter } from "../byte-writer.ts";

export type NewCpmmPool = {
  readonly config: Address;
  readonly creator: Address;
  readonly vault0: Address;
  readonly vault1: Address;
  readonly mint0: Address;
  readonly mint1: Address;
  readonly program0?: Address;
  readonly program1?: Address;
  readonly lpMint: Address;
  readonly observation: Address;
  readonly decimals0: number;
  readonly decimals1: number;
  readonly lpSupply: bigint;
  readonly openTime: bigint;
  readonly epoch: bigint;
  readonly creatorFeeOn: 0 | 1 | 2;
  readonly isCreatorFeeEnabled: boolean;
  readonly slot: bigint;
};

/** A PoolState account as `initialize` leaves it: nothing owed yet. */
export function cpmmPoolAccount(fields: NewCpmmPool): Account {
  const writer = new ByteWriter(new Uint8Array(POOL_LENGTH))
    .raw(0, POOL_DISCRIMINATOR)
    .address(POOL.ammConfig, fields.config)
    .address(POOL.poolCreator, fields.creator)
    .address(POOL.token0Vault, fields.vault0)
    .address(POOL.token1Vault, fields.vault1)
    .address(POOL.lpMint, fields.lpMint)
    .address(POOL.token0Mint, fields.mint0)
    .address(POOL.token1Mint, fields.mint1)
    .address(POOL.token0Program, fields.program0 ?? TOKEN_PROGRAM)
    .address(POOL.token1Program, fields.program1 ?? TOKEN_PROGRAM)
    .address(POOL.observationKey, fields.observation)
    .u8(POOL.authBump, 253)
    .u8(POOL.lpMintDecimals, 9)
    .u8(POOL.mint0Decimals, fields.decimals0)
    .u8(POOL.mint1Decimals, fields.decimals1)
    .u64(POOL.lpSupply, fields.lpSupply)
    .u64(POOL.openTime, fields.openTime)
    .u64(POOL.recentEpoch, fields.epoch)
    .u8(POOL.creatorFeeOn, fields.creatorFeeOn)
    .u8(POOL.enableCreatorFee, fields.isCreatorFeeEnabled ? 1 : 0);
  return { owner: PROGRAM_ID, lamports: 5_324_400n, data: writer.bytes, slot: fields.slot };
}

const OBSERVATION_DISCRIMINATOR = discriminator("7aaec5358109a584");
const OBSERVATION_LENGTH = 4_075;

/** The price history that every swap appends to; no quote depends on it. */
export function cpmmObservationAccount(pool: Address, slot: bigint): Account {
  const writer = new ByteWriter(new Uint8Array(OBSERVATION_LENGTH))
    .raw(0, OBSERVATION_DISCRIMINATOR)
    .address(11, pool);
  return { owner: PROGRAM_ID, lamports: 29_252_880n, data: writer.bytes, slot };
}

/** Writes every field of the pool account that a swap changes. */
export function writeCpmmSwap(writer: ByteWriter, state: CpmmState, clock: Clock): void {
  const { token0, token1 } = state;
  writer
    .u64(POOL.protocolFeesToken0, token0.protocolFees)
    .u64(POOL.protocolFeesToken1, token1.protocolFees)
    .u64(POOL.fundFeesToken0, token0.fundFees)
    .u64(POOL.fundFeesToken1, token1.fundFees)
    .u64(POOL.creatorFeesToken0, token0.creatorFees)
    .u64(POOL.creatorFeesToken1, token1.creatorFees)
    .u64(POOL.recentEpoch, clock.epoch);
}

export type NewCpmmConfig = {
  readonly index: number;
  readonly tradeFeeRate: bigint;
  readonly protocolFeeRate: bigint;
  readonly fundFeeRate: bigint;
  readonly creatorFeeRate: bigint;
  readonly owner: Address;
  readonly slot: bigint;
};

/** An AmmConfig account; rates are parts per million. */
export function cpmmConfigAccount(fields: NewCpmmConfig): Account {
  const writer = new ByteWriter(new Uint8Array(CONFIG_LENGTH))
    .raw(0, CONFIG_DISCRIMINATOR)
    .u16(CONFIG.index, fields.index)
    .u64(CONFIG.tradeFeeRate, fields.tradeFeeRate)
    .u64(CONFIG.protocolFeeRate, fields.protocolFeeRate)
    .u64(CONFIG.fundFeeRate, fields.fundFeeRate)
    .u64(CONFIG.createPoolFee, 150_000_000n)
    .address(CONFIG.protocolOwner, fields.owner)
    .address(CONFIG.fundOwner, fields.owner)
    .u64(CONFIG.creatorFeeRate, fields.creatorFeeRate);
  return { owner: PROGRAM_ID, lamports: 2_533_440n, data: writer.bytes, slot: fields.slot };
}
