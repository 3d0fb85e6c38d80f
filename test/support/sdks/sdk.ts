import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";

const BENCH_PACKAGE = new URL("../../../bench/sdks/package.json", import.meta.url);

/**
 * An official SDK from the benchmark's package (CommonJS build), or null after the test was marked
 * as skipped: `npm ci --prefix bench/sdks` brings them. In CI they are always there.
 */
export function loadSdk<Sdk>(t: Pick<TestContext, "skip"> | null, name: string): Sdk | null {
  if (existsSync(new URL(`node_modules/${name}`, BENCH_PACKAGE))) {
    return createRequire(BENCH_PACKAGE)(name) as Sdk;
  }
  if (process.env.CI) throw new Error(`CI must have ${name}: run npm ci --prefix bench/sdks`);
  t?.skip(`${name} is not installed: npm ci --prefix bench/sdks`);
  return null;
}
