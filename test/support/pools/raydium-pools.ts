import { ByteWriter } from "#demo/byte-writer.ts";
import { ammPoolAccount } from "#demo/programs/raydium-amm-v4-accounts.ts";
import { cpmmConfigAccount, cpmmPoolAccount } from "#demo/programs/raydium-cpmm-accounts.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import * as amm from "#src/venues/raydium-amm-v4/layout.ts";
import * as cpmm from "#src/venues/raydium-cpmm/layout.ts";
import type { TransferFeeSchedule } from "#src/venues/shared/token/transfer-fee.ts";

/** A pool's accounts, as few as its quotes need. */
export type PoolFixture = {
  readonly pool: Address;
  /** coin or token 0, and pc or token 1. */
  readonly mintA: Address;
  readonly mintB: Address;
  readonly accounts: Map<Address, Account>;
};

/** A made-up address: 32 equal bytes. */
export function testAddress(byte: number): Address {
  return addressFromBytes(new Uint8Array(32).fill(byte));
}

const POOL = testAddress(1);
const MINT_A = testAddress(2);
const MINT_B = testAddress(3);
const VAULT_A = testAddress(4);
const VAULT_B = testAddress(5);
const CONFIG = testAddress(6);
const OTHER = testAddress(7);

export type AmmFixture = {
  readonly coinVault: bigint;
  readonly pcVault: bigint;
  readonly needTakePnlCoin?: bigint;
  readonly needTakePnlPc?: bigint;
  readonly status?: number;
  readonly openTime?: bigint;
  readonly swapFeeNumerator?: bigint;
  readonly swapFeeDenominator?: bigint;
};

/** An AMM v4 pool; open, 25 / 10,000 and nothing owed unless overridden. */
export function ammFixture(fields: AmmFixture): PoolFixture {
  const account = ammPoolAccount({
    coinVault: VAULT_A,
    pcVault: VAULT_B,
    coinMint: MINT_A,
    pcMint: MINT_B,
    lpMint: OTHER,
    market: OTHER,
    marketProgram: OTHER,
    openOrders: OTHER,
    targetOrders: OTHER,
    owner: OTHER,
    coinDecimals: 6,
    pcDecimals: 9,
    lpAmount: 1n,
    openTime: fields.openTime ?? 0n,
    swapFeeNumerator: fields.swapFeeNumerator ?? 25n,
    swapFeeDenominator: fields.swapFeeDenominator ?? 10_000n,
    status: fields.status ?? 6,
    slot: 1n,
  });
  new ByteWriter(account.data)
    .u64(amm.POOL.needTakePnlCoin, fields.needTakePnlCoin ?? 0n)
    .u64(amm.POOL.needTakePnlPc, fields.needTakePnlPc ?? 0n);
  const vault = (mint: Address, amount: bigint) =>
    tokenAccount({ mint, owner: amm.AUTHORITY, amount, slot: 1n });
  return {
    pool: POOL,
    mintA: MINT_A,
    mintB: MINT_B,
    accounts: new Map([
      [POOL, account],
      [VAULT_A, vault(MINT_A, fields.coinVault)],
      [VAULT_B, vault(MINT_B, fields.pcVault)],
    ]),
  };
}

export type CpmmFixture = {
  readonly vault0: bigint;
  readonly vault1: bigint;
  readonly protocolFees?: readonly [bigint, bigint];
  readonly fundFees?: readonly [bigint, bigint];
  readonly creatorFees?: readonly [bigint, bigint];
  readonly status?: number;
  readonly openTime?: bigint;
  readonly tradeFeeRate?: bigint;
  readonly creatorFeeRate?: bigint;
  readonly creatorFeeOn?: 0 | 1 | 2;
  readonly isCreatorFeeEnabled?: boolean;
  readonly transferFee0?: TransferFeeSchedule;
  readonly transferFee1?: TransferFeeSchedule;
};

/** A CPMM pool; open, 2500 ppm, no creator fee and no transfer fee unless overridden. */
export function cpmmFixture(fields: CpmmFixture): PoolFixture {
  const { transferFee0, transferFee1 } = fields;
  const program0 = transferFee0 === undefined ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const program1 = transferFee1 === undefined ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const account = cpmmPoolAccount({
    config: CONFIG,
    creator: OTHER,
    vault0: VAULT_A,
    vault1: VAULT_B,
    mint0: MINT_A,
    mint1: MINT_B,
    program0,
    program1,
    lpMint: OTHER,
    observation: OTHER,
    decimals0: 6,
    decimals1: 9,
    lpSupply: 1n,
    openTime: fields.openTime ?? 0n,
    epoch: 0n,
    creatorFeeOn: fields.creatorFeeOn ?? 0,
    isCreatorFeeEnabled: fields.isCreatorFeeEnabled ?? false,
    slot: 1n,
  });
  const [protocol0, protocol1] = fields.protocolFees ?? [0n, 0n];
  const [fund0, fund1] = fields.fundFees ?? [0n, 0n];
  const [creator0, creator1] = fields.creatorFees ?? [0n, 0n];
  new ByteWriter(account.data)
    .u8(cpmm.POOL.status, fields.status ?? 0)
    .u64(cpmm.POOL.protocolFeesToken0, protocol0)
    .u64(cpmm.POOL.protocolFeesToken1, protocol1)
    .u64(cpmm.POOL.fundFeesToken0, fund0)
    .u64(cpmm.POOL.fundFeesToken1, fund1)
    .u64(cpmm.POOL.creatorFeesToken0, creator0)
    .u64(cpmm.POOL.creatorFeesToken1, creator1);
  const config = cpmmConfigAccount({
    index: 0,
    tradeFeeRate: fields.tradeFeeRate ?? 2500n,
    protocolFeeRate: 120_000n,
    fundFeeRate: 40_000n,
    creatorFeeRate: fields.creatorFeeRate ?? 500n,
    owner: OTHER,
    slot: 1n,
  });
  const accounts = new Map([
    [POOL, account],
    [CONFIG, config],
    [
      VAULT_A,
      tokenAccount({
        mint: MINT_A,
        owner: OTHER,
        amount: fields.vault0,
        program: program0,
        slot: 1n,
      }),
    ],
    [
      VAULT_B,
      tokenAccount({
        mint: MINT_B,
        owner: OTHER,
        amount: fields.vault1,
        program: program1,
        slot: 1n,
      }),
    ],
  ]);
  for (const [mint, transferFee] of [
    [MINT_A, transferFee0],
    [MINT_B, transferFee1],
  ] as const) {
    if (transferFee === undefined) continue;
    accounts.set(mint, mintAccount({ supply: 1n << 60n, decimals: 6, transferFee, slot: 1n }));
  }
  return { pool: POOL, mintA: MINT_A, mintB: MINT_B, accounts };
}
