import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { formatTable } from "#src/cli/output.ts";
import { assessToken } from "#src/track/assess-token.ts";
import { SampleBlock } from "#src/track/history/sample-block.ts";
import { observe } from "#src/track/history/series.ts";
import { ASSESS_DEPS, followStream, START_MS } from "./follow-stream.ts";
import { buildStream } from "./update-stream.ts";

// What a live token takes: its accounts' bytes, pools, quoters, last answer, and half an hour of samples.

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "20000" },
  },
});

const GOAL = { tokens: 100_000, bytes: 4 * 2 ** 30 } as const;
const SAMPLES = 180;
const SAMPLE_MS = 10_000;

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

const small = await measure(500);
const large = await measure(Number(values.tokens));
const perToken = (large.bytes - small.bytes) / (large.tokens - small.tokens);
const projected = small.bytes + perToken * (GOAL.tokens - small.tokens);
if (values.json) {
  console.log(JSON.stringify({ tokens: large.tokens, bytesPerToken: perToken, projected }));
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
}
process.exitCode = projected < GOAL.bytes ? 0 : 1;

async function measure(tokens: number) {
  const before = await used();
  const stream = buildStream({ tokens, swaps: 0, seed: Number(values.seed) });
  const live = followStream(stream);
  const blocks: unknown[] = [];
  for (const token of live.state.tokens.values()) {
    const measured = assessToken(live.state, token, ASSESS_DEPS, {
      nowMs: START_MS,
      maxAgeMs: 1_000,
    });
    if (measured === null) continue;
    const { assessment } = measured;
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
      token.series = observed.series;
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
