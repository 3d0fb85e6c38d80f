import { POOL_FEE_CONFIG } from "#demo/programs/pump-fee-schedules.ts";
import { withTokenAmount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import type { PumpSwapState } from "#src/venues/pumpswap/decode.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { COIN, pumpSwapFixture } from "#test/support/pools/pump-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { accountInfo, loadPumpSwapSdk, type SwapQuoteInput } from "#test/support/sdks/pump-sdks.ts";
import { answering, referenceFromBytes } from "./sale-contenders.ts";
import type { Scenario } from "./scenario.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const BASE_VAULT = testAddress(25);
const QUOTE_VAULT = testAddress(26);
/** A canonical pool of October 2026, 238 SOL deep, paying its third tier. */
const RESERVES = { baseReserve: 79_520_718_862_999n, quoteReserve: 238_126_805_629n };
const SIZES_LAMPORTS = [5n, 10n, 20n, 50n, 100n, 500n].map((tenths) => tenths * 100_000_000n);

type Known = ReadonlyMap<Address, Account>;

function fixture(): { readonly pool: Address; readonly known: Known } {
  const { pool, accounts } = pumpSwapFixture({
    ...RESERVES,
    virtualQuote: 4_535_012_729n,
    supply: 951_586_559_976_668n,
    fees: POOL_FEE_CONFIG,
  });
  return { pool, known: accounts };
}

/** The same accounts after a swap: new bytes in both vaults, so that nothing can be remembered. */
function swapped({ known }: { readonly known: Known }): Known {
  const after = new Map(known);
  for (const [vault, amount] of [
    [BASE_VAULT, RESERVES.baseReserve + 7_000_000n],
    [QUOTE_VAULT, RESERVES.quoteReserve - 20_000n],
  ] as const) {
    const before = known.get(vault);
    if (before !== undefined) after.set(vault, withTokenAmount(before, amount, 2n));
  }
  return after;
}

/** Base units that the standard sizes come to at spot. */
function sizes({ baseReserve, quoteReserve, virtualQuote }: PumpSwapState): readonly bigint[] {
  return SIZES_LAMPORTS.map((lamports) => (lamports * baseReserve) / (quoteReserve + virtualQuote));
}

const fromBytes: Scenario = {
  goal: "1",
  name: "PumpSwap, bytes to six quotes, beside the SDK's decoders and quotes",
  bar: 10,
  ambition: 300,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: prepareFromBytes,
};

async function prepareFromBytes(): ReturnType<Scenario["prepare"]> {
  const loaded = loadPumpSwapSdk(null);
  if (loaded === null) return null;
  const { sdk, BN } = loaded;
  const { pool, known } = fixture();
  const amounts = sizes(decodedState(pumpSwap, pool, known));
  const info = (address: Address) => accountInfo(known.get(address));
  const amountOf = (address: Address) => new BN(String(info(address).data.readBigUInt64LE(64)));
  const quoteAll = (): readonly string[] => {
    const { PUMP_AMM_SDK } = sdk;
    const input: SwapQuoteInput = {
      ...PUMP_AMM_SDK.decodePool(info(pool)),
      slippage: 0,
      baseReserve: amountOf(BASE_VAULT),
      quoteReserve: amountOf(QUOTE_VAULT),
      globalConfig: PUMP_AMM_SDK.decodeGlobalConfig(info(GLOBAL_CONFIG_ADDRESS)),
      feeConfig: PUMP_AMM_SDK.decodeFeeConfig(info(POOL_FEE_CONFIG_ADDRESS)),
      baseMintAccount: { supply: info(COIN).data.readBigUInt64LE(36) },
    };
    return amounts.map((amount) =>
      sdk.sellBaseInput({ ...input, base: new BN(String(amount)) }).uiQuote.toString(),
    );
  };
  return {
    ours: referenceFromBytes(
      { venue: pumpSwap, pool, known, inputMint: COIN, amounts, clock: CLOCK },
      swapped({ known }),
    ),
    theirs: answering(quoteAll),
  };
}

export const pumpSwapScenarios: readonly Scenario[] = [fromBytes];
