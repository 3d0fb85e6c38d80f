import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "#src/platform/clock.ts";
import { type Random, seededRandom } from "#src/platform/seeded-random.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { NOTHING_TRACKED } from "#src/track/tracker-health.ts";
import { relayBus } from "#test/support/api/relay-bus.ts";
import { startReplica, TOPICS } from "#test/support/api/replica.ts";
import { closeAfter } from "#test/support/ending.ts";
import {
  SOME_MINT,
  someMarkets,
  someMeasurement,
  someSnapshot,
} from "#test/support/markets/assessments.ts";
import { MarketPublisher } from "./market-publisher.ts";
import type { RelayLink } from "./relay-link.ts";

const SEEDS = 20;
const STEPS = 300;
const START_MS = Date.UTC(2026, 9, 5, 12);
const log = { warn: () => undefined, info: () => undefined, error: () => undefined };
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A market of one token: every slot has the capacity that was measured last. */
class PlayedMarket {
  readonly capacities: number[] = [1];
  onSnapshot: (snapshot: AssessedSnapshot) => void = () => undefined;
  #newest = this.#at(0, { ...someMeasurement, c10Sol: 1 });

  get newest(): AssessedSnapshot {
    return this.#newest;
  }

  /** The next slot: the measurement is carried on, or there is a new one. */
  advance(isChanged: boolean): void {
    const slot = this.capacities.length;
    const held = this.#newest.assessment.measurement ?? someMeasurement;
    const measurement = isChanged ? { ...someMeasurement, c10Sol: slot } : held;
    this.capacities.push(measurement.c10Sol);
    this.#newest = this.#at(slot, measurement);
    this.onSnapshot(this.#newest);
  }

  #at(slot: number, measurement: typeof someMeasurement): AssessedSnapshot {
    const times = { slot: BigInt(slot), stateTimeMs: START_MS + slot };
    return someSnapshot({ measurement, ...times }) as AssessedSnapshot;
  }
}

/** A link that loses what it should receive while it is cut. */
function cuttable(link: RelayLink) {
  let isCut = false;
  const through = (listener: (text: string) => void) => (text: string) => {
    if (!isCut) listener(text);
  };
  const restored = new Set<() => void>();
  return {
    link: {
      ...link,
      subscribe: (topic, listener) => link.subscribe(topic, through(listener)),
      subscribeSharded: (topic, listener) => link.subscribeSharded(topic, through(listener)),
      onRestored: (listener) => {
        restored.add(listener);
        return () => void restored.delete(listener);
      },
    } satisfies RelayLink,
    setCut(cut: boolean) {
      const wasCut = isCut;
      isCut = cut;
      if (wasCut && !cut) for (const listener of restored) listener();
    },
  };
}

function play(t: TestContext, random: Random) {
  const bus = relayBus();
  const played = new PlayedMarket();
  const publisher = new MarketPublisher({
    ...{ link: bus.link, topics: TOPICS, term: 1n, facts: () => ({}), clock: systemClock, log },
    markets: someMarkets(() => played.newest, {
      latest: () => played.newest,
      onSnapshot(listener) {
        played.onSnapshot = listener;
        return () => undefined;
      },
      health: () => NOTHING_TRACKED,
    }),
    accuracyReport: () => ({}),
    proofOf: async () => ({}),
    onWatchlistChange: () => undefined,
  });
  publisher.start();
  closeAfter(t, () => publisher.close());
  const replicas = [0, 1].map(() => {
    const { link, setCut } = cuttable(bus.link);
    return { markets: startReplica(t, link), setCut };
  });
  const some = () => replicas[Math.floor(random() * replicas.length)];
  const actions: readonly (() => void)[] = [
    () => played.advance(true),
    () => played.advance(false),
    () => played.advance(false),
    () => void some()?.markets.snapshot(SOME_MINT),
    () => void some()?.markets.latest(SOME_MINT),
    () => some()?.setCut(true),
    () => some()?.setCut(false),
    () => t.mock.timers.tick(250),
  ];
  const step = () => actions[Math.floor(random() * actions.length)]?.();
  return { played, replicas, step };
}

test("a process shows no measurement at a slot that had another one, whatever is lost, and has the newest after it", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout", "Date"], now: START_MS });
  let shown = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { played, replicas, step } = play(t, seededRandom(seed));
    for (let count = 0; count < STEPS; count++) {
      step();
      if (count % 3 === 0) await settle();
      for (const { markets } of replicas) {
        const held = markets.latest(SOME_MINT);
        if (held?.kind !== "assessed") continue;
        shown++;
        const { slot, measurement } = held.assessment;
        assert.equal(measurement?.c10Sol, played.capacities[Number(slot)], `seed ${seed}`);
      }
    }
    for (const { markets, setCut } of replicas) {
      setCut(false);
      t.mock.timers.tick(1_000);
      await settle();
      void markets.snapshot(SOME_MINT);
      await settle();
    }
    for (let round = 0; round < 3; round++) {
      played.advance(false);
      t.mock.timers.tick(1_000);
      await settle();
    }
    for (const { markets } of replicas)
      assert.deepEqual(markets.latest(SOME_MINT), played.newest, `seed ${seed}`);
  }
  assert.ok(shown > SEEDS * STEPS, `${shown} answers`);
});
