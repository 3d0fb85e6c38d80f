/** The service's Prometheus metrics, by name and labels. */
export async function readMetrics(metricsUrl: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(metricsUrl);
  const values = new Map<string, number>();
  for (const line of (await response.text()).split("\n")) {
    if (line.startsWith("#")) continue;
    const space = line.lastIndexOf(" ");
    if (space > 0) values.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return values;
}

export type TrackedFigures = {
  readonly tokens: number | null;
  readonly accounts: number | null;
  readonly waitingPools: number | null;
  readonly waitingTokens: number | null;
  readonly waitingSearches: number | null;
  readonly slotLag: number | null;
  readonly heapMb: number | null;
  readonly eventLoopP99Ms: number | null;
};

export function trackedFigures(metrics: ReadonlyMap<string, number>): TrackedFigures {
  const of = (name: string): number | null => metrics.get(name) ?? null;
  const heap = of("nodejs_heap_size_used_bytes");
  const delay = of("nodejs_eventloop_lag_p99_seconds");
  return {
    tokens: of("exitability_tracked_tokens"),
    accounts: of("exitability_tracked_accounts"),
    waitingPools: of('exitability_backlog{of="pools"}'),
    waitingTokens: of('exitability_backlog{of="tokens"}'),
    waitingSearches: of('exitability_backlog{of="searches"}'),
    slotLag: of("exitability_chain_slot_lag"),
    heapMb: heap === null ? null : Math.round(heap / 1e6),
    eventLoopP99Ms: delay === null ? null : Math.round(delay * 1e3),
  };
}
