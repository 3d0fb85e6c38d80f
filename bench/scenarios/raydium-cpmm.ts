import { ByteWriter } from "#demo/byte-writer.ts";
import { withTokenAmount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { raydiumCpmm } from "#src/venues/raydium-cpmm/adapter.ts";
import { POOL } from "#src/venues/raydium-cpmm/layout.ts";
import { cpmmFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import { bytesOf, loadRaydiumSdk, type RaydiumSdk } from "#test/support/sdks/raydium-sdk.ts";
import { answering, referenceFromBytes, standardAmounts } from "./sale-contenders.ts";
import type { Scenario } from "./scenario.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const CONFIG = testAddress(6);
const VAULT_0 = testAddress(4);
const VAULT_1 = testAddress(5);
/** 120 million tokens of six decimals beside 412 SOL. */
const RESERVES = { tokens: 120_000_000_000_000n, lamports: 412_000_000_000n };
const AMOUNTS = standardAmounts(RESERVES.tokens, RESERVES.lamports);

type Known = ReadonlyMap<Address, Account>;

function cpmmSale() {
  const { pool, mintA, mintB, accounts } = cpmmFixture({
    vault0: RESERVES.tokens + 100n,
    vault1: RESERVES.lamports + 100n,
    protocolFees: [75n, 75n],
    fundFees: [25n, 25n],
  });
  const known: Known = accounts;
  const base = { venue: raydiumCpmm, inputMint: mintA, amounts: AMOUNTS, clock: CLOCK };
  return { ...base, pool, known, mintB };
}

/** The same accounts after a swap: new bytes in the pool and in both vaults. */
function cpmmMoved(pool: Address, known: Known): Known {
  const moved = new Map(known);
  const edit = (address: Address, change: (before: Account) => Account) => {
    const before = known.get(address);
    if (before !== undefined) moved.set(address, change(before));
  };
  edit(pool, (before) => ({
    ...before,
    data: new ByteWriter(before.data.slice()).u64(POOL.protocolFeesToken0, 81n).bytes,
  }));
  edit(VAULT_0, (before) => withTokenAmount(before, RESERVES.tokens + 7_000_106n, 2n));
  edit(VAULT_1, (before) => withTokenAmount(before, RESERVES.lamports - 20_000n, 2n));
  return moved;
}

type Decimal = {
  div(other: Decimal | number): Decimal;
  readonly constructor: new (text: string) => Decimal;
};

/** The SDK's decimals, which it does not export: taken from one of its answers. */
function decimalsOf(sdk: RaydiumSdk): new (text: string) => Decimal {
  const one = new sdk.BN("1000000");
  const answer = sdk.cpmm.computeSwapAmount({
    pool: {
      mintB: { address: "" },
      feeOn: 0,
      baseReserve: one,
      quoteReserve: one,
      configInfo: {
        tradeFeeRate: one.sub(one),
        creatorFeeRate: one.sub(one),
        protocolFeeRate: one.sub(one),
        fundFeeRate: one.sub(one),
      },
      poolPrice: { sub: () => ({ div: () => null }) },
    },
    amountIn: one,
    outputMint: "",
    slippage: 0,
  }) as unknown as { readonly executionPrice: Decimal };
  return answer.executionPrice.constructor;
}

const cpmmFromBytes: Scenario = {
  goal: "4a",
  name: "Raydium CPMM, bytes to six quotes, beside the SDK's layouts and quotes",
  bar: 10,
  ambition: 60,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const sdk = loadRaydiumSdk(null);
    if (sdk === null) return null;
    const { mintB, ...sale } = cpmmSale();
    const { pool, known } = sale;
    const SdkDecimal = decimalsOf(sdk);
    const bytes = (address: Address) => bytesOf(known.get(address));
    const vault = (address: Address) => sdk.splAccountLayout.decode(bytes(address)).amount;
    const quoteAll = (): readonly string[] => {
      const info = sdk.CpmmPoolInfoLayout.decode(bytes(pool));
      const configInfo = sdk.CpmmConfigInfoLayout.decode(bytes(CONFIG));
      const baseReserve = vault(VAULT_0)
        .sub(info.protocolFeesMintA)
        .sub(info.fundFeesMintA)
        .sub(info.creatorFeesMintA);
      const quoteReserve = vault(VAULT_1)
        .sub(info.protocolFeesMintB)
        .sub(info.fundFeesMintB)
        .sub(info.creatorFeesMintB);
      const poolPrice = new SdkDecimal(quoteReserve.toString())
        .div(10 ** 9)
        .div(new SdkDecimal(baseReserve.toString()).div(10 ** 6));
      const compute = {
        mintB: { address: mintB },
        feeOn: info.feeOn,
        baseReserve,
        quoteReserve,
        configInfo: info.enableCreatorFee
          ? configInfo
          : { ...configInfo, creatorFeeRate: new sdk.BN("0") },
        poolPrice,
      };
      return AMOUNTS.map((amount) =>
        sdk.cpmm
          .computeSwapAmount({
            pool: compute,
            amountIn: new sdk.BN(String(amount)),
            outputMint: mintB,
            slippage: 0,
          })
          .amountOut.toString(),
      );
    };
    return { ours: referenceFromBytes(sale, cpmmMoved(pool, known)), theirs: answering(quoteAll) };
  },
};

export const raydiumCpmmScenarios: readonly Scenario[] = [cpmmFromBytes];
