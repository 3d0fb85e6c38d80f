import { MS_PER_DAY } from "#src/platform/clock.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import type { NamedDetector } from "./detectors.ts";
import { SCRIPTS, type Script } from "./scripts.ts";
import { type Alarm, emptyTally, noteAlarm, type Tally, tallyMarket } from "./tally.ts";
import { addReading, drainsOf, emptySeries } from "./truth.ts";

/** Plays the markets of one script once, and lets every detector watch each of them. */
export function playScript(
  script: Script,
  detectors: readonly NamedDetector[],
  options: { readonly seed: number; readonly share: number },
): readonly Tally[] {
  const tallies = detectors.map(() => emptyTally());
  const markets = Math.max(1, Math.round(script.markets * options.share));
  for (let market = 0; market < markets; market++) {
    playMarket(script, detectors, tallies, seedOf(options.seed, script, market));
  }
  return tallies;
}

function playMarket(
  script: Script,
  detectors: readonly NamedDetector[],
  tallies: readonly Tally[],
  seed: number,
): void {
  const series = emptySeries();
  const watchers = detectors.map((detector) => detector.watch());
  const alarms: Alarm[][] = detectors.map(() => []);
  script.play(seededRandom(seed), (reading) => {
    addReading(series, reading);
    watchers.forEach((watch, index) => {
      const change = watch(reading);
      const own = alarms[index];
      if (change !== null && own !== undefined) noteAlarm(own, change, reading.timeMs);
    });
  });
  const drains = drainsOf(series);
  const days = ((series.timesMs.at(-1) ?? 0) - (series.timesMs[0] ?? 0)) / MS_PER_DAY;
  tallies.forEach((tally, index) => {
    tallyMarket(tally, { drains, alarms: alarms[index] ?? [], days });
  });
}

/** Every market has a seed of its own, so that none depends on how many were played before it. */
export function seedOf(seed: number, script: Script, market: number): number {
  const kind = SCRIPTS.indexOf(script) + 1;
  return (
    (Math.imul(seed, 0x9e3779b1) ^
      Math.imul(kind, 0x85ebca6b) ^
      Math.imul(market + 1, 0xc2b2ae35)) >>>
    0
  );
}
