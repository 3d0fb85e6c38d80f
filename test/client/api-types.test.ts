import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { GENERATED_FILE, generatedTypes } from "../../clients/typescript/tools/generate.ts";

const GENERATOR = "clients/typescript/node_modules/openapi-typescript";
const isMissing = !existsSync(GENERATOR) && process.env.CI === undefined;
const skip = isMissing ? "npm ci --prefix clients/typescript was not run" : false;

test("the client's types are those of the service's present schemas", { skip }, async () => {
  const isCurrent = readFileSync(GENERATED_FILE, "utf8") === (await generatedTypes());
  assert.ok(isCurrent, "run npm run generate --prefix clients/typescript");
});
