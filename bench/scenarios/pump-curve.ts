import { CURVE_FEE_CONFIG } from "#src/local-node/programs/pump-fee-schedules.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { openFastPumpCurve } from "#src/venues/pump-curve/fast.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "#src/venues/pump-curve/layout.ts";
import { COIN, curveFixture } from "#test/support/pump-pools.ts";
import { accountInfo, loadPumpSdk } from "#test/support/pump-sdks.ts";
import type { Contender, Scenario } from "../scenario.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
/** A curve of September 2026 that has raised 19.6 SOL. */
const RESERVES = {
  virtualToken: 648_419_361_094_636n,
  virtualQuote: 49_643_798_459n,
  realToken: 368_519_361_094_636n,
  realQuote: 19_643_798_459n,
};
const SIZES_LAMPORTS = [5n, 10n, 20n, 50n, 100n, 150n].map((tenths) => tenths * 100_000_000n);
const AMOUNTS = SIZES_LAMPORTS.map(
  (lamports) => (lamports * RESERVES.virtualToken) / RESERVES.virtualQuote,
);

/** Six amounts by the fast path, from a curve that it has read. */
function oursOnceRead(pool: Address, known: ReadonlyMap<Address, Account>): Contender {
  const fast = openFastPumpCurve(pool, known, COIN);
  if (fast === null) throw new Error("the fast path did not open");
  const amountsIn = Float64Array.from(AMOUNTS, Number);
  const amountsOut = new Float64Array(AMOUNTS.length);
  const run = () => fast.quoteAscending(amountsIn, amountsOut, CLOCK);
  return {
    run,
    outputs: () => {
      run();
      return Array.from(amountsOut, String);
    },
  };
}

const besideSdk: Scenario = {
  goal: "3",
  name: "pump curve, six quotes of a curve already read, beside the SDK's",
  bar: 40,
  ambition: 80,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const loaded = loadPumpSdk(null);
    if (loaded === null) return null;
    const { sdk, BN } = loaded;
    const { pool, accounts: known } = curveFixture({ ...RESERVES, fees: CURVE_FEE_CONFIG });
    const input = {
      global: sdk.PUMP_SDK.decodeGlobal(accountInfo(known.get(GLOBAL_ADDRESS))),
      feeConfig: sdk.PUMP_SDK.decodeFeeConfig(accountInfo(known.get(CURVE_FEE_CONFIG_ADDRESS))),
      bondingCurve: sdk.PUMP_SDK.decodeBondingCurve(accountInfo(known.get(pool))),
      mintSupply: new BN("1000000000000000"),
    };
    const orders = AMOUNTS.map((amount) => new BN(String(amount)));
    return {
      ours: oursOnceRead(pool, known),
      theirs: {
        run: () => {
          for (const amount of orders) sdk.getSellSolAmountFromTokenAmount({ ...input, amount });
        },
        outputs: () =>
          orders.map((amount) =>
            sdk.getSellSolAmountFromTokenAmount({ ...input, amount }).toString(),
          ),
      },
    };
  },
};

export const pumpCurveScenarios: readonly Scenario[] = [besideSdk];
