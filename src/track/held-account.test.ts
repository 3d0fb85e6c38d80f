import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { applyAccount, NEVER_DELIVERED } from "./held-account.ts";

test("a held account keeps nothing of the message that it came in", () => {
  const message = new Uint8Array(8_192).fill(7);
  const data = message.subarray(100, 300);
  const account = { owner: SYSTEM_PROGRAM, lamports: 1n, data, slot: 5n };
  const held = applyAccount(NEVER_DELIVERED, { account, slot: 5n });
  assert.equal(held.account?.data.buffer.byteLength, 200);
  assert.deepEqual(held.account, { ...account, data: new Uint8Array(200).fill(7) });
});
