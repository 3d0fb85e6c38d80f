import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { binArrayAddress } from "#src/venues/meteora-dlmm/accounts.ts";
import { meteoraDlmm } from "#src/venues/meteora-dlmm/adapter.ts";
import { type FastDlmm, openFastDlmm } from "#src/venues/meteora-dlmm/fast.ts";
import { FastBins } from "#src/venues/meteora-dlmm/fast-bins.ts";
import type { DlmmState } from "#src/venues/meteora-dlmm/state.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { CLOCK, dlmmAccounts, MINT_X, PAIR } from "#test/support/pools/dlmm-pool.ts";
import { loadDlmmSdk } from "#test/support/sdks/dlmm-sdk.ts";
import type { Contender, Scenario } from "./scenario.ts";

type Known = ReadonlyMap<Address, Account | null>;

/** 140 bins of one percent in two arrays, variable fee on; the largest size drains nearly all of them. */
const LOWEST_ID = -630;
const ACTIVE_ID = -491;
const BINS = 140;
const SIZES_LAMPORTS = [5n, 10n, 20n, 50n, 100n, 500n].map((tenths) => tenths * 100_000_000n);

/** Other amounts in every bin for another `extra`; the last update lies far back, so any clock does. */
function pairAccounts({ extra = 0n, activeId = ACTIVE_ID } = {}): Known {
  const bins = Array.from({ length: BINS }, (_, place) => {
    const id = LOWEST_ID + place;
    const some = BigInt(place) * 10_007n + extra;
    return {
      id,
      x: id === ACTIVE_ID ? 210_000_000_003n + some : 0n,
      y: 176_000_017n + some,
    };
  });
  return dlmmAccounts({ bins, activeId, parameters: { hasLimitOrders: false } });
}

/** Base units that the standard sizes come to at the active bin's price. */
function sizes(state: DlmmState): readonly bigint[] {
  const spot = meteoraDlmm.spotPrice(state, MINT_X);
  if (spot === null) throw new Error("nothing to sell into");
  return SIZES_LAMPORTS.map((lamports) => (lamports * spot.denominator) / spot.numerator);
}

function opened(known: Known): FastDlmm {
  const fast = openFastDlmm(PAIR, known, MINT_X);
  if (fast === null) throw new Error("the fast path did not open");
  return fast;
}

/** The fast path over two sets of bytes in turn: what differs between them is read again each time. */
function oursInTurn(known: Known, others: Known, amounts: readonly bigint[]): Contender {
  const fast = opened(known);
  const amountsIn = Float64Array.from(amounts, Number);
  const amountsOut = new Float64Array(amounts.length);
  const quote = (accounts: Known) => {
    if (!fast.refresh(accounts)) throw new Error("the fast path fell back");
    fast.quoteAscending(amountsIn, amountsOut, CLOCK);
  };
  let isOther = false;
  return {
    run: () => {
      isOther = !isOther;
      quote(isOther ? others : known);
    },
    outputs: () => {
      quote(known);
      if (fast.exactSteps > fast.steps / 100) throw new Error("over 1 % of the steps fell back");
      return Array.from(amountsOut, String);
    },
  };
}

/** The same accounts after a swap: another active bin, and unchanged bins. */
function priceMoved(known: Known): Known {
  const moved = pairAccounts({ activeId: ACTIVE_ID - 3 }).get(PAIR);
  return new Map(known).set(PAIR, moved ?? null);
}

function sdkQuotes(known: Known, amounts: readonly bigint[], opensEachTime: boolean) {
  const sdk = loadDlmmSdk(null);
  if (sdk === null) return null;
  const once = sdk.open(PAIR, known, CLOCK);
  const quoteAll = () => {
    const pool = opensEachTime ? sdk.open(PAIR, known, CLOCK) : once;
    return amounts.map((amountIn) => String(pool.quote(amountIn, true)));
  };
  return { run: () => void quoteAll(), outputs: quoteAll };
}

const cold: Scenario = {
  goal: "11a",
  name: "DLMM, bytes to six quotes, beside the SDK's decoders and quotes",
  bar: 300,
  ambition: 900,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const known = pairAccounts();
    const amounts = sizes(decodedState(meteoraDlmm, PAIR, known));
    const theirs = sdkQuotes(known, amounts, true);
    if (theirs === null) return null;
    return { ours: oursInTurn(known, pairAccounts({ extra: 13n }), amounts), theirs };
  },
};

const warm: Scenario = {
  goal: "11b",
  name: "DLMM, six quotes after the price moved, beside the SDK's quotes alone",
  bar: 300,
  ambition: 1500,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: prepareWarm,
};

const heap: Scenario = {
  goal: "16b",
  name: "DLMM, what six quotes after the price moved allocate, beside the SDK's quotes alone",
  bar: 0.01,
  ambition: 0.0002,
  ratio: "share",
  unit: "heap bytes",
  prepare: prepareWarm,
};

async function prepareWarm(): ReturnType<Scenario["prepare"]> {
  const known = pairAccounts();
  const amounts = sizes(decodedState(meteoraDlmm, PAIR, known));
  const theirs = sdkQuotes(known, amounts, false);
  return theirs === null ? null : { ours: oursInTurn(known, priceMoved(known), amounts), theirs };
}

const besideReference: Scenario = {
  goal: "14c",
  name: "DLMM, bytes to six quotes by the fast path, beside the reference's",
  bar: 0.3,
  ambition: 0.1,
  ratio: "share",
  unit: "nanoseconds",
  prepare: async () => {
    const known = pairAccounts();
    const amounts = sizes(decodedState(meteoraDlmm, PAIR, known));
    const quoteAll = () => {
      const state = decodedState(meteoraDlmm, PAIR, known);
      return amounts.map((amountIn) => {
        const quote = meteoraDlmm.quoteExactIn(state, {
          inputMint: MINT_X,
          amountIn,
          clock: CLOCK,
        });
        return quote.kind === "filled" ? String(quote.amountOut) : quote.reason;
      });
    };
    return {
      ours: oursInTurn(known, pairAccounts({ extra: 13n }), amounts),
      theirs: { run: () => void quoteAll(), outputs: quoteAll },
    };
  },
};

const accountRead: Scenario = {
  goal: "15a",
  name: "DLMM, one bin array read for quoting, beside the official decoder",
  bar: 100,
  ambition: 500,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const sdk = loadDlmmSdk(null);
    const index = LOWEST_ID / 70;
    const at = binArrayAddress(PAIR, index);
    const account = pairAccounts().get(at);
    const other = pairAccounts({ extra: 13n }).get(at);
    if (sdk === null || !account || !other) return null;
    const side = { sellsX: true, isFeeOnInput: true, countsOrders: false };
    const bins = new FastBins([index], side, 100);
    const read = (bytes: Account) => {
      if (!bins.read(0, bytes)) throw new Error("the array is out of range");
    };
    let isOther = false;
    return {
      ours: {
        run: () => {
          isOther = !isOther;
          read(isOther ? other : account);
        },
        outputs: () => {
          read(account);
          return Array.from(bins.out, String).reverse();
        },
      },
      theirs: {
        run: () => void sdk.decodeBinArray(account),
        outputs: () => sdk.decodeBinArray(account).map(({ amountY }) => String(amountY)),
      },
    };
  },
};

export const meteoraDlmmScenarios: readonly Scenario[] = [
  cold,
  warm,
  besideReference,
  accountRead,
  heap,
];
