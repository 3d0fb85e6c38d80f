import type { Metric } from "./exposition.ts";

/** The calls to the RPC node, and the programs that it refuses to search. */
export type NodeCounts = {
  readonly calls: () => readonly {
    readonly method: string;
    readonly outcome: string;
    readonly calls: number;
  }[];
  readonly refusedSearches: () => {
    /** Why every search is refused; null: not every one is. */
    readonly all: string | null;
    readonly programs: readonly unknown[];
  };
};

/** Calls to the RPC node, without those of the accuracy thread, and what the node refuses. */
export function nodeMetrics(node: NodeCounts): readonly Metric[] {
  const { all, programs } = node.refusedSearches();
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
      samples: [{ labels: {}, value: all === null ? programs.length : -1 }],
    },
  ];
}
