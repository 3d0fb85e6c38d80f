import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { POOL, POOL_LENGTH, PROGRAM_ID } from "#src/venues/raydium-amm-v4/layout.ts";
import { ByteWriter } from "../byte-writer.ts";

export type NewAmmPool = {
  readonly coinVault: Address;
  readonly pcVault: Address;
  readonly coinMint: Address;
  readonly pcMint: Address;
  readonly lpMint: Address;
  readonly market: Address;
  readonly marketProgram: Address;
  readonly openOrders: Address;
  readonly targetOrders: Address;
  readonly owner: Address;
  readonly coinDecimals: number;
  readonly pcDecimals: number;
  readonly lpAmount: bigint;
  readonly openTime: bigint;
  readonly swapFeeNumerator: bigint;
  readonly swapFeeDenominator: bigint;
  /** AmmStatus as its number: 6 swap-only, 7 waits for its opening time. */
  readonly status: number;
  readonly slot: bigint;
};

/** An AmmInfo account as `initialize2` leaves it. */
export function ammPoolAccount(fields: NewAmmPool): Account {
  const writer = new ByteWriter(new Uint8Array(POOL_LENGTH))
    .u64(POOL.status, BigInt(fields.status))
    .u64(POOL.nonce, 254n)
    .u64(POOL.orderNum, 7n)
    .u64(POOL.depth, 3n)
    .u64(POOL.coinDecimals, BigInt(fields.coinDecimals))
    .u64(POOL.pcDecimals, BigInt(fields.pcDecimals))
    .u64(POOL.state, 1n)
    .u64(POOL.minSize, 1n)
    .u64(POOL.volMaxCutRatio, 500n)
    .u64(POOL.coinLotSize, 1n)
    .u64(POOL.pcLotSize, 1n)
    .u64(POOL.minPriceMultiplier, 1n)
    .u64(POOL.maxPriceMultiplier, 1_000_000_000n)
    .u64(POOL.sysDecimalValue, 1_000_000_000n)
    .u64(POOL.minSeparateNumerator, 5n)
    .u64(POOL.minSeparateDenominator, 10_000n)
    .u64(POOL.tradeFeeNumerator, 25n)
    .u64(POOL.tradeFeeDenominator, 10_000n)
    .u64(POOL.pnlNumerator, 12n)
    .u64(POOL.pnlDenominator, 100n)
    .u64(POOL.swapFeeNumerator, fields.swapFeeNumerator)
    .u64(POOL.swapFeeDenominator, fields.swapFeeDenominator)
    .u64(POOL.poolOpenTime, fields.openTime)
    .address(POOL.coinVault, fields.coinVault)
    .address(POOL.pcVault, fields.pcVault)
    .address(POOL.coinVaultMint, fields.coinMint)
    .address(POOL.pcVaultMint, fields.pcMint)
    .address(POOL.lpMint, fields.lpMint)
    .address(POOL.openOrders, fields.openOrders)
    .address(POOL.market, fields.market)
    .address(POOL.marketProgram, fields.marketProgram)
    .address(POOL.targetOrders, fields.targetOrders)
    .address(POOL.ammOwner, fields.owner)
    .u64(POOL.lpAmount, fields.lpAmount);
  return { owner: PROGRAM_ID, lamports: 6_124_800n, data: writer.bytes, slot: fields.slot };
}
