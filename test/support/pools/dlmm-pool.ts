import {
  binArrayAccount,
  bitmapExtensionAccount,
  pairAccount,
} from "#demo/programs/meteora-dlmm-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { type Address, address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { binArrayAddress, bitmapExtensionAddress } from "#src/venues/meteora-dlmm/accounts.ts";
import { binArrayIndex, binPrice } from "#src/venues/meteora-dlmm/bin-price.ts";
import { needsExtension } from "#src/venues/meteora-dlmm/bitmap.ts";
import { DLMM_PROGRAM } from "#src/venues/meteora-dlmm/layout.ts";
import type { Bin, DlmmParameters, Volatility } from "#src/venues/meteora-dlmm/state.ts";
import type { TransferFeeSchedule } from "#src/venues/shared/token/transfer-fee.ts";
import type { Clock } from "#src/venues/venue.ts";

export const PAIR = address("5ttUNgVR3M5Yax5jsi5B4DdHb8C9nzcpk7fFH8DQb1Aq");
export const MINT_X = address("GSBxizkDbYnMtWXz1F1oh3AJozk9z7GPqPpCz2DXdEZA");
export const MINT_Y = address("CTmWnWSfKsK4VZtmWjAe1D5B6eXEhgx9hWC9ocJs4fEM");
export const CLOCK: Clock = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };

export type BinAmounts = {
  readonly id: number;
  readonly x?: bigint;
  readonly y?: bigint;
  readonly orders?: Bin["orders"];
  /** What the positions' shares add up to. */
  readonly supply?: bigint;
};

export type DlmmPool = {
  readonly parameters?: Partial<DlmmParameters>;
  readonly activeId?: number;
  readonly volatility?: Partial<Volatility>;
  readonly bins: readonly BinAmounts[];
  readonly transferFeeX?: TransferFeeSchedule | null;
  readonly arrayVersion?: number;
  /** Left out where the reserves cover every bin. */
  readonly reserveY?: bigint;
};

export const PARAMETERS: DlmmParameters = {
  binStep: 100,
  baseFactor: 10_000,
  baseFeePowerFactor: 0,
  variableFeeControl: 7_500,
  maxVolatilityAccumulator: 150_000,
  filterPeriod: 30,
  decayPeriod: 600,
  reductionFactorBps: 5_000,
  protocolShareBps: 500,
  hasLimitOrders: true,
  collectsOnlyY: false,
};

const NO_ORDERS: Bin["orders"] = { isAskSide: false, processedRemaining: 0n, open: 0n };

/** The accounts of a pair in the true layouts, by address. */
export function dlmmAccounts(pool: DlmmPool): Map<Address, Account | null> {
  const parameters = { ...PARAMETERS, ...pool.parameters };
  const bins = pool.bins.map(({ id, x = 0n, y = 0n, supply = 0n, orders = NO_ORDERS }) => ({
    id,
    amountX: x,
    amountY: y,
    liquiditySupply: supply,
    price: binPrice(id, parameters.binStep),
    orders,
  }));
  const reserveX = reserveAddress(MINT_X);
  const reserveY = reserveAddress(MINT_Y);
  const arrays = [...new Set(bins.map(({ id }) => binArrayIndex(id)))];
  const pair = {
    parameters,
    mintX: MINT_X,
    mintY: MINT_Y,
    reserveX,
    reserveY,
    oracle: findProgramAddress(["oracle", { address: PAIR }], DLMM_PROGRAM),
    creator: PAIR,
    arrays,
    slot: 0n,
  };
  const activeId = pool.activeId ?? 0;
  const atRest = {
    accumulator: 0,
    reference: 0,
    indexReference: activeId,
    lastUpdateTimestamp: 0n,
  };
  const state = {
    isEnabled: true,
    protocolFeeX: 0n,
    protocolFeeY: 0n,
    volatility: { ...atRest, ...pool.volatility },
    activeId,
  };
  const held = (side: (bin: Bin) => bigint) =>
    bins.reduce(
      (sum, bin) => sum + side(bin) + bin.orders.open + bin.orders.processedRemaining,
      0n,
    );
  const accounts = new Map<Address, Account | null>();
  for (const index of arrays) {
    const array = { pair: PAIR, index, version: pool.arrayVersion ?? 2, slot: 0n };
    accounts.set(binArrayAddress(PAIR, index), binArrayAccount(array, bins));
  }
  const mint = { supply: 1n << 60n, decimals: 6, slot: 0n };
  const reserve = { owner: PAIR, slot: 0n };
  const extension = arrays.some(needsExtension) ? bitmapExtensionAccount(PAIR, arrays, 0n) : null;
  const heldY = pool.reserveY ?? held(({ amountY }) => amountY);
  return accounts
    .set(PAIR, pairAccount(pair, state))
    .set(bitmapExtensionAddress(PAIR), extension)
    .set(
      MINT_X,
      mintAccount(pool.transferFeeX ? { ...mint, transferFee: pool.transferFeeX } : mint),
    )
    .set(MINT_Y, mintAccount({ ...mint, decimals: 9 }))
    .set(
      reserveX,
      tokenAccount({ ...reserve, mint: MINT_X, amount: held(({ amountX }) => amountX) }),
    )
    .set(reserveY, tokenAccount({ ...reserve, mint: MINT_Y, amount: heldY }));
}

export function reserveAddress(mint: Address): Address {
  return findProgramAddress([{ address: PAIR }, { address: mint }], DLMM_PROGRAM);
}
