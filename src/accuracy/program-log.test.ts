import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address } from "#src/units/address.ts";
import { parseProgramLog } from "./program-log.ts";

const ROUTER = address("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4");
const PUMP = address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P");
const LAUNCHLAB = address("LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj");

function dataOf(lines: readonly string[]) {
  return parseProgramLog(lines).data.map(({ programId, kind, bytes }) => [
    programId,
    kind,
    Buffer.from(bytes).toString("base64"),
  ]);
}

test("data belongs to the program that runs when it is written", () => {
  const lines = [
    `Program ${ROUTER} invoke [1]`,
    `Program ${PUMP} invoke [2]`,
    "Program data: AQID",
    `Program ${PUMP} success`,
    "Program data: AQID",
    `Program ${LAUNCHLAB} invoke [2]`,
    `Program ${PUMP} invoke [3]`,
    `Program ${PUMP} failed: custom program error: 0x1`,
    "Program data: AQID",
    `Program ${LAUNCHLAB} success`,
    `Program ${ROUTER} success`,
    "Program data: AQID",
  ];
  assert.deepEqual(dataOf(lines), [
    [PUMP, "event", "AQID"],
    [ROUTER, "event", "AQID"],
    [LAUNCHLAB, "event", "AQID"],
  ]);
});

test("a program can't forge data, a call, or the end of a call by its own message", () => {
  const lines = [
    `Program ${ROUTER} invoke [1]`,
    "Program log: Program data: AQID",
    `Program log: Program ${PUMP} invoke [2]`,
    `Program log: x\nProgram ${ROUTER} success`,
    "Program data: AQID",
  ];
  assert.deepEqual(dataOf(lines), [[ROUTER, "event", "AQID"]]);
});

test("a truncated log is marked, and keeps the lines before", () => {
  const log = parseProgramLog([
    `Program ${PUMP} invoke [1]`,
    "Program log: ray_log: AwI=",
    "Log truncated",
  ]);
  assert.equal(log.isTruncated, true);
  assert.deepEqual([...log.programs], [PUMP]);
  assert.equal(log.data[0]?.kind, "ray-log");
});

test("invalid lines give no data", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("Program data: ", "Log truncated", `Program ${PUMP} success`),
    fc.string().map((text) => `Program data: ${text}`),
    fc.integer().map((depth) => `Program ${PUMP} invoke [${depth}]`),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const { data, programs } = parseProgramLog(lines);
      assert.ok(data.every(({ programId }) => programs.has(programId)));
    }),
    { numRuns: 300 },
  );
});
