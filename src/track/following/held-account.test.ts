import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { applyAccount, NEVER_DELIVERED } from "./held-account.ts";

test("a held account keeps nothing of the message that it came in", () => {
  const message = new Uint8Array(8_192).fill(7);
  const data = message.subarray(100, 300);
  const account = { owner: SYSTEM_PROGRAM, lamports: 1n, data, slot: 5n };
  const held = applyAccount(NEVER_DELIVERED, { account, slot: 5n });
  assert.equal(held.content?.data.buffer.byteLength, 200);
  assert.deepEqual(held.content, { ...account, data: new Uint8Array(200).fill(7) });
});

test("an older reading does not disprove that an account is gone, a newer one does", () => {
  const account = { owner: SYSTEM_PROGRAM, lamports: 1n, data: Uint8Array.of(7), slot: 5n };
  const held = applyAccount(NEVER_DELIVERED, { account, slot: 5n });
  const doubted = applyAccount(held, { account: null, slot: 10n });
  assert.deepEqual([doubted.content, doubted.doubtSlot], [held.content, 10n]);
  assert.deepEqual(applyAccount(doubted, { account, slot: 9n }), { ...doubted, heldSlot: 9n });
  const changed = { ...account, data: Uint8Array.of(8) };
  const later = applyAccount(doubted, { account: changed, slot: 9n });
  assert.deepEqual([later.content?.data, later.changedSlot], [changed.data, 9n]);
  assert.equal(later.doubtSlot, 10n);
  assert.equal(applyAccount(doubted, { account: null, slot: 10n }), doubted);
  assert.equal(applyAccount(doubted, { account: null, slot: 11n }).content, null);
  const alive = applyAccount(doubted, { account, slot: 11n });
  assert.deepEqual([alive.heldSlot, alive.doubtSlot], [11n, null]);
});
