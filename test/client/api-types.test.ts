import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { generatedTypes } from "../../clients/typescript/tools/generate.ts";
import { typeText } from "../../clients/typescript/tools/type-text.ts";

test("the client's types are those of the service's present schemas", () => {
  const written = readFileSync("clients/typescript/src/api-types.ts", "utf8");
  assert.ok(written === generatedTypes(), "npm run generate --prefix clients/typescript");
});

test("a schema becomes the type of what it admits", () => {
  const cases = [
    [{ type: "integer" }, "number"],
    [{ $ref: "#/components/schemas/Token" }, "Token"],
    [{ enum: ["a", 1] }, '"a" | 1'],
    [{ anyOf: [{ type: "number" }, { type: "integer" }, { type: "null" }] }, "number | null"],
    [
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
      "readonly (string | null)[]",
    ],
    [
      { type: "object", patternProperties: { "^.*$": { type: "string" } } },
      "Readonly<Record<string, string>>",
    ],
    [
      { type: "object", required: ["a"], properties: { a: {}, "b-c": { type: "boolean" } } },
      '{\n  readonly a: unknown;\n  readonly "b-c"?: boolean | undefined;\n}',
    ],
    [
      {
        type: "object",
        properties: { error: { const: "not_found" }, message: { type: "string" } },
      },
      'Refusal<"not_found">',
    ],
  ] as const;
  for (const [schema, expected] of cases) assert.equal(typeText(schema), expected);
  assert.throws(() => typeText({ type: "tuple" }), /no TypeScript/);
});
