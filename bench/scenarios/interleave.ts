import { performance } from "node:perf_hooks";
import { median } from "../support/quantile.ts";
import type { Contender, Scenario } from "./scenario.ts";

const ROUNDS = 21;
const BATCH_MS = 4;
const WARM_UP_MS = 150;

export type Result = {
  readonly goal: string;
  readonly name: string;
  /** Median nanoseconds of one operation, or median bytes that it allocates. */
  readonly ours: number;
  readonly theirs: number;
  /** Median of the ratios of each round. */
  readonly ratio: number;
  readonly bar: number;
  readonly ambition: number;
  /** Whether both came to the same outputs before and after the rounds. */
  readonly agree: boolean;
};

/**
 * Times both contenders of a scenario in one process: each round runs a batch of each, in an order
 * drawn again, so that a noisy neighbour affects both. `random` is in [0, 1).
 */
export async function interleave(scenario: Scenario, random: () => number): Promise<Result | null> {
  const contenders = await scenario.prepare();
  if (contenders === null) return null;
  const { ours, theirs } = contenders;
  const agreedBefore = agree(ours, theirs);
  const batch = { ours: batchSize(ours), theirs: batchSize(theirs) };
  const costOf = scenario.unit === "heap bytes" ? heapOfBatch : timeBatch;
  const costs = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const order = random() < 0.5 ? (["ours", "theirs"] as const) : (["theirs", "ours"] as const);
    for (const side of order) costs[side].push(costOf(contenders[side], batch[side]));
  }
  const ratios = costs.ours.map((own, round) => {
    const other = costs.theirs[round] ?? Number.NaN;
    return scenario.ratio === "speedup" ? other / own : own / other;
  });
  return {
    goal: scenario.goal,
    name: scenario.name,
    ours: median(costs.ours),
    theirs: median(costs.theirs),
    ratio: median(ratios),
    bar: scenario.bar,
    ambition: scenario.ambition,
    agree: agreedBefore && agree(ours, theirs),
  };
}

/** Whether a result reaches a line, in the direction in which its scenario counts. */
export function reaches(scenario: Scenario, result: Result, line: number): boolean {
  return scenario.ratio === "speedup" ? result.ratio >= line : result.ratio <= line;
}

function agree(ours: Contender, theirs: Contender): boolean {
  const own = ours.outputs();
  const other = theirs.outputs();
  return (
    own.length > 0 && own.length === other.length && own.every((text, at) => text === other[at])
  );
}

/** Warms the contender up and says how many operations fill a batch. */
function batchSize(contender: Contender): number {
  const start = performance.now();
  let operations = 0;
  let elapsed = 0;
  while (elapsed < WARM_UP_MS) {
    contender.run();
    operations++;
    elapsed = performance.now() - start;
  }
  const warmNs = timeBatch(contender, Math.max(1, Math.floor(operations / 4)));
  return Math.max(1, Math.ceil((BATCH_MS * 1e6) / warmNs));
}

/** Nanoseconds of one operation, over a batch. */
function timeBatch(contender: Contender, operations: number): number {
  const start = performance.now();
  for (let index = 0; index < operations; index++) contender.run();
  return ((performance.now() - start) * 1e6) / operations;
}

/** Bytes that one operation allocates, over a batch; a batch that a collection falls into is repeated. */
function heapOfBatch(contender: Contender, operations: number): number {
  for (;;) {
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < operations; index++) contender.run();
    const allocated = process.memoryUsage().heapUsed - before;
    if (allocated >= 0) return allocated / operations;
  }
}
