import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  namedAddress,
  type PlainPool,
  plainPool,
  plainVenue,
} from "#bench/detection/plain-pool-venue.ts";
import { type Delivery, ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { placeMint, placePool, SOL, setReserves } from "./plain-market.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

/**
 * Every market below is played twice by one script: once over a perfect feed, once over a broken
 * one. When the faults end, both trackers must say the same within the time of one reread.
 */

const TOKENS = 4;
const POOLS_PER_TOKEN = 3;
const STEPS = 150;
/** 25 s of chain time: one reread and what it starts. */
const HEALING_SLOTS = 63;

type Fault = {
  readonly name: string;
  readonly begin: (chain: ScriptedChain, random: SeededRandom) => void;
  readonly step: (chain: ScriptedChain, random: SeededRandom, market: Played) => void;
};

const deliver =
  (choose: (random: SeededRandom) => Delivery): Fault["begin"] =>
  (chain, random) => {
    chain.delivery = () => choose(random);
  };
const nothing = (): void => {};

const FAULTS: readonly Fault[] = [
  { name: "doubled updates", begin: deliver(() => "twice"), step: nothing },
  {
    name: "every third update lost",
    begin: deliver((random) => (random.chance(1 / 3) ? "lost" : "now")),
    step: nothing,
  },
  {
    name: "late and reordered updates",
    begin: deliver((random) => (random.chance(0.6) ? "held" : "now")),
    step: (chain, random) => {
      if (random.chance(0.2)) chain.release((updates) => random.shuffled(updates));
    },
  },
  {
    name: "reconnects that lose everything in between",
    begin: nothing,
    step: (chain, random) => {
      if (random.chance(0.05)) chain.delivery = () => "lost";
      if (random.chance(0.1)) {
        chain.delivery = () => "now";
        chain.gap(chain.slot - 10n);
      }
    },
  },
  {
    name: "reads from a node that lags",
    begin: deliver((random) => (random.chance(0.2) ? "lost" : "now")),
    step: (chain, random) => {
      if (random.chance(0.1)) chain.readLag = BigInt(random.below(40));
    },
  },
  {
    name: "a node that comes and goes",
    begin: deliver((random) => (random.chance(0.2) ? "lost" : "now")),
    step: (chain, random) => {
      if (random.chance(0.1)) chain.isReachable = random.chance(0.6);
    },
  },
  {
    name: "forks that lose",
    begin: nothing,
    step: (chain, random, market) => {
      if (!random.chance(0.1)) return;
      setReserves(chain, random.pick(market.pools), { base: 1n, quote: 1n });
      chain.undoSlot();
    },
  },
  {
    name: "reads that leave accounts out",
    begin: deliver((random) => (random.chance(0.2) ? "lost" : "now")),
    step: (chain, random, market) => {
      chain.leftOut.clear();
      if (random.chance(0.3)) chain.leftOut.add(random.pick(market.pools).vaultB);
    },
  },
  {
    name: "accounts that seem gone for a moment",
    begin: nothing,
    step: (chain, random, market) => {
      if (random.chance(0.1)) chain.pretendGone(random.pick(market.pools).vaultB);
    },
  },
];

type Played = {
  readonly chain: ScriptedChain;
  readonly tracker: Tracker;
  readonly pools: readonly PlainPool[];
};

const MINTS: readonly Address[] = Array.from({ length: TOKENS }, (_, index) =>
  namedAddress(`simulated ${index}`),
);

async function begin(): Promise<Played> {
  const chain = new ScriptedChain();
  const pools: PlainPool[] = [];
  for (const mint of MINTS) {
    placeMint(chain, mint);
    for (let index = 0; index < POOLS_PER_TOKEN; index++) {
      const pool = plainPool(`${mint} ${index}`, mint, WSOL);
      pools.push(placePool(chain, pool, { base: 10n ** 14n, quote: 60n * SOL }));
    }
  }
  chain.advance(1);
  const tracker = new Tracker({
    source: chain,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database: null,
  });
  await Promise.all(MINTS.map((mint) => tracker.snapshot(mint)));
  return { chain, tracker, pools };
}

/** One slot of trading, the same for the same `script`. */
function trade({ chain, pools }: Played, script: SeededRandom): void {
  for (const pool of pools) {
    if (!script.chance(0.3)) continue;
    const base = BigInt(50 + script.below(100)) * 10n ** 12n;
    setReserves(chain, pool, { base, quote: (6_000n * 10n ** 12n * SOL) / base });
  }
}

/** The rest of a slot, and the beginning of the next: what a node answers at a slot is final. */
async function pass({ chain, tracker }: Played, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot++) {
    tracker.tick();
    await tracker.idle();
    tracker.tick();
    chain.advance(1);
  }
}

function answers({ tracker }: Played): readonly Pick<Assessment, "measurement" | "blocked">[] {
  return MINTS.map((mint) => {
    const snapshot = tracker.latest(mint);
    assert.equal(snapshot?.kind, "assessed");
    const { measurement, blocked } = snapshot.assessment;
    return { measurement, blocked };
  });
}

/** The state of a market after a script that a fault disturbs. */
async function played(seed: number, fault: Pick<Fault, "begin" | "step">) {
  const market = await begin();
  const script = seededRandom(seed);
  const dice = seededRandom(seed + 1_000);
  fault.begin(market.chain, dice);
  for (let step = 0; step < STEPS; step++) {
    fault.step(market.chain, dice, market);
    trade(market, script);
    await pass(market, 1);
  }
  market.chain.heal();
  await pass(market, HEALING_SLOTS);
  const said = answers(market);
  await market.tracker.close();
  return said;
}

describe("over a broken feed", () => {
  const SEEDS = [1, 2, 3];
  let clean: readonly Awaited<ReturnType<typeof played>>[] = [];
  before(async () => {
    const undisturbed = { begin: nothing, step: nothing };
    clean = await Promise.all(SEEDS.map((seed) => played(seed, undisturbed)));
  });

  for (const fault of FAULTS) {
    test(`${fault.name} end in the state of a clean run`, async () => {
      for (const [place, seed] of SEEDS.entries())
        assert.deepEqual(await played(seed, fault), clean[place], `seed ${seed}`);
    });
  }
});

test("over a broken feed no answer mixes the two sides of a trade", async () => {
  for (const seed of [1, 2, 3]) {
    const market = await begin();
    const script = seededRandom(seed);
    const dice = seededRandom(seed + 1_000);
    for (let step = 0; step < 20; step++) {
      trade(market, script);
      await pass(market, 1);
    }
    market.chain.delivery = () => (dice.chance(0.3) ? "lost" : "now");
    for (let step = 0; step < STEPS; step++) {
      trade(market, script);
      await pass(market, 1);
      for (const { measurement } of answers(market)) {
        for (const pool of measurement?.pools ?? []) {
          const { spotPrice, depthLamports } = pool;
          assert.ok(spotPrice !== null);
          const product = spotPrice.denominator * depthLamports;
          const drift = Number(product) / (6_000e12 * 1e9) - 1;
          assert.ok(Math.abs(drift) < 1e-6, `seed ${seed}, step ${step}: ${drift}`);
        }
      }
    }
    await market.tracker.close();
  }
});
