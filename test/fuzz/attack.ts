import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { assess } from "#src/measure/assess.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { REFUSED } from "#src/venues/fast-quoter.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { mutate } from "./mutate.ts";

const SIZES = [1n, 1_000n, 1_000_000_000n, 1n << 52n, (1n << 64n) - 1n];

export type Attack = { readonly outcome: "pool" | "unusable"; readonly how: string };

/**
 * Decodes and quotes one recorded pool whose accounts were mutated, as tracking would: needed
 * accounts, outline, state, price, depth, quotes both ways, fast path against reference.
 *
 * @throws whatever a venue throws, with what was mutated: a venue never may
 */
export function attack(execution: RecordedExecution, random: () => number): Attack {
  const venue = VENUES.find(({ id }) => id === execution.venue);
  if (venue === undefined) throw new Error(`no venue ${execution.venue}`);
  const { pool, inputMint, outputMint, clock } = execution;
  const { known, how } = mutate(accountsOf(execution.accounts), random);
  try {
    venue.accountsNeeded(pool, known);
    venue.outline(pool, known);
    const decoded = venue.decode(pool, known);
    if (decoded.kind === "unusable") return { outcome: "unusable", how };
    const { state } = decoded;
    venue.status(state, clock);
    venue.cautions(state);
    for (const mint of [inputMint, outputMint]) {
      venue.spotPrice(state, mint);
      venue.reachable(state, mint, 1_000);
      venue.reachable(state, mint, 10_000);
      venue.feePpm(state, mint, clock);
      const quotes = SIZES.map((amountIn) => {
        const quote = venue.quoteExactIn(state, { inputMint: mint, amountIn, clock });
        return quote.kind === "filled" ? quote.amountOut : null;
      });
      checkFast(venue.openFast?.(pool, known, mint) ?? null, quotes, clock);
    }
    checkBeside(
      bindPool({
        venue,
        address: pool,
        state,
        baseMint: inputMint,
        quoteMint: WSOL,
        clock,
        fast: venue.openFast?.(pool, known, inputMint) ?? null,
      }),
    );
    return { outcome: "pool", how };
  } catch (error) {
    throw new Error(`${execution.venue} ${pool}: ${how}`, { cause: error });
  }
}

const HONEST = poolOfSol(100, 0.001, { number: 2 });

/** A pool of any bytes beside an honest one: the token keeps its answer. */
function checkBeside(pool: QuotablePool): void {
  const { blocked, measurement } = assess(marketOf([HONEST, pool]));
  if (blocked !== null) throw new Error(`the token is blocked: ${blocked}`);
  for (const ladder of [measurement?.retail, measurement?.pro]) {
    if (!Number.isFinite(ladder?.score)) throw new Error("no score");
  }
}

type Fast = ReturnType<NonNullable<(typeof VENUES)[number]["openFast"]>>;

/** Where the fast path answers, it answers as the reference does. */
function checkFast(
  fast: Fast,
  expected: readonly (bigint | null)[],
  clock: RecordedExecution["clock"],
): void {
  if (fast === null) return;
  const amountsIn = Float64Array.from(SIZES.slice(0, 4), Number);
  const amountsOut = new Float64Array(amountsIn.length);
  fast.quoteAscending(amountsIn, amountsOut, clock);
  for (const [index, amountOut] of amountsOut.entries()) {
    if (Number.isNaN(amountOut)) continue;
    const answered = amountOut === REFUSED ? null : BigInt(amountOut);
    if (answered !== expected[index]) {
      throw new Error(
        `fast path pays ${answered}, reference ${expected[index]} for ${SIZES[index]}`,
      );
    }
  }
}

function accountsOf(known: AccountSet): ReadonlyMap<Address, Account | null> {
  if (known instanceof Map) return known;
  throw new Error("recorded accounts are a Map");
}
