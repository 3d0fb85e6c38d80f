import type { KyselyPlugin } from "kysely";

/** Calls `step` before each statement is sent and after it was answered. */
export function countingPlugin(step: () => void): KyselyPlugin {
  return {
    transformQuery({ node }) {
      step();
      return node;
    },
    async transformResult({ result }) {
      step();
      return result;
    },
  };
}
