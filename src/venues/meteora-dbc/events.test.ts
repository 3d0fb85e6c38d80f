import assert from "node:assert/strict";
import { test } from "node:test";
import { dbcSwaps } from "./events.ts";

const MODE_OFFSET = 90;
const AMOUNT_LEFT_OFFSET = 107;

function swapOf(mode: number, amountLeft: bigint) {
  const event = Buffer.alloc(200);
  Buffer.from("bd4233a826507599", "hex").copy(event);
  event.writeUInt8(mode, MODE_OFFSET);
  event.writeBigUInt64LE(amountLeft, AMOUNT_LEFT_OFFSET);
  return dbcSwaps.read({ logged: [Uint8Array.from(event)], rayLogs: [], calls: null })[0];
}

test("a purchase that fills the curve took less than was offered and is not replayed", () => {
  const partial = swapOf(1, 7n);
  assert.ok(partial?.kind === "skipped");
  assert.equal(partial.reason, "other-terms");
  assert.equal(swapOf(1, 0n)?.kind, "reported");
  assert.equal(swapOf(0, 0n)?.kind, "reported");
});
