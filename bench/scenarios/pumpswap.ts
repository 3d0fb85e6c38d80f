import { ByteWriter } from "#src/local-node/byte-writer.ts";
import { POOL_FEE_CONFIG } from "#src/local-node/programs/pump-fee-schedules.ts";
import { withTokenAmount } from "#src/local-node/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import type { PumpSwapState } from "#src/venues/pumpswap/decode.ts";
import { openFastPumpSwap } from "#src/venues/pumpswap/fast.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import { poolRates } from "#src/venues/pumpswap/quote.ts";
import { COIN, pumpSwapFixture } from "#test/support/pump-pools.ts";
import { accountInfo, loadPumpSwapSdk, type SwapQuoteInput } from "#test/support/pump-sdks.ts";
import { testAddress } from "#test/support/raydium-pools.ts";
import type { Contender, Scenario } from "../scenario.ts";

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

function stateOf(pool: Address, known: Known): PumpSwapState {
  const decoded = pumpSwap.decode(pool, known);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

function opened(pool: Address, known: Known): FastQuoter {
  const fast = openFastPumpSwap(pool, known, COIN);
  if (fast === null) throw new Error("the fast path did not open");
  return fast;
}

/** Six amounts by the fast path, from a pool that it has read. */
function oursOnceRead(pool: Address, known: Known, amounts: readonly bigint[]): Contender {
  const fast = opened(pool, known);
  const amountsIn = Float64Array.from(amounts, Number);
  const amountsOut = new Float64Array(amounts.length);
  const run = () => fast.quoteAscending(amountsIn, amountsOut, CLOCK);
  return {
    run,
    outputs: () => {
      run();
      return Array.from(amountsOut, String);
    },
  };
}

/** Bytes to six amounts by the fast path; every other run finds the vaults changed. */
function oursFromBytes(pool: Address, known: Known, amounts: readonly bigint[]): Contender {
  const others = swapped({ known });
  const fast = opened(pool, known);
  const amountsIn = Float64Array.from(amounts, Number);
  const amountsOut = new Float64Array(amounts.length);
  let isSwapped = false;
  const quote = (accounts: Known) => {
    if (!fast.refresh(accounts)) throw new Error("the fast path fell back");
    fast.quoteAscending(amountsIn, amountsOut, CLOCK);
  };
  return {
    run: () => {
      isSwapped = !isSwapped;
      quote(isSwapped ? others : known);
    },
    outputs: () => {
      quote(known);
      return Array.from(amountsOut, String);
    },
  };
}

/** The readable reference on a decoded pool. */
function referenceQuotes(pool: Address, known: Known, amounts: readonly bigint[]): Contender {
  const state = stateOf(pool, known);
  const quoteAll = () =>
    amounts.map((amountIn) => {
      const quote = pumpSwap.quoteExactIn(state, { inputMint: COIN, amountIn, clock: CLOCK });
      return quote.kind === "filled" ? String(quote.amountOut) : quote.reason;
    });
  return { run: () => void quoteAll(), outputs: quoteAll };
}

const fromBytes: Scenario = {
  goal: "1",
  name: "PumpSwap, bytes to six quotes, beside the SDK's decoders and quotes",
  bar: 1000,
  ambition: 3000,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: prepareFromBytes,
};

const heap: Scenario = {
  goal: "16",
  name: "PumpSwap, what bytes to six quotes allocate, beside the SDK's decoders and quotes",
  bar: 0.01,
  ambition: 0.0002,
  ratio: "share",
  unit: "heap bytes",
  prepare: prepareFromBytes,
};

async function prepareFromBytes(): ReturnType<Scenario["prepare"]> {
  const loaded = loadPumpSwapSdk(null);
  if (loaded === null) return null;
  const { sdk, BN } = loaded;
  const { pool, known } = fixture();
  const amounts = sizes(stateOf(pool, known));
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
    ours: oursFromBytes(pool, known, amounts),
    theirs: { run: () => void quoteAll(), outputs: quoteAll },
  };
}

const quotesOnly: Scenario = {
  goal: "2",
  name: "PumpSwap, six quotes of a pool already read, beside the SDK's without its address derivation",
  bar: 40,
  ambition: 100,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const loaded = loadPumpSwapSdk(null);
    if (loaded === null) return null;
    const { sdk, BN } = loaded;
    const { pool, known } = fixture();
    const state = stateOf(pool, known);
    const amounts = sizes(state);
    const input: SwapQuoteInput = {
      ...sdk.PUMP_AMM_SDK.decodePool(accountInfo(known.get(pool))),
      slippage: 0,
      baseReserve: new BN(String(state.baseReserve)),
      quoteReserve: new BN(String(state.quoteReserve)),
      globalConfig: sdk.PUMP_AMM_SDK.decodeGlobalConfig(accountInfo(legacyRates(known, state))),
      // Without a FeeConfig the SDK takes GlobalConfig's rates, which here are the tier's own.
      feeConfig: null,
      baseMintAccount: { supply: state.marketCapSupply },
    };
    const orders = amounts.map((amount) => new BN(String(amount)));
    const quoteAll = () =>
      orders.map((base) => sdk.sellBaseInput({ ...input, base }).uiQuote.toString());
    return {
      ours: oursOnceRead(pool, known, amounts),
      theirs: {
        run: () => {
          for (const base of orders) sdk.sellBaseInput({ ...input, base });
        },
        outputs: quoteAll,
      },
    };
  },
};

/** GlobalConfig with the pool's present rates in its legacy fields, which only the SDK reads. */
function legacyRates(known: Known, state: PumpSwapState): Account | undefined {
  const account = known.get(GLOBAL_CONFIG_ADDRESS);
  if (account === undefined) return undefined;
  const { lpBps, protocolBps, creatorBps } = poolRates(state);
  const writer = new ByteWriter(account.data.slice())
    .u64(40, lpBps)
    .u64(48, protocolBps)
    .u64(313, creatorBps);
  return { ...account, data: writer.bytes };
}

const besideReference: Scenario = {
  goal: "14a",
  name: "PumpSwap, bytes to six quotes by the fast path, beside the reference's quotes alone",
  bar: 0.3,
  ambition: 0.1,
  ratio: "share",
  unit: "nanoseconds",
  prepare: async () => {
    const { pool, known } = fixture();
    const amounts = sizes(stateOf(pool, known));
    return {
      ours: oursFromBytes(pool, known, amounts),
      theirs: referenceQuotes(pool, known, amounts),
    };
  },
};

export const pumpSwapScenarios: readonly Scenario[] = [
  fromBytes,
  quotesOnly,
  besideReference,
  heap,
];
