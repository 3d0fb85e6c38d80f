import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";

const TOOLS = new URL("../../packages/tools/package.json", import.meta.url);

type DuckDb = {
  readonly DuckDBInstance: {
    readonly create: (path: string) => Promise<{
      readonly connect: () => Promise<{
        readonly runAndReadAll: (sql: string) => Promise<{ readonly getRowObjects: () => Row[] }>;
      }>;
    }>;
  };
};
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs SQL in a DuckDB in memory; null after the test was marked as skipped where
 * `npm install --no-save --prefix test/packages/tools` was not run. In CI it is always there.
 */
export async function openDuckDb(
  t: Pick<TestContext, "skip"> | null,
): Promise<((sql: string) => Promise<readonly Row[]>) | null> {
  if (!existsSync(new URL("node_modules/@duckdb/node-api", TOOLS))) {
    if (process.env.CI)
      throw new Error("CI must have it: npm install --no-save --prefix test/packages/tools");
    t?.skip("DuckDB is not installed: npm install --no-save --prefix test/packages/tools");
    return null;
  }
  const { DuckDBInstance } = createRequire(TOOLS)("@duckdb/node-api") as DuckDb;
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();
}
