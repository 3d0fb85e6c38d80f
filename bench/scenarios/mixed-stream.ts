import type { Contender, Scenario } from "../scenario.ts";
import { meteoraDammScenarios } from "./meteora-damm.ts";
import { meteoraDlmmScenarios } from "./meteora-dlmm.ts";
import { pumpCurveScenarios } from "./pump-curve.ts";
import { pumpSwapScenarios } from "./pumpswap.ts";
import { raydiumClmmScenarios } from "./raydium-clmm.ts";
import { raydiumConstantProductScenarios } from "./raydium-constant-product.ts";

/**
 * Of twenty updates, how many reach which venue (performance.md section 5), each as the row of that
 * goal does it. Where a row leaves the SDK's decoding out, so does the mix: in the SDK's favour.
 */
const MIX = [
  { goal: "1", of: pumpSwapScenarios, updates: 9 },
  { goal: "3", of: pumpCurveScenarios, updates: 4 },
  { goal: "4a", of: raydiumConstantProductScenarios, updates: 2 },
  { goal: "11b", of: meteoraDlmmScenarios, updates: 2 },
  { goal: "7a", of: meteoraDammScenarios, updates: 2 },
  { goal: "9b", of: raydiumClmmScenarios, updates: 1 },
] as const;

type Part = { readonly contender: Contender; readonly updates: number };

/** Runs every part as often as its share says, in turn, so that no venue has the caches to itself. */
function inTurn(parts: readonly Part[]): Contender {
  const most = Math.max(...parts.map(({ updates }) => updates));
  const turns = Array.from({ length: most }, (_, round) =>
    parts.filter(({ updates }) => round < updates).map(({ contender }) => contender),
  ).flat();
  return {
    run: () => {
      for (const contender of turns) contender.run();
    },
    outputs: () => parts.flatMap(({ contender }) => contender.outputs()),
  };
}

const twentyUpdates: Scenario = {
  goal: "12",
  name: "twenty updates of a mixed stream to six quotes each, beside the SDKs",
  bar: 300,
  ambition: 1_200,
  ratio: "speedup",
  unit: "nanoseconds",
  prepare: async () => {
    const ours: Part[] = [];
    const theirs: Part[] = [];
    for (const { goal, of, updates } of MIX) {
      const prepared = await of.find((scenario) => scenario.goal === goal)?.prepare();
      if (prepared === null) return null;
      if (prepared === undefined) throw new Error(`no scenario has goal ${goal}`);
      ours.push({ contender: prepared.ours, updates });
      theirs.push({ contender: prepared.theirs, updates });
    }
    return { ours: inTurn(ours), theirs: inTurn(theirs) };
  },
};

export const mixedStreamScenarios: readonly Scenario[] = [twentyUpdates];
