import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ChainSource } from "#src/chain/chain-source.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { assess } from "#src/measure/assess.ts";
import type { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { readRecordedAccounts } from "#src/node/recorded-accounts.ts";
import { accountFileText } from "#src/node/recording.ts";
import { clockAccount, clockAt } from "#src/node/slot-clock.ts";
import { systemClock } from "#src/platform/clock.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import { type Address, address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { closeAfter } from "#test/support/ending.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { record, recordArguments } from "./record.ts";

const COIN = address("HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump");
const NOW_MS = Date.UTC(2026, 10, 20);

async function sourceOver(t: TestContext, ledger: Ledger): Promise<ChainSource> {
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const options = {
    ...urls,
    origin: "recorded" as const,
    clock: systemClock,
    random: () => 0.5,
  };
  const source = createRpcSource(options);
  closeAfter(t, async () => {
    await source.close();
    await node.close();
  });
  return source;
}

async function measure(source: ChainSource, mint: Address): Promise<string | null> {
  const loaded = await loadMarket({ source, venues: VENUES, clock: { nowMs: () => NOW_MS } }, mint);
  if (loaded.kind === "not-found") return null;
  return JSON.stringify(assess(loaded.market), (_key, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
}

function capture() {
  const lines: string[] = [];
  return {
    lines,
    out: (text: string) => lines.push(text),
    err: (text: string) => lines.push(text),
  };
}

async function mainnetCopy(t: TestContext, shared: string): Promise<string> {
  const folder = temporaryDirectory(t);
  await cp(shared, folder, { recursive: true });
  await writeFile(
    join(folder, "clock.json"),
    accountFileText(CLOCK_SYSVAR, clockAccount(clockAt(NOW_MS))),
  );
  return folder;
}

test("a recording measures the same as the recorded chain, byte for byte", async (t) => {
  const shared = sharedPath(t, "mainnet");
  if (shared === null) return;
  const original = await mainnetCopy(t, shared);
  const source = await sourceOver(t, await readRecordedAccounts(original, NOW_MS));
  const folder = temporaryDirectory(t);
  const output = capture();
  assert.equal(await record({ mint: COIN, folder }, { source, measure, output }), 0);
  const expected = await measure(source, COIN);
  assert.match(expected ?? "", new RegExp(COIN));
  assert.ok(output.lines.includes(expected ?? ""));
  const again = await sourceOver(t, await readRecordedAccounts(folder, 0));
  assert.equal(await measure(again, COIN), expected);
});

test("a token without a pool leaves no recording", async (t) => {
  const shared = sharedPath(t, "mainnet");
  if (shared === null) return;
  const source = await sourceOver(
    t,
    await readRecordedAccounts(await mainnetCopy(t, shared), NOW_MS),
  );
  const folder = temporaryDirectory(t);
  const deps = { source, measure, output: capture() };
  assert.equal(await record({ mint: testAddress(77), folder }, deps), 1);
  await assert.rejects(readRecordedAccounts(folder, NOW_MS), /no account files/);
});

test("a call without a mint or a folder names what is missing, and an option is never a folder", () => {
  assert.throws(() => recordArguments([COIN]), /a mint and a folder/);
  assert.throws(() => recordArguments(["nobody", "x"]), /not a Solana address/);
  assert.throws(() => recordArguments([COIN, "--json"]), { code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" });
  assert.deepEqual(recordArguments([COIN, "--", "--json"]), { mint: COIN, folder: "--json" });
});
