import assert from "node:assert/strict";
import { test } from "node:test";
import { address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { readExecutions, sharedPath } from "#test/support/pools/executions.ts";
import {
  type RecordedExecution,
  RecordedExecutionReader,
  type RecordedLine,
  writeRecordedExecution,
} from "./recorded-execution.ts";
import { replay } from "./replay-recorded.ts";

const POOL = address("8HbgiXuiNbHRcxiNG8UBD8GLewoy6QVDnPFPgjFGmszf");
const MINT = address("4ov9rwwS4iBHeTWGCrVaQYW1HzWK51MSfs8csGAApump");
const WSOL = address("So11111111111111111111111111111111111111112");

const line = {
  venue: "pumpswap",
  pool: POOL,
  inputMint: MINT,
  outputMint: WSOL,
  amountIn: "18446744073709551615",
  amountOut: null,
  slot: 7,
  unixTimestamp: 1_790_000_000,
  epoch: 925,
};

function readAll(...lines: readonly object[]): readonly RecordedLine[] {
  const reader = new RecordedExecutionReader();
  return lines.map((each) => reader.read(JSON.stringify(each)));
}

function executionOf(read: RecordedLine | undefined): RecordedExecution {
  assert.ok(read?.kind === "execution");
  return read.execution;
}

test("sales through several pools in one instruction are replayed to the base unit", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  if (path === null) return;
  const cases = await readExecutions(path);
  assert.equal(cases.length, 100);
  for (const { line, execution } of cases) {
    assert.equal(replay(execution).amountOut, execution.amountOut, `line ${line}`);
    const again = new RecordedExecutionReader().read(writeRecordedExecution(execution, new Map()));
    assert.deepEqual(executionOf(again).route, execution.route);
  }
});

test("a route without hops, or with one that names no pool, is not readable", () => {
  const { pool, ...rest } = line;
  const hop = { venue: "pumpswap", pool, inputMint: MINT, outputMint: WSOL };
  for (const route of [[], {}, [hop, { ...hop, pool: "x" }], [{ ...hop, venue: "unknown" }]]) {
    const [read] = readAll({ ...rest, route, accounts: {} });
    assert.equal(read?.kind, "unreadable");
  }
});

test("what is written is read back as it was", () => {
  const account: Account = { owner: MINT, lamports: 5n, data: Uint8Array.of(1, 2, 255), slot: 0n };
  const accounts = new Map([
    [POOL, account],
    [WSOL, null],
  ]);
  const execution = executionOf(readAll({ ...line, accounts: {} })[0]);
  const written = writeRecordedExecution(execution, accounts);
  const again = executionOf(new RecordedExecutionReader().read(written));
  assert.deepEqual({ ...again, accounts: null }, { ...execution, accounts: null });
  assert.deepEqual(again.accounts.get(POOL), account);
  assert.equal(again.accounts.get(WSOL), null);
  assert.equal(again.accounts.get(MINT), undefined);
});

test("a swap recorded with its event's output is replayed to that output, before later fees", async (t) => {
  const path = sharedPath(t, "executions", "meteora-dlmm.jsonl.gz");
  if (path === null) return;
  // The recorded line whose token takes 39 base units of the 1,924 that leave the pool.
  const [found] = (await readExecutions(path)).filter(({ line }) => line === 166);
  assert.ok(found !== undefined);
  assert.equal(replay(found.execution).amountOut, 1885n);
  const execution = { ...found.execution, amountOut: 1924n, isReportedOutput: true };
  const written = executionOf(
    new RecordedExecutionReader().read(writeRecordedExecution(execution, new Map())),
  );
  assert.ok(written.isReportedOutput);
  assert.equal(replay(execution).amountOut, execution.amountOut);
});

test("a set serves the lines after it, and an account without an owner does not exist", () => {
  const accounts = { [POOL]: { owner: null, lamports: "0", data: null }, [WSOL]: null };
  const [set, first] = readAll({ set: "s", accounts }, { ...line, set: "s" });
  assert.equal(set?.kind, "set");
  const execution = executionOf(first);
  assert.equal(execution.accounts.get(POOL), null);
  assert.equal(execution.accounts.get(WSOL), null);
  assert.equal(execution.amountIn, 2n ** 64n - 1n);
  assert.equal(execution.amountOut, null);
});

test("a line in another form is unreadable, and the reason names the field", () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ ...line, accounts: {}, venue: "uniswap" }, /uniswap/],
    [{ ...line, accounts: {}, pool: "x" }, /pool/],
    [{ ...line, accounts: {}, amountIn: "1.5" }, /amountIn/],
    [{ ...line, accounts: {}, amountOut: undefined }, /amountOut/],
    [{ ...line, accounts: { nowhere: null } }, /nowhere/],
    [{ ...line, accounts: [] }, /accounts/],
    [{ ...line, set: "never defined" }, /never defined/],
    [{ set: 5, accounts: {} }, /set/],
    [[], /object/],
  ];
  for (const [value, reason] of wrong) {
    const [read] = readAll(value);
    assert.ok(read?.kind === "unreadable", JSON.stringify(value));
    assert.match(read.reason, reason);
  }
  const read = new RecordedExecutionReader().read("{");
  assert.deepEqual(read, { kind: "unreadable", reason: "not JSON" });
});
