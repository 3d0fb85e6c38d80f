import type { Metric } from "./exposition.ts";

/** The calls to the RPC node, and the programs that it refuses to search. */
export type NodeCounts = {
  readonly calls: () => readonly {
    readonly method: string;
    readonly outcome: string;
    readonly calls: number;
  }[];
  readonly refusals: () => readonly {
    readonly method: string;
    readonly programId: string | null;
  }[];
};

/** Calls to the RPC node, without those of the accuracy thread, and what the node refuses. */
export function nodeMetrics(node: NodeCounts): readonly Metric[] {
  const refused = node.refusals().filter(({ method }) => method === "getProgramAccounts");
  const isWhole = refused.some(({ programId }) => programId === null);
  return [
    {
      name: "exitability_rpc_calls_total",
      help: "Calls sent to the RPC node, repetitions included; without those of the accuracy record's thread.",
      type: "counter",
      samples: node.calls().map(({ method, outcome, calls }) => ({
        labels: { method, outcome },
        value: calls,
      })),
    },
    {
      name: "exitability_rpc_refused_programs",
      help: "Programs whose pools the RPC node refuses to search now; -1: it refuses every search.",
      type: "gauge",
      samples: [{ labels: {}, value: isWhole ? -1 : refused.length }],
    },
  ];
}
