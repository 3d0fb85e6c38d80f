import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import { openFastDbc } from "#src/venues/meteora-dbc/fast.ts";
import type { DbcState } from "#src/venues/meteora-dbc/state.ts";
import { BASE_MINT, CLOCK, CONFIG, dbcAccounts, POOL } from "#test/support/dbc-pool.ts";
import { loadDbcSdk } from "#test/support/dbc-sdk.ts";
import type { Contender, Scenario } from "../scenario.ts";

type Known = ReadonlyMap<Address, Account | null>;

/** Eight stretches, the price in the last one; the sizes drain up to all of those below it. */
const START_PRICE = 97_600_000_000_000_000n;
const STRETCH_WIDTH = 34_000_000_000_000_000n;
const STRETCHES = 8;
const SIZES_LAMPORTS = [5n, 10n, 20n, 50n, 100n, 500n].map((tenths) => tenths * 100_000_000n);

function curveAccounts(): Known {
  const curve = Array.from({ length: STRETCHES }, (_, place) => ({
    sqrtPrice: START_PRICE + STRETCH_WIDTH * BigInt(place + 1),
    liquidity: 105n * 10n ** 30n + BigInt(place) * 10n ** 29n,
  }));
  const end = curve.at(-1)?.sqrtPrice ?? START_PRICE;
  return dbcAccounts({
    config: { curve, sqrtStartPrice: START_PRICE, migrationSqrtPrice: end },
    state: { sqrtPrice: end - STRETCH_WIDTH / 3n, quoteReserve: 84_000_000_000n },
  });
}

function stateOf(known: Known): DbcState {
  const decoded = meteoraDbc.decode(POOL, known);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

/** Base units that the standard sizes come to at spot. */
function sizes(state: DbcState): readonly bigint[] {
  const spot = meteoraDbc.spotPrice(state, BASE_MINT);
  if (spot === null) throw new Error("nothing to sell into");
  return SIZES_LAMPORTS.map((lamports) => (lamports * spot.denominator) / spot.numerator);
}

function fastQuotes(known: Known, amounts: readonly bigint[]): Contender {
  const fast = openFastDbc(POOL, known, BASE_MINT);
  if (fast === null) throw new Error("the fast path did not open");
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

function sdkQuotes(known: Known, amounts: readonly bigint[]): Contender | null {
  const sdk = loadDbcSdk(null);
  if (sdk === null) return null;
  const opened = sdk.open(known, { pool: POOL, config: CONFIG }, CLOCK.slot);
  const quoteAll = () => amounts.map((amountIn) => String(opened.quote(amountIn, true)));
  return { run: () => void quoteAll(), outputs: quoteAll };
}

const quotes: Scenario = {
  goal: "8",
  name: "DBC, six quotes of a curve already read, beside the SDK's",
  bar: 7,
  ambition: 50,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const known = curveAccounts();
    const amounts = sizes(stateOf(known));
    const theirs = sdkQuotes(known, amounts);
    return theirs === null ? null : { ours: fastQuotes(known, amounts), theirs };
  },
};

export const meteoraDbcScenarios: readonly Scenario[] = [quotes];
