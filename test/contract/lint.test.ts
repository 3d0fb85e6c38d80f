import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openapiDocument } from "#src/api/openapi.ts";
import { OPERATIONS } from "#src/api/operations.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { contractTool } from "./contract-tools.ts";

/** What Redocly's linter finds in a document by its recommended rules, warnings included. */
function findings(t: TestContext, document: object): readonly string[] {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "openapi.json"), JSON.stringify(document));
  const args = ["lint", "openapi.json", "--extends=recommended", "--format=json"];
  const { stdout, stderr } = spawnSync(process.execPath, [contractTool("redocly"), ...args], {
    cwd: directory,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    },
  });
  assert.ok(stdout.startsWith("{"), stderr);
  const { problems } = JSON.parse(stdout) as {
    problems: readonly {
      ruleId: string;
      message: string;
      location: readonly { pointer?: string }[];
    }[];
  };
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`,
  );
}

test("the linter finds nothing in the document", (t) => {
  const service = { version: "1.0.0", publicUrl: "https://exitability.example" };
  assert.deepEqual(findings(t, openapiDocument(OPERATIONS, service)), []);
});

test("the linter is not asleep: it finds an operation without its id", (t) => {
  const document = openapiDocument(
    OPERATIONS.map((operation) => ({ ...operation, id: "same" })),
    { version: "1.0.0", publicUrl: "https://exitability.example" },
  );
  assert.match(findings(t, document).join("\n"), /operation-operationId-unique/);
});
