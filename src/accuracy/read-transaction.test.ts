import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address } from "#src/units/address.ts";
import { SWAP_READERS } from "#src/venues/all.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import { parseProgramLog } from "./program-log.ts";
import { readTransaction } from "./read-transaction.ts";

const POOL = address("8HbgiXuiNbHRcxiNG8UBD8GLewoy6QVDnPFPgjFGmszf");
const SELF_CALL = discriminator("e445a52e51cb9a1d");
/** What events and instructions of all programs begin with. */
const STARTS = [
  "bddb7fd34ee661ee",
  "3e2f370aa503dc2a",
  "67f4521f2cf57777",
  "40c6cde8260871e2",
  "516ce3becdd00ac4",
  "2e7452d7941b544d",
  "bd4233a826507599",
  "1b3c15d58aaabb93",
  "e1ca49af932ba096",
  "f8c69e91e17587c8",
  "2b04ed0b1ac91e62",
  "414b3f4ceb5b5b88",
  "c360ed6c44a2dbe6",
].map(discriminator);

test("hostile bytes give no swap", () => {
  const bytes = fc
    .tuple(fc.constantFrom(...STARTS), fc.uint8Array({ maxLength: 500 }))
    .map(([start, rest]) => Uint8Array.of(...start, ...rest));
  const program = fc.constantFrom(...SWAP_READERS.map(({ venue }) => venue.programId));
  const instruction = fc.record({
    programId: program,
    accounts: fc.array(fc.constant(POOL), { maxLength: 14 }),
    data: fc.oneof(
      bytes,
      fc.uint8Array({ maxLength: 40 }),
      bytes.map((event) => Uint8Array.of(...SELF_CALL, ...event)),
    ),
  });
  const line = fc
    .tuple(program, bytes)
    .map(([programId, event]) => [
      `Program ${programId} invoke [1]`,
      `Program data: ${Buffer.from(event).toString("base64")}`,
      `Program log: ray_log: ${Buffer.from(event.subarray(8)).toString("base64")}`,
      `Program ${programId} success`,
    ]);
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 4 }),
      fc.option(fc.array(instruction, { maxLength: 6 })),
      (lines, instructions) => {
        const logs = lines.flat();
        const transaction = { signature: "s", slot: 1n, logs, instructions };
        const reading = readTransaction(transaction, parseProgramLog(logs));
        if (reading.kind !== "whole") return;
        for (const swap of reading.swaps) assert.equal(typeof swap.pool, "string");
      },
    ),
    { numRuns: 500 },
  );
});

test("the same event is a swap of the program that logged it, and of no other", () => {
  const event = pumpTrade();
  for (const { venue } of SWAP_READERS) {
    const lines = eventOf(venue.programId, event);
    const transaction = { signature: "s", slot: 1n, logs: lines, instructions: [] };
    const reading = readTransaction(transaction, parseProgramLog(lines));
    assert.ok(reading.kind === "whole");
    const isRead = venue.id === "pump-curve" || venue.id === "raydium-launchlab";
    assert.equal(reading.swaps.length, isRead ? 1 : 0, venue.id);
  }
});

test("a truncated log, or one without a swap, requires the transaction itself", () => {
  const pump = "6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P";
  const kinds = [
    [`Program ${pump} invoke [1]`, `Program ${pump} success`],
    [`Program ${pump} invoke [1]`, "Log truncated"],
    [],
    [`Program ${POOL} invoke [1]`, `Program ${POOL} success`],
  ].map((logs) => {
    const transaction = { signature: "s", slot: 1n, logs, instructions: null };
    return readTransaction(transaction, parseProgramLog(logs)).kind;
  });
  assert.deepEqual(kinds, ["partial", "partial", "partial", "foreign"]);
});

test("a truncated event marks its program unreadable, and keeps the others' swaps", () => {
  const [short, whole] = [pumpTrade().subarray(0, 150), pumpTrade()];
  const launchLab = "LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj";
  const logs = [
    ...eventOf("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P", short),
    ...eventOf(launchLab, whole),
  ];
  const partly = { signature: "s", slot: 1n, logs, instructions: null };
  assert.equal(readTransaction(partly, parseProgramLog(logs)).kind, "partial");
  const reading = readTransaction({ ...partly, instructions: [] }, parseProgramLog(logs));
  assert.ok(reading.kind === "whole");
  assert.deepEqual([...reading.unreadable], ["6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"]);
  assert.equal(reading.swaps.length, 1);
});

/** Long enough for the trade events of pump's curve and LaunchLab, which begin alike. */
function pumpTrade(): Uint8Array {
  const event = Uint8Array.of(...discriminator("bddb7fd34ee661ee"), ...new Uint8Array(375));
  event[146] = 1;
  return event;
}

function eventOf(programId: string, event: Uint8Array): readonly string[] {
  return [
    `Program ${programId} invoke [1]`,
    `Program data: ${Buffer.from(event).toString("base64")}`,
    `Program ${programId} success`,
  ];
}
