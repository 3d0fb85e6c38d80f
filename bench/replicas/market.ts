import { assessToken } from "#src/track/answers/assess-token.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import { ASSESS_DEPS, followStream, START_MS } from "../support/follow-stream.ts";
import { buildStream } from "../support/update-stream.ts";

/** Measured snapshots of this many tokens, the same in every process. */
export function measuredSnapshots(tokens: number): readonly AssessedSnapshot[] {
  const { state } = followStream(buildStream({ tokens, swaps: 0, seed: 1 }));
  const snapshots: AssessedSnapshot[] = [];
  for (const token of state.tokens.values()) {
    const assessment = assessToken(state, token, ASSESS_DEPS, { nowMs: START_MS, maxAgeMs: 1_000 });
    if (assessment === null) throw new Error("a token of the stream was not measured");
    const named = { name: "A token of the benchmark", symbol: "TOKEN" };
    snapshots.push({
      kind: "assessed",
      assessment,
      trend: "stable",
      isDeteriorating: false,
      ...named,
    });
  }
  return snapshots;
}
