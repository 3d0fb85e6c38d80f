import type { Ledger } from "#src/node/ledger.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { toNumber } from "#src/units/to-number.ts";
import {
  applyOutsideTrade,
  changePoolLiquidity,
  type DemoPool,
  quoteUnitsPerLamport,
  tradeInPool,
  viewPool,
} from "./pool.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Something that a test, or a person who tries things out, makes happen to a token. */
export type DemoScript =
  /** Takes that share of its liquidity out; below zero puts it in. 9,950 is a rug. */
  | { readonly kind: "liquidity"; readonly shareBps: number }
  /** `isSilent`: no notification is sent, as if it were lost. */
  | { readonly kind: "fee"; readonly feePpm: number; readonly isSilent?: boolean }
  | { readonly kind: "pause"; readonly isPaused: boolean }
  | { readonly kind: "trade"; readonly side: "buy" | "sell"; readonly sol: number }
  /** Fills its curve and moves it to its pool. */
  | { readonly kind: "migrate" };

/** Does it in every pool that can; false where none can. */
export function applyScript(
  ledger: Ledger,
  pools: readonly DemoPool[],
  script: Exclude<DemoScript, { kind: "migrate" }>,
  random: SeededRandom,
): boolean {
  return pools.map((pool) => applyToPool(ledger, pool, script, random)).includes(true);
}

function applyToPool(
  ledger: Ledger,
  pool: DemoPool,
  script: Exclude<DemoScript, { kind: "migrate" }>,
  random: SeededRandom,
): boolean {
  const { program, address } = pool;
  const { clock } = ledger;
  switch (script.kind) {
    case "liquidity":
      return changePoolLiquidity(ledger, pool, script.shareBps, random);
    case "fee": {
      const changes = program.setFee?.(ledger, address, script.feePpm, clock) ?? null;
      if (changes === null) return false;
      if (script.isSilent === true) ledger.apply(changes, { isSilent: true });
      else applyOutsideTrade(ledger, pool, changes, random);
      return true;
    }
    case "pause": {
      const changes = program.setPaused?.(ledger, address, script.isPaused, clock) ?? null;
      if (changes === null) return false;
      applyOutsideTrade(ledger, pool, changes, random);
      return true;
    }
    case "trade":
      return tradeForSol(ledger, pool, script, random);
    default:
      return assertNever(script);
  }
}

function tradeForSol(
  ledger: Ledger,
  pool: DemoPool,
  trade: { readonly side: "buy" | "sell"; readonly sol: number },
  random: SeededRandom,
): boolean {
  const spot = viewPool(ledger, pool)?.spot ?? null;
  const perLamport = quoteUnitsPerLamport(pool.quoteMint);
  const quoteUnits = trade.sol * toNumber(LAMPORTS_PER_SOL) * perLamport;
  if (trade.side === "sell" && spot === null) return false;
  const units = trade.side === "buy" ? quoteUnits : quoteUnits / (spot ?? 1);
  const amountIn = BigInt(Math.floor(units));
  return tradeInPool(ledger, pool, { side: trade.side, amountIn, user: random.address() }, random);
}
