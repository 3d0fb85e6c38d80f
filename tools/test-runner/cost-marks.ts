import { writeFileSync } from "node:fs";
import { afterEach, beforeEach } from "node:test";
import { LOADING, type TestCost } from "./slowest.ts";

/**
 * Writes the costs of this process's tests to a file when the process ends. Tests run one after another;
 * a nested test counts for the outer test.
 *
 * @returns called before a file is loaded
 */
export function markCosts(output: string): (file: string) => void {
  const costs: TestCost[] = [];
  let running = { file: "", name: LOADING, wallMs: 0, cpuMs: 0 };
  let depth = 0;
  const begin = (file: string, name: string): void => {
    const now = elapsed();
    const cost = { wallMs: now.wallMs - running.wallMs, cpuMs: now.cpuMs - running.cpuMs };
    costs.push({ ...running, ...cost });
    running = { file, name, ...now };
  };
  beforeEach((t) => {
    if (depth++ === 0 && "fullName" in t) begin(running.file, t.fullName);
  });
  afterEach(() => {
    depth--;
  });
  process.on("exit", () => {
    begin("", LOADING);
    writeFileSync(output, JSON.stringify(costs));
  });
  return (file) => begin(file, LOADING);
}

function elapsed() {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
