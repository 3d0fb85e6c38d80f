import fc from "fast-check";
import type { Bucket } from "#src/track/history/bucket.ts";
import { SAMPLE_EVERY_MS, type Sample } from "#src/track/history/sample.ts";

/** A sample as a bucket of its own. */
export function bucketOf(last: Sample): Bucket {
  return {
    last,
    firstMs: last.atMs,
    lowestC10Sol: last.c10Sol,
    lowestDepthSol: last.depthSol,
    wasUnknown: last.c10Sol === null,
  };
}

const figure = fc.float({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e6 });

/** Figures of one token; all are unknown if it was blocked. */
const figures = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constant({
      ...{ c10Sol: null, depthSol: null, mid: null, confidence: "low" as const },
      slippagesPct: [null, null, null, null, null, null],
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      c10Sol: figure,
      depthSol: figure,
      slippagesPct: fc.array(fc.option(figure), { minLength: 6, maxLength: 6 }),
      mid: fc.option(figure),
      confidence: fc.constantFrom("high" as const, "medium" as const, "low" as const),
    }),
  },
);

/** Distances of samples, in tens of seconds: bursts, a quiet token's five minutes, and gaps. */
const distance = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 6 }) },
  { weight: 4, arbitrary: fc.constant(30) },
  { weight: 1, arbitrary: fc.integer({ min: 31, max: 400 }) },
);

/**
 * Stored samples of one token from a time on, ascending, on the grid of ten seconds, in single precision;
 * consecutive samples often have the same figures.
 */
export function sampleSeries(
  startMs: number,
  { maxLength }: { readonly maxLength: number },
): fc.Arbitrary<readonly Sample[]> {
  const part = fc.record({ distance, figures, basis: fc.constantFrom(null, 1, 2 ** 32 - 1) });
  return fc.array(part, { maxLength, size: "max" }).map((parts) => {
    let atMs = startMs;
    let last: Omit<Sample, "atMs"> = {
      ...{ c10Sol: 1, depthSol: 2, slippagesPct: [1, 2, 3, 4, 5, null], mid: 0.5 },
      ...{ confidence: "high", basis: 9 },
    };
    return parts.map((next) => {
      atMs += next.distance * SAMPLE_EVERY_MS;
      last = { ...last, ...next.figures, basis: next.basis ?? last.basis };
      return { ...last, atMs };
    });
  });
}
