import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "tools");

/** Where a tool of test/contract/tools is; they are installed apart from the service's own packages. */
export function contractTool(name: "redocly" | "prism" | "openapi-ts" | "tsc"): string {
  const path = join(FOLDER, "node_modules", ".bin", name);
  assert.ok(existsSync(path), "npm ci --prefix test/contract/tools installs what is used here");
  return path;
}
