import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";

const BIN = join(import.meta.dirname, "tools", "python", "bin");
const INSTALL =
  "python3 -m venv test/contract/tools/python && test/contract/tools/python/bin/pip install -r test/contract/tools/requirements.txt";

/** The environment in which the tools of requirements.txt run; null, and the test skipped, without them. */
export function pythonTools(t: TestContext): Readonly<Record<string, string>> | null {
  if (existsSync(join(BIN, "schemathesis"))) {
    return { PATH: `${BIN}${delimiter}${process.env.PATH}`, PYTHONDONTWRITEBYTECODE: "1" };
  }
  if (process.env.CI) throw new Error(`CI must have them: ${INSTALL}`);
  t.skip(`the Python tools are not installed: ${INSTALL}`);
  return null;
}
