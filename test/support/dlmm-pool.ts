import { type Address, address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { binArrayAddress, bitmapExtensionAddress } from "#src/venues/meteora-dlmm/accounts.ts";
import { binArrayIndex, binPrice } from "#src/venues/meteora-dlmm/bin-price.ts";
import {
  markArray,
  newBinArrayData,
  newBitmapExtensionData,
  newPairData,
  writeBins,
  writePairState,
} from "#src/venues/meteora-dlmm/encode.ts";
import { DLMM_PROGRAM } from "#src/venues/meteora-dlmm/layout.ts";
import type { Bin, DlmmParameters, Volatility } from "#src/venues/meteora-dlmm/state.ts";
import { newMintData, newTokenAccountData } from "#src/venues/token/encode.ts";
import type { TransferFeeSchedule } from "#src/venues/token/transfer-fee.ts";
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
  const bins = pool.bins.map(({ id, x = 0n, y = 0n, orders = NO_ORDERS }) => ({
    id,
    amountX: x,
    amountY: y,
    price: binPrice(id, parameters.binStep),
    orders,
  }));
  const reserveX = findProgramAddress([{ address: PAIR }, { address: MINT_X }], DLMM_PROGRAM);
  const reserveY = findProgramAddress([{ address: PAIR }, { address: MINT_Y }], DLMM_PROGRAM);
  const oracle = findProgramAddress(["oracle", { address: PAIR }], DLMM_PROGRAM);
  const data = newPairData({
    parameters,
    mintX: MINT_X,
    mintY: MINT_Y,
    reserveX,
    reserveY,
    oracle,
  });
  writePairState(data, {
    isEnabled: true,
    protocolFeeX: 0n,
    protocolFeeY: 0n,
    volatility: {
      accumulator: 0,
      reference: 0,
      indexReference: pool.activeId ?? 0,
      lastUpdateTimestamp: 0n,
      ...pool.volatility,
    },
    activeId: pool.activeId ?? 0,
  });
  const indexes = [...new Set(bins.map(({ id }) => binArrayIndex(id)))];
  const isFar = indexes.some((index) => index < -512 || index >= 512);
  const extension = isFar ? newBitmapExtensionData(PAIR) : null;
  const accounts = new Map<Address, Account | null>();
  for (const index of indexes) {
    markArray(data, extension, index);
    const array = newBinArrayData(PAIR, index, pool.arrayVersion ?? 2);
    writeBins(array, index, bins);
    accounts.set(binArrayAddress(PAIR, index), own(array));
  }
  const held = (side: (bin: (typeof bins)[number]) => bigint) =>
    bins.reduce(
      (sum, bin) => sum + side(bin) + bin.orders.open + bin.orders.processedRemaining,
      0n,
    );
  const transferFee = pool.transferFeeX ?? null;
  const mint = { supply: 1n << 60n, decimals: 6 };
  return accounts
    .set(PAIR, own(data))
    .set(bitmapExtensionAddress(PAIR), extension === null ? null : own(extension))
    .set(MINT_X, {
      ...own(newMintData({ ...mint, transferFee })),
      owner: transferFee === null ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM,
    })
    .set(MINT_Y, token(newMintData({ ...mint, decimals: 9, transferFee: null })))
    .set(
      reserveX,
      token(
        newTokenAccountData(
          MINT_X,
          PAIR,
          held((bin) => bin.amountX),
        ),
      ),
    )
    .set(
      reserveY,
      token(newTokenAccountData(MINT_Y, PAIR, pool.reserveY ?? held((bin) => bin.amountY))),
    );
}

function own(data: Uint8Array): Account {
  return { owner: DLMM_PROGRAM, lamports: 1n, data, slot: 0n };
}

function token(data: Uint8Array): Account {
  return { owner: TOKEN_PROGRAM, lamports: 1n, data, slot: 0n };
}
