import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { bytesOf } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { testAccount, testAddress } from "#test/support/pools/test-accounts.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { readRecordedAccounts } from "./recorded-accounts.ts";
import { accountFileText, RecordingError, writeRecording } from "./recording.ts";
import { searchKeyOf, searchKeyOfRequest } from "./search-key.ts";
import { clockAccount, clockAt } from "./slot-clock.ts";

const CLOCK = { slot: 345_678_901n, unixTimestamp: 1_750_000_000n, epoch: 800n };
const PROGRAM = testAddress(1);
const NOW_MS = Date.UTC(2026, 10, 20);

test("accounts are read as they were written, with 64-bit lamports", async (t) => {
  const folder = temporaryDirectory(t);
  const account = { ...testAccount(PROGRAM, [1, 2, 250]), lamports: (1n << 64n) - 1n };
  const written = await writeRecording(folder, {
    accounts: new Map([
      [testAddress(2), account],
      [testAddress(3), null],
    ]),
    refusedSearches: [],
  });
  assert.equal(written, 1);
  assert.deepEqual(await readdir(folder), [`${testAddress(2)}.json`]);
  const ledger = await readRecordedAccounts(folder, NOW_MS);
  assert.deepEqual(ledger.get(testAddress(2)), { ...account, slot: ledger.clock.slot });
  assert.equal(ledger.get(testAddress(3)), null);
});

test("with a Clock sysvar the ledger is frozen at it; without one its clock is now", async (t) => {
  const still = temporaryDirectory(t);
  const accounts = new Map([[CLOCK_SYSVAR, clockAccount(CLOCK)]]);
  await writeRecording(still, { accounts, refusedSearches: [] });
  const standing = await readRecordedAccounts(still, NOW_MS);
  assert.deepEqual(standing.clock, CLOCK);
  standing.advance(clockAt(NOW_MS));
  assert.deepEqual(standing.clock, CLOCK);

  const moving = temporaryDirectory(t);
  await writeFile(
    join(moving, "one.json"),
    accountFileText(testAddress(2), testAccount(PROGRAM, [1])),
  );
  const ledger = await readRecordedAccounts(moving, NOW_MS);
  assert.deepEqual(ledger.clock, clockAt(NOW_MS));
  ledger.advance(clockAt(NOW_MS + 400));
  assert.equal(ledger.clock.slot, clockAt(NOW_MS).slot + 1n);
});

test("a search that was refused when recorded is refused again, and no other", async (t) => {
  const mint = testAddress(9);
  const filter = {
    programId: PROGRAM,
    dataSize: 200,
    memcmp: [
      { offset: 40, bytes: mint },
      { offset: 0, bytes: Uint8Array.of(1, 2) },
    ],
  };
  const folder = temporaryDirectory(t);
  const accounts = new Map([[testAddress(2), testAccount(PROGRAM, [1])]]);
  await writeRecording(folder, { accounts, refusedSearches: [searchKeyOf(filter)] });
  const { refusedSearches } = await readRecordedAccounts(folder, NOW_MS);
  const mintBase64 = Buffer.from(bytesOf(mint)).toString("base64");
  const asked = [
    { memcmp: { offset: 0, bytes: "AQI=", encoding: "base64" } },
    { memcmp: { offset: 40, bytes: mintBase64, encoding: "base64" } },
    { dataSize: 200 },
  ];
  assert.ok(refusedSearches.has(searchKeyOfRequest(PROGRAM, asked)));
  assert.ok(!refusedSearches.has(searchKeyOfRequest(PROGRAM, asked.slice(1))));
  assert.ok(!refusedSearches.has(searchKeyOfRequest(testAddress(5), asked)));
});

test("a recording is never mixed into another one, and never read from a folder without accounts", async (t) => {
  const folder = temporaryDirectory(t);
  await assert.rejects(readRecordedAccounts(folder, NOW_MS), RecordingError);
  const recording = {
    accounts: new Map([[testAddress(2), testAccount(PROGRAM, [1])]]),
    refusedSearches: [],
  };
  await writeRecording(folder, recording);
  await assert.rejects(writeRecording(folder, recording), RecordingError);
  await assert.rejects(readRecordedAccounts(join(folder, "nowhere"), NOW_MS), RecordingError);
});

test("a file without an account is named, and nothing is served from its folder", async (t) => {
  const good = accountFileText(testAddress(2), testAccount(PROGRAM, [1]));
  for (const broken of [
    "",
    "{}",
    "[]",
    good.replace(testAddress(2), "nobody"),
    good.replace(PROGRAM, "nobody"),
    good.replace('"lamports":2039280', '"lamports":-1'),
    good.replace('"lamports":2039280', '"lamports":1.5'),
    good.replace("base64", "base58"),
    good.replace("AQ==", "?"),
  ]) {
    const folder = temporaryDirectory(t);
    await writeFile(join(folder, "broken.json"), broken);
    await assert.rejects(readRecordedAccounts(folder, NOW_MS), /broken\.json/, broken);
  }
});
