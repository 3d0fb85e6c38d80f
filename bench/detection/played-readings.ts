import { MS_PER_DAY } from "#src/platform/clock.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import type { Address } from "#src/units/address.ts";
import {
  mintAccount,
  type PlainAccount,
  type PlainPool,
  plainPoolAccount,
  vaultAccount,
} from "./plain-pool-venue.ts";
import { seedOf } from "./run-detection.ts";
import type { Script } from "./scripts.ts";
import type { Reading } from "./stage.ts";
import { addReading, type Drain, drainsOf, emptySeries } from "./truth.ts";

const SUPPLY = 2n ** 63n;
/** A virtual market's base is in units of so many. */
const BASE_SCALE = 1e7;

/** A market played to its end, to be played again over a chain: every reading, and the truth. */
export type PlayedMarket = {
  readonly readings: readonly Reading[];
  readonly drains: readonly Drain[];
  readonly days: number;
};

/** The same market as detection itself plays for this seed and number; readings only go forward. */
export function playToEnd(script: Script, seed: number, market: number): PlayedMarket {
  const readings: Reading[] = [];
  const series = emptySeries();
  script.play(seededRandom(seedOf(seed, script, market)), (reading) => {
    const newest = readings.at(-1)?.timeMs ?? 0;
    if (reading.timeMs > newest) readings.push({ ...reading, market: { ...reading.market } });
    addReading(series, reading);
  });
  const days = ((readings.at(-1)?.timeMs ?? 0) - (readings[0]?.timeMs ?? 0)) / MS_PER_DAY;
  return { readings, drains: drainsOf(series), days };
}

export function mintFor(): PlainAccount {
  return mintAccount({ supply: SUPPLY });
}

/** The pool's accounts as this reading has the market. */
export function accountsOf(
  pool: PlainPool,
  { market }: Reading,
): ReadonlyMap<Address, PlainAccount> {
  const { feePpm, isPaused, base, quote } = market;
  return new Map([
    [pool.address, plainPoolAccount(pool, { feeBps: Math.round(feePpm / 100), isPaused })],
    [pool.vaultA, vaultAccount(pool.mintA, BigInt(Math.round(base * BASE_SCALE)))],
    [pool.vaultB, vaultAccount(pool.mintB, BigInt(Math.round(quote * 1e9)))],
  ]);
}
