import { ByteWriter } from "#demo/byte-writer.ts";
import { writePrice } from "#demo/programs/orca-whirlpool-accounts.ts";
import { orcaWhirlpool } from "#src/venues/orca-whirlpool/adapter.ts";
import { openFast } from "#src/venues/orca-whirlpool/fast.ts";
import { FastTickArray } from "#src/venues/orca-whirlpool/fast-tick-array.ts";
import { tickArrayAddress } from "#src/venues/orca-whirlpool/tick-arrays.ts";
import { arrayStarts } from "#src/venues/orca-whirlpool/tick-sequence.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { BENCHMARK_WHIRLPOOL, whirlpoolFixture } from "#test/support/pools/whirlpools.ts";
import { loadLegacyWhirlpools, loadWhirlpoolClient } from "#test/support/sdks/whirlpool-sdk.ts";
import { CLOCK, calling, copied, fromBytes, type Known, standardAmounts } from "./concentrated.ts";
import type { Contender, Scenario } from "./scenario.ts";

const { pool, mintA: coin, known } = whirlpoolFixture(BENCHMARK_WHIRLPOOL);
const { tickSpacing } = BENCHMARK_WHIRLPOOL;
const at = { pool, programId: orcaWhirlpool.programId };

function amounts(): readonly bigint[] {
  return standardAmounts(orcaWhirlpool.spotPrice(decodedState(orcaWhirlpool, pool, known), coin));
}

function ours(): Contender {
  const fast = openFast(pool, known, coin);
  if (fast === null) throw new Error("the fast path did not open");
  const others = copied(afterSwap(), orcaWhirlpool.programId);
  return fromBytes(fast, { known, others }, amounts());
}

/** The same pool after a sale of 0.7 SOL: another price, the same ticks. */
function afterSwap(): Known {
  const [first = 0n] = amounts();
  const order = { inputMint: coin, amountIn: (first * 7n) / 5n, clock: CLOCK };
  const quote = orcaWhirlpool.quoteExactIn(decodedState(orcaWhirlpool, pool, known), order);
  const account = known.get(pool) ?? null;
  if (quote.kind !== "filled" || account === null) throw new Error("the sale was refused");
  const writer = new ByteWriter(account.data.slice());
  writePrice(writer, quote.after);
  return new Map(known).set(pool, { ...account, data: writer.bytes });
}

const besideLegacy: Scenario = {
  goal: "10a",
  name: "Orca, new bytes of every account to six quotes, beside the legacy SDK's parsers and quotes",
  bar: 200,
  ambition: 700,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const legacy = loadLegacyWhirlpools(null);
    if (legacy === null) return null;
    const orders = amounts();
    return {
      ours: ours(),
      theirs: calling(() => {
        const decoded = legacy.decode(pool, known, true);
        return orders.map((amount) => String(decoded.quote(amount, CLOCK.unixTimestamp)));
      }),
    };
  },
};

const besideClient: Scenario = {
  goal: "10b",
  name: "Orca, new bytes of every account to six quotes, beside the new client's decoders and the WASM core's quotes",
  bar: 400,
  ambition: 1_700,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const decode = loadWhirlpoolClient();
    if (decode === null) return null;
    const orders = amounts();
    const arrays = arrayStarts(
      decodedState(orcaWhirlpool, pool, known).tickCurrent,
      tickSpacing,
      "down",
    ).map((start) => tickArrayAddress(at, start));
    return {
      ours: ours(),
      theirs: calling(() => {
        const quote = decode({ pool, arrays }, known, true);
        return orders.map((amount) => String(quote(amount, CLOCK.unixTimestamp)));
      }),
    };
  },
};

const arrayRead: Scenario = {
  goal: "15c",
  name: "Orca, a tick array of 10 KB read by the fast path, beside the legacy SDK's parser",
  bar: 100,
  ambition: 500,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const legacy = loadLegacyWhirlpools(null);
    const start =
      arrayStarts(decodedState(orcaWhirlpool, pool, known).tickCurrent, tickSpacing, "down")[1] ??
      0;
    const account = known.get(tickArrayAddress(at, start)) ?? null;
    if (legacy === null || account === null) return null;
    const array = new FastTickArray(start, tickSpacing, "down");
    return {
      ours: {
        run: () => void array.read(account.data),
        outputs: () => {
          array.read(account.data);
          return Array.from({ length: array.count }, (_, place) =>
            String((array.netHigh[place] ?? 0) * 2 ** 32 + (array.netLow[place] ?? 0)),
          );
        },
      },
      theirs: {
        run: () => void legacy.decodeTickArray(account),
        outputs: () =>
          legacy
            .decodeTickArray(account)
            .ticks.filter(({ initialized }) => initialized)
            .map(({ liquidityNet }) => String(liquidityNet)),
      },
    };
  },
};

export const orcaWhirlpoolScenarios: readonly Scenario[] = [besideLegacy, besideClient, arrayRead];
