import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { formatTable } from "#src/cli/output.ts";
import { assessToken } from "#src/track/answers/assess-token.ts";
import { SampleBlock } from "#src/track/history/sample-block.ts";
import { observe } from "#src/track/history/series.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { ASSESS_DEPS, followStream, START_MS } from "./support/follow-stream.ts";
import { readOptions } from "./support/options.ts";
import { buildStream, type VenueMix } from "./support/update-stream.ts";

// What a live token takes: its accounts' bytes, pools, quoters, last answer, and half an hour of samples.
// Measured for the mix of venues, and for each venue alone. Each token has one pool.

const { values } = readOptions(
  "Memory of a live token, of the mix of venues and of each venue alone.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "20000", help: "of the mix" },
    "venue-tokens": { type: "string", default: "2000", help: "of each venue" },
  },
);

const GOAL = { tokens: 100_000, bytes: 4 * 2 ** 30 } as const;
const SAMPLES = 180;
const SAMPLE_MS = 10_000;

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

const { small, large, perToken } = await measureBoth(Number(values.tokens));
const projected = small.bytes + perToken * (GOAL.tokens - small.tokens);
const byVenue: [VenueId, number][] = [];
for (const { venue } of MARKET_PROGRAMS) {
  const alone = await measureBoth(Number(values["venue-tokens"]), [[venue, 1]]);
  byVenue.push([venue, Math.round(alone.perToken)]);
}
if (values.json) {
  const bytesByVenue = Object.fromEntries(byVenue);
  console.log(
    JSON.stringify({ tokens: large.tokens, bytesPerToken: perToken, projected, bytesByVenue }),
  );
} else {
  console.log(
    formatTable([
      ["tokens measured", "bytes per token", "100,000 tokens, MiB", "goal, MiB"],
      [
        large.tokens,
        Math.round(perToken),
        Math.round(projected / 2 ** 20),
        Math.round(GOAL.bytes / 2 ** 20),
      ],
    ]),
  );
  console.log(`\n${formatTable([["venue", "bytes per token"], ...byVenue])}`);
}
process.exitCode = projected < GOAL.bytes ? 0 : 1;

/** Memory of a few tokens and of many: the difference gives the memory of one token. */
async function measureBoth(tokens: number, mix?: VenueMix) {
  const small = await measure(Math.min(500, tokens / 4), mix);
  const large = await measure(tokens, mix);
  const perToken = (large.bytes - small.bytes) / (large.tokens - small.tokens);
  return { small, large, perToken };
}

async function measure(tokens: number, mix?: VenueMix) {
  const before = await used();
  const seed = Number(values.seed);
  const stream = buildStream({ tokens, swaps: 0, seed, ...(mix === undefined ? {} : { mix }) });
  const live = followStream(stream);
  const blocks: unknown[] = [];
  for (const token of live.state.tokens.values()) {
    const assessment = assessToken(live.state, token, ASSESS_DEPS, {
      nowMs: START_MS,
      maxAgeMs: 1_000,
    });
    if (assessment === null) continue;
    const block = new SampleBlock(SampleBlock.hourOf(START_MS));
    for (let sample = 0; sample < SAMPLES; sample++) {
      const nowMs = START_MS + sample * SAMPLE_MS;
      const current = { ...assessment, stateTimeMs: nowMs };
      const observed = observe(token.series, {
        assessment: current,
        nowMs,
        chainMs: nowMs,
        isClosed: () => false,
      });
      if (sample === 0 && observed.sample !== null) block.add(observed.sample);
    }
    blocks.push(block);
  }
  const bytes = (await used()) - before;
  // Named here so that none of it is collected before it is weighed.
  return { tokens: Math.max(live.state.tokens.size, blocks.length), bytes };
}

async function used(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    if (typeof collect === "function") collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
