import { ByteWriter } from "#demo/byte-writer.ts";
import { writePrice } from "#demo/programs/raydium-clmm-accounts.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { openFast } from "#src/venues/raydium-clmm/fast.ts";
import { FastTickArray } from "#src/venues/raydium-clmm/fast-tick-array.ts";
import type { ClmmState } from "#src/venues/raydium-clmm/pool-state.ts";
import { quoteAscending } from "#src/venues/raydium-clmm/quote.ts";
import { tickArrayAddress } from "#src/venues/raydium-clmm/tick-arrays.ts";
import { BENCHMARK_CLMM, clmmFixture } from "#test/support/pools/clmm-pools.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { loadClmmSdk } from "#test/support/sdks/clmm-sdk.ts";
import { CLOCK, calling, copied, fromBytes, standardAmounts } from "./concentrated.ts";
import type { Scenario } from "./scenario.ts";

const { pool, mintA: coin, accounts: known } = clmmFixture(BENCHMARK_CLMM);
const ORDER = { inputMint: coin, clock: CLOCK };
const ARRAY_START = -63_000;

function amountsOf(state: ClmmState): readonly bigint[] {
  return standardAmounts(raydiumClmm.spotPrice(state, coin));
}

function opened() {
  const fast = openFast(pool, known, coin);
  if (fast === null) throw new Error("the fast path did not open");
  return fast;
}

/** The same pool after a sale of 0.7 SOL: another price, the same ticks. */
function afterSwap(state: ClmmState): ReadonlyMap<Address, Account> {
  const [first = 0n] = amountsOf(state);
  const order = { inputMint: coin, amountIn: (first * 7n) / 5n, clock: CLOCK };
  const quote = raydiumClmm.quoteExactIn(state, order);
  const account = known.get(pool);
  if (quote.kind !== "filled" || account === undefined) throw new Error("the sale was refused");
  const writer = new ByteWriter(account.data.slice());
  writePrice(writer, quote.after);
  return new Map(known).set(pool, { ...account, data: writer.bytes });
}

const cold: Scenario = {
  goal: "9a",
  name: "Raydium CLMM, new bytes of every account to six quotes, beside the SDK's layouts and core",
  bar: 200,
  ambition: 800,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: prepareCold,
};

const heap: Scenario = {
  goal: "16",
  name: "Raydium CLMM, what a price change to six quotes allocates, beside the SDK's core quotes",
  bar: 0.01,
  ambition: 0.0001,
  ratio: "share",
  unit: "heap bytes",
  prepare: prepareWarm,
};

async function prepareCold(): ReturnType<Scenario["prepare"]> {
  const sdk = loadClmmSdk(null);
  if (sdk === null) return null;
  const state = decodedState(raydiumClmm, pool, known);
  const amounts = amountsOf(state);
  const theirs = sdk.open(pool, known, true);
  const others = copied(afterSwap(state), raydiumClmm.programId);
  return {
    ours: fromBytes(opened(), { known, others }, amounts),
    theirs: calling(() => {
      const decoded = theirs.decode(known);
      return amounts.map((amount) => String(decoded.quote(amount, CLOCK.unixTimestamp)));
    }),
  };
}

const warm: Scenario = {
  goal: "9b",
  name: "Raydium CLMM, a price change to six quotes, beside the SDK's core quotes alone",
  bar: 1_500,
  ambition: 7_000,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: prepareWarm,
};

async function prepareWarm(): ReturnType<Scenario["prepare"]> {
  const sdk = loadClmmSdk(null);
  if (sdk === null) return null;
  const state = decodedState(raydiumClmm, pool, known);
  const amounts = amountsOf(state);
  const theirs = sdk.open(pool, known, true).decode(known);
  return {
    ours: fromBytes(opened(), { known, others: afterSwap(state) }, amounts),
    theirs: calling(() =>
      amounts.map((amount) => String(theirs.quote(amount, CLOCK.unixTimestamp))),
    ),
  };
}

const sharedTraversal: Scenario = {
  goal: "13",
  name: "Raydium CLMM, reference: six ascending quotes, as a share of the largest alone",
  bar: 1.4,
  ambition: 1.2,
  ratio: "share",
  unit: "nanoseconds",
  prepare: async () => {
    const state = decodedState(raydiumClmm, pool, known);
    const amounts = amountsOf(state);
    const amountIn = amounts.at(-1) ?? 0n;
    return {
      ours: {
        run: () => void quoteAscending(state, { ...ORDER, amountsIn: amounts }),
        outputs: () => [String(quoteAscending(state, { ...ORDER, amountsIn: amounts }).at(-1))],
      },
      theirs: calling(() => {
        const quote = raydiumClmm.quoteExactIn(state, { inputMint: coin, amountIn, clock: CLOCK });
        return [quote.kind === "filled" ? String(quote.amountOut) : quote.reason];
      }),
    };
  },
};

const besideReference: Scenario = {
  goal: "14d",
  name: "Raydium CLMM, bytes with every tick changed to six quotes, as a share of the reference's",
  bar: 0.3,
  ambition: 0.1,
  ratio: "share",
  unit: "nanoseconds",
  prepare: async () => {
    const amounts = amountsOf(decodedState(raydiumClmm, pool, known));
    const positions = BENCHMARK_CLMM.positions.map((position) => ({
      ...position,
      liquidity: position.liquidity + 1_000n,
    }));
    const { accounts: others } = clmmFixture({ ...BENCHMARK_CLMM, positions });
    return {
      ours: fromBytes(opened(), { known, others }, amounts),
      theirs: calling(() =>
        quoteAscending(decodedState(raydiumClmm, pool, known), {
          ...ORDER,
          amountsIn: amounts,
        }).map(String),
      ),
    };
  },
};

const arrayRead: Scenario = {
  goal: "15b",
  name: "Raydium CLMM, a tick array of 10 KB read by the fast path, beside the SDK's layout",
  bar: 100,
  ambition: 500,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const sdk = loadClmmSdk(null);
    const account = known.get(tickArrayAddress(pool, ARRAY_START));
    if (sdk === null || account === undefined) return null;
    const { tickSpacing } = BENCHMARK_CLMM;
    const array = new FastTickArray(ARRAY_START, tickSpacing);
    return {
      ours: {
        run: () => void array.read(account.data),
        outputs: () => {
          array.read(account.data);
          return Array.from({ length: array.count }, (_, place) => {
            const net = (array.netHigh[place] ?? 0) * 2 ** 32 + (array.netLow[place] ?? 0);
            return `${array.tickAt(place)} ${net}`;
          });
        },
      },
      theirs: {
        run: () => void sdk.decodeTickArray(account),
        outputs: () =>
          sdk
            .decodeTickArray(account)
            .ticks.filter(({ liquidityGross }) => String(liquidityGross) !== "0")
            .map(({ tick, liquidityNet }) => `${tick} ${liquidityNet}`),
      },
    };
  },
};

export const raydiumClmmScenarios: readonly Scenario[] = [
  cold,
  warm,
  sharedTraversal,
  besideReference,
  arrayRead,
  heap,
];
