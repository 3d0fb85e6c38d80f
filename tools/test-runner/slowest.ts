/** What one test took: from its start to the start of the next one in its process. */
export type TestCost = {
  readonly file: string;
  /** Full name, beginning with the file. */
  readonly name: string;
  readonly wallMs: number;
  /** CPU time of the test process, without processes that a test starts. */
  readonly cpuMs: number;
};

/** From the start of a process, or the end of its last test, to the first test of its next file. */
export const LOADING = "loading";

type Named = { readonly name: string; readonly wallMs: number; readonly cpuMs: number };

/** The slowest tests and files by time and by CPU time, one a line, and the sums. */
export function slowestLines(costs: readonly TestCost[], count: number): string[] {
  const tests = costs.filter(({ name }) => name !== LOADING);
  const files = [...Map.groupBy(tests, ({ file }) => file)].map(([file, own]) => ({
    name: `${file} (${own.length})`,
    ...sumOf(own),
  }));
  const ranked = (what: string, all: readonly Named[], by: "wallMs" | "cpuMs") => [
    `${what} by ${by === "wallMs" ? "time" : "CPU time"} (time, CPU time in s):`,
    ...all
      .toSorted((a, b) => b[by] - a[by])
      .slice(0, count)
      .map(costLine),
  ];
  return [
    ...ranked("tests", tests, "wallMs"),
    ...ranked("tests", tests, "cpuMs"),
    ...ranked("files", files, "wallMs"),
    ...ranked("files", files, "cpuMs"),
    costLine({ name: "all tests", ...sumOf(tests) }),
    costLine({ name: LOADING, ...sumOf(costs.filter(({ name }) => name === LOADING)) }),
  ];
}

function sumOf(costs: readonly TestCost[]) {
  return {
    wallMs: costs.reduce((sum, { wallMs }) => sum + wallMs, 0),
    cpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
}

function costLine({ name, wallMs, cpuMs }: Named): string {
  return `${seconds(wallMs)} ${seconds(cpuMs)}  ${name}`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2).padStart(8);
}
