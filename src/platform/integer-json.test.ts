import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { integerJson, parseIntegerJson } from "./integer-json.ts";

/** What our own messages hold: JSON, and integers of any width anywhere in it. */
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt(),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.constantFrom(null, true, "bigint"),
    fc.array(tie("value")),
    fc.dictionary(
      fc.string().filter((key) => key !== "bigint" && key !== "__proto__"),
      tie("value"),
      { noNullPrototype: true },
    ),
  ),
}));

test("a value with integers anywhere is read as it was written", () => {
  fc.assert(
    fc.property(values, (value) => {
      assert.deepEqual(parseIntegerJson(integerJson(value)), value);
    }),
    { numRuns: 300 },
  );
});

test("the text is that of a replacer, and the value stays as it was", () => {
  const replaced = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === "bigint" ? { bigint: String(part) } : part,
    );
  const oneOf = fc.constantFrom(undefined, Number.NaN, -0, [undefined, 1n], {
    a: undefined,
    b: 2n,
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(values, oneOf)), (value) => {
      const before = structuredClone(value);
      assert.equal(integerJson(value), replaced(value));
      assert.deepEqual(value, before);
    }),
    { numRuns: 300 },
  );
});

test("what only looks like an integer stays as it is, and text that is not JSON is undefined", () => {
  assert.deepEqual(parseIntegerJson('[{"bigint":"1x"},{"bigint":7}]'), [
    { bigint: "1x" },
    { bigint: 7 },
  ]);
  assert.equal(parseIntegerJson('{"bigint":"12'), undefined);
  const hostile = parseIntegerJson('{"__proto__":{"bigint":"1"},"a":{"bigint":"2"}}');
  assert.equal(Object.getPrototypeOf(hostile), Object.prototype);
});
