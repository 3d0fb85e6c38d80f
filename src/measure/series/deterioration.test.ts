import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import {
  applySample,
  type CapacitySample,
  type DeteriorationChange,
  initialDeterioration,
  keptOf,
} from "./deterioration.ts";
import { type Losses, NO_LOSSES } from "./losses.ts";

const START = 1_790_000_000_000;

type Reading = {
  readonly at: number;
  readonly c10: number | null;
  readonly basis?: number;
  readonly losses?: Partial<Losses>;
};

/** Every change of the alert, by the second at which it came. */
function judge(readings: readonly Reading[]) {
  const state = initialDeterioration();
  const changes: { readonly at: number; readonly change: DeteriorationChange }[] = [];
  for (const { at, c10, basis, losses } of readings) {
    const sample: CapacitySample = {
      timeMs: START + 1_000 * at,
      c10Sol: c10,
      basis: basis ?? 1,
      losses: losses === undefined ? null : { ...NO_LOSSES, ...losses },
    };
    const change = applySample(state, sample);
    if (change !== null) changes.push({ at, change });
  }
  return { changes, state };
}

function steady(from: number, to: number, c10: number | null, basis = 1): readonly Reading[] {
  const readings: Reading[] = [];
  for (let at = from; at < to; at += 10) readings.push({ at, c10, basis });
  return readings;
}

const onAt = (readings: readonly Reading[]) =>
  judge(readings)
    .changes.filter(({ change }) => change.kind === "on")
    .map(({ at }) => at);

describe("the jump", () => {
  test("alerts when C10 falls by 30 % within 60 s, and not by 29 %", () => {
    assert.deepEqual(onAt([...steady(0, 600, 10), { at: 600, c10: 7 }]), [600]);
    assert.deepEqual(onAt([...steady(0, 600, 10), { at: 600, c10: 7.1 }]), []);
  });

  test("adds up falls within 60 s, whatever their number", () => {
    const fall = [9.4, 8.8, 8.2, 7.6, 7, 6.9].map((c10, step) => ({ at: 600 + 10 * step, c10 }));
    assert.deepEqual(onAt([...steady(0, 600, 10), ...fall]), [640]);
  });

  test("alerts on a known pause, with that cause", () => {
    const { changes } = judge([
      ...steady(0, 600, 10),
      { at: 600, c10: 0, losses: { paused: 6.9 } },
    ]);
    const [first] = changes;
    assert.ok(first?.change.kind === "on");
    assert.deepEqual(first.change.deterioration.cause, { kind: "paused", share: 1 });
    assert.equal(first.change.deterioration.c10Sol, 0);
  });

  test("keeps the figures before and after, and the main cause", () => {
    const { changes } = judge([
      ...steady(0, 600, 10),
      { at: 604, c10: 4, losses: { withdrawn: 0.75 * Math.log(2.5), sold: 0.25 * Math.log(2.5) } },
    ]);
    const [first] = changes;
    assert.ok(first?.change.kind === "on");
    const { detector, cause, causes } = first.change.deterioration;
    const { levelSol, c10Sol, sinceMs } = first.change.deterioration;
    assert.equal(detector, "jump");
    assert.equal(sinceMs, START + 604_000);
    assert.equal(cause?.kind, "withdrawn");
    assert.ok(Math.abs((cause?.share ?? 0) - 0.75) < 1e-9);
    assert.ok(Math.abs(causes.sold - 0.25) < 1e-9);
    assert.ok(Math.abs(levelSol - 10) < 1e-4 && Math.abs(c10Sol - 4) < 1e-4);
  });
});

describe("a slot's withdrawals", () => {
  test("alert at 20 % of the ten-minute median, and not at 19 %", () => {
    const after = (share: number) => [
      ...steady(0, 600, 10),
      { at: 600, c10: 10 * (1 - share), losses: { withdrawn: -Math.log(1 - share) } },
    ];
    assert.deepEqual(onAt(after(0.201)), [600]);
    assert.deepEqual(onAt(after(0.1)), []);
  });

  test("case 4: liquidity that comes and goes within a minute raises no alert, however much it is", () => {
    for (const factor of [1.3, 2, 50]) {
      const flashes = Array.from({ length: 40 }, (_, flash) => [
        { at: 600 + 97 * flash, c10: 10 * factor, losses: { withdrawn: -Math.log(factor) } },
        { at: 604 + 97 * flash + (flash % 50), c10: 10, losses: { withdrawn: Math.log(factor) } },
      ]).flat();
      assert.deepEqual(onAt([...steady(0, 600, 10), ...flashes]), []);
    }
  });

  test("case 4: flash liquidity does not turn an alert off", () => {
    const { state } = judge([
      ...steady(0, 600, 10),
      { at: 600, c10: 4, losses: { withdrawn: Math.log(2.5) } },
      { at: 700, c10: 10, losses: { withdrawn: -Math.log(2.5) } },
      { at: 710, c10: 4, losses: { withdrawn: Math.log(2.5) } },
    ]);
    assert.ok(state.alert !== null);
  });

  test("case 4: a fall that no pool's loss explains is not a deterioration, and its return is not a rise", () => {
    const wobble = Array.from({ length: 60 }, (_, turn) => [
      { at: 600 + 60 * turn, c10: 2, losses: {} },
      { at: 630 + 60 * turn, c10: 10, losses: {} },
    ]).flat();
    const hidden = { at: 4_300, c10: 4, losses: { withdrawn: Math.log(2.5) } };
    assert.deepEqual(onAt([...steady(0, 600, 10), ...wobble]), []);
    assert.deepEqual(onAt([...steady(0, 600, 10), ...wobble, hidden]), [4_300]);
  });
});

describe("drift", () => {
  const slices = (pct: number, isKnown: boolean): readonly Reading[] =>
    Array.from({ length: 30 }, (_, slice) => ({
      at: 600 + 70 * slice,
      c10: 10 * (1 - pct / 100) ** (slice + 1),
      losses: isKnown
        ? { withdrawn: -Math.log(1 - pct / 100) }
        : { sold: -Math.log(1 - pct / 100) },
    }));

  test("alerts on a slide in small steps before 45 % are gone", () => {
    const { changes } = judge([...steady(0, 600, 10), ...slices(4, false)]);
    const [first] = changes;
    assert.ok(first?.change.kind === "on");
    const { detector, c10Sol, levelSol } = first.change.deterioration;
    assert.equal(detector, "drift");
    assert.ok(c10Sol > 5.5 && Math.abs(levelSol - 10) < 1e-4, `${c10Sol} from ${levelSol}`);
  });

  test("alerts on withdrawals in small slices before a third is gone", () => {
    const { changes } = judge([...steady(0, 600, 10), ...slices(4, true)]);
    const [first] = changes;
    assert.ok(first?.change.kind === "on");
    assert.equal(first.change.deterioration.detector, "withdrawal");
    assert.ok(first.change.deterioration.c10Sol > 6.7, String(first.change.deterioration.c10Sol));
  });

  test("subtracts a withdrawal that is put back", () => {
    const backAndForth = Array.from({ length: 40 }, (_, turn) => ({
      at: 600 + 60 * turn,
      c10: turn % 2 === 0 ? 8.5 : 10,
      losses: { withdrawn: turn % 2 === 0 ? -Math.log(0.85) : 0 },
    }));
    assert.deepEqual(onAt([...steady(0, 600, 10), ...backAndForth]), []);
  });

  test("does not alert on decay of less than 1 % a minute", () => {
    const decay = Array.from({ length: 3_600 }, (_, step) => ({
      at: 10 * step,
      c10: 50 * Math.exp(-0.0095 * (step / 6)),
    }));
    assert.deepEqual(onAt(decay), []);
  });

  test("asks for more on a token that moves much by chance", () => {
    const random = seededRandom(5);
    let log = Math.log(50);
    const wild = Array.from({ length: 8_640 }, (_, step) => {
      log += (random() - 0.5) * 0.035 - 0.000_05 * (log - Math.log(50));
      return { at: 10 * step, c10: Math.exp(log) };
    });
    assert.deepEqual(onAt(wild), []);
  });
});

describe("withdrawn over a day", () => {
  /** C10 falls by `pct` every `everySeconds`, by withdrawals, with a reading every 10 s. */
  const drain = (pct: number, everySeconds: number): readonly Reading[] => {
    const readings: Reading[] = [];
    let c10 = 10.86;
    for (let at = 600; at < 600 + 4 * 3_600; at += 10) {
      const isSlice = (at - 600) % everySeconds < 10;
      if (isSlice) c10 *= 1 - pct / 100;
      readings.push({ at, c10, losses: isSlice ? { withdrawn: -Math.log(1 - pct / 100) } : {} });
    }
    return readings;
  };

  for (const [pct, everySeconds] of [
    [19, 1_320],
    [10, 640],
    [1, 61],
  ] as const) {
    test(`case 9: ${pct} % every ${everySeconds} s alerts before 60 % are gone`, () => {
      const { changes } = judge([...steady(0, 600, 10.86), ...drain(pct, everySeconds)]);
      const [first] = changes;
      assert.ok(first?.change.kind === "on");
      const { c10Sol, levelSol, cause } = first.change.deterioration;
      assert.ok(c10Sol > 0.4 * 10.86, String(c10Sol));
      assert.ok(c10Sol > 0.4 * levelSol, `${c10Sol} of ${levelSol}`);
      assert.equal(cause?.kind, "withdrawn");
    });
  }

  test("counts over a gap and over a restart", () => {
    const half = [
      ...steady(0, 600, 10),
      { at: 600, c10: 8.2, losses: { withdrawn: Math.log(10 / 8.2) } },
      ...steady(610, 4_000, 8.2).map((reading) => ({ ...reading, losses: {} })),
    ];
    const { state } = judge(half);
    const restarted = initialDeterioration(keptOf(state), { timeMs: 0, basis: 1 });
    const change = applySample(restarted, {
      timeMs: START + 9_000_000,
      c10Sol: 4.5,
      basis: 1,
      losses: { ...NO_LOSSES, withdrawn: Math.log(8.2 / 4.5) },
    });
    assert.equal(change?.kind, "on");
    assert.equal(change?.deterioration.detector, "drain");
  });

  test("is reset by liquidity put back, and by a level that others restored", () => {
    const turns = Array.from({ length: 40 }, (_, turn) => ({
      at: 600 + 600 * turn,
      c10: turn % 2 === 0 ? 8.5 : 10,
      losses: { withdrawn: (turn % 2 === 0 ? 1 : -1) * Math.log(10 / 8.5) },
    }));
    assert.deepEqual(onAt([...steady(0, 600, 10), ...turns]), []);
  });

  test("pools that others open and close again and again do not make a fall of the price a drain", () => {
    const step = Math.log(1.05);
    const cycles = Array.from({ length: 40 }, (_, turn) => ({
      at: 600 + 90 * turn,
      c10: turn % 2 === 0 ? 10.5 : 10,
      losses: turn % 2 === 0 ? { appeared: step } : { withdrawn: step },
    }));
    const slide = Array.from({ length: 360 }, (_, index) => ({
      at: 4_300 + 10 * index,
      c10: 10 * 0.7 ** (index / 360),
      losses: { sold: Math.log(1 / 0.7) / 360 },
    }));
    assert.deepEqual(onAt([...steady(0, 600, 10), ...cycles, ...slide]), []);
  });

  test("a pool that is lost from sight and found again makes up for no withdrawal", () => {
    const found = Array.from({ length: 10 }, (_, turn) => ({
      at: 600 + 90 * turn,
      c10: turn % 2 === 0 ? 7 : 10,
      losses: turn % 2 === 0 ? {} : { appeared: Math.log(10 / 7) },
    }));
    const slices = drain(10, 640).map((reading) => ({ ...reading, at: reading.at + 1_500 }));
    const [first] = judge([...steady(0, 600, 10), ...found, ...slices]).changes;
    assert.ok(first?.change.kind === "on");
    const { c10Sol, levelSol } = first.change.deterioration;
    assert.ok(c10Sol > 0.4 * levelSol, `${c10Sol} of ${levelSol}`);
  });
});

describe("gone after a gap", () => {
  test("alerts where less than half of the last known level is left", () => {
    const gap = [...steady(0, 600, 10), { at: 600, c10: null }];
    const withdrawn = { at: 610, c10: 4.9, losses: { withdrawn: Math.log(10 / 4.9) } };
    assert.deepEqual(onAt([...gap, withdrawn]), [610]);
    assert.deepEqual(onAt([...gap, { ...withdrawn, basis: 2 }]), []);
  });
});

describe("what is never a deterioration", () => {
  test("a gap after which half of C10 is left, and one over which no pool lost anything", () => {
    const gap = [...steady(0, 600, 10), { at: 600, c10: null }];
    assert.deepEqual(onAt([...gap, ...steady(610, 1_200, 5.1)]), []);
    assert.deepEqual(onAt([...gap, { at: 610, c10: 1, losses: {} }, ...steady(620, 1_200, 1)]), []);
  });

  test("another basis: a migration, another source, a pool found late", () => {
    assert.deepEqual(onAt([...steady(0, 600, 10), ...steady(600, 1_200, 1, 2)]), []);
  });

  test("a sample that is older than the newest", () => {
    assert.deepEqual(onAt([...steady(0, 600, 10), { at: 300, c10: 1 }, { at: 600, c10: 10 }]), []);
  });
});

describe("the alert turns off", () => {
  const fallen = [...steady(0, 600, 10), { at: 600, c10: 4 }];
  const offOf = (readings: readonly Reading[]) =>
    judge(readings).changes.flatMap(({ at, change }) =>
      change.kind === "off" ? [[at, change.reason]] : [],
    );

  test("when C10 is back at 80 % of its level before the fall, and not at 79 %", () => {
    assert.deepEqual(offOf([...fallen, ...steady(700, 800, 7.9)]), []);
    assert.deepEqual(offOf([...fallen, ...steady(700, 800, 8.01)]), [[770, "recovered"]]);
  });

  test("after 30 minutes without a new low at least 5 % deeper", () => {
    assert.deepEqual(offOf([...fallen, ...steady(610, 2_600, 3.85)]), [[2_400, "new-normal"]]);
    const deeper = [...fallen, { at: 1_000, c10: 3.7 }, ...steady(1_010, 3_000, 3.7)];
    assert.deepEqual(offOf(deeper), [[2_800, "new-normal"]]);
  });

  test("by its time alone where the basis has changed meanwhile", () => {
    assert.deepEqual(offOf([...fallen, ...steady(610, 2_600, 10, 2)]), [[2_400, "new-normal"]]);
  });

  test("during a gap too, when its time has come", () => {
    assert.deepEqual(offOf([...fallen, { at: 2_399, c10: null }, { at: 2_400, c10: null }]), [
      [2_400, "new-normal"],
    ]);
  });

  test("and comes again only on a new fall", () => {
    const again = [...fallen, { at: 700, c10: 9 }, ...steady(710, 1_400, 9), { at: 1_400, c10: 5 }];
    assert.deepEqual(onAt(again), [600, 1_400]);
    assert.deepEqual(onAt([...fallen, ...steady(610, 4_000, 4)]), [600]);
  });
});

test("a token's state stays small, however long it is followed", () => {
  const { state } = judge(steady(0, 20_000, 10));
  assert.equal(state.statistics?.peaks.length, 60);
  assert.ok(state.levels.hours.length <= 6 * 24);
  assert.ok(JSON.stringify(state).length < 5_000);
});
