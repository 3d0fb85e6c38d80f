import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const GENERATOR = "clients/typescript/node_modules/openapi-typescript";
const isMissing = !existsSync(GENERATOR) && process.env.CI === undefined;
const skip = isMissing ? "npm ci --prefix clients/typescript was not run" : false;

test("the client's types are those of the service's present schemas", { skip }, async () => {
  // Imported here: the tool has a top-level await, and a test file must load synchronously.
  const { GENERATED_FILE, generatedTypes } = await import(
    "../../clients/typescript/tools/generate.ts"
  );
  const isCurrent = readFileSync(GENERATED_FILE, "utf8") === (await generatedTypes());
  assert.ok(isCurrent, "run npm run generate --prefix clients/typescript");
});
