import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import {
  curveFixture,
  launchFixture,
  pumpSwapFixture,
  rates,
} from "#test/support/pools/pump-pools.ts";
import { ammFixture, cpmmFixture, type PoolFixture } from "#test/support/pools/raydium-pools.ts";
import { PatchedAccounts } from "./patched-accounts.ts";
import type { ProgramRun } from "./program-run.ts";
import { pumpCurveSwaps } from "./pump-curve/events.ts";
import { pumpSwapSwaps } from "./pumpswap/events.ts";
import { ammSwaps } from "./raydium-amm-v4/events.ts";
import { cpmmSwaps } from "./raydium-cpmm/events.ts";
import { launchLabSwaps } from "./raydium-launchlab/events.ts";
import type { FeeConfig } from "./shared/pump-fees/fee-config.ts";
import { readRun, type SwapReader, type SwapSeen } from "./swap-reader.ts";

const CLOCK = { slot: 450_000_000n, unixTimestamp: 1_795_000_000n, epoch: 1_041n };

type Line = {
  readonly venue: string;
  readonly [field: string]: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: recorded lines of many shapes, read by tests alone
  readonly event?: any;
};
type Told<Before> = Extract<SwapSeen<Before>, { readonly kind: "reported" }>;

/** Recorded lines of one program; null, with a diagnostic, if they are missing. */
function linesOf(t: TestContext, file: string, venue: string): readonly Line[] | null {
  const path = sharedPath(t, "mainnet-events", file);
  if (path === null) return null;
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line): Line => JSON.parse(line)).filter((line) => line.venue === venue);
}

function bytesOf(text: unknown): Uint8Array {
  const isHex = /^[0-9a-f]+$/.test(String(text));
  return new Uint8Array(Buffer.from(String(text), isHex ? "hex" : "base64"));
}

function logged(text: unknown): ProgramRun {
  return { logged: [bytesOf(text)], rayLogs: [], calls: null };
}

/** What the model pays on the event's own reserves, with fees of a fixture. */
function modelledOf<State, Before>(
  reader: SwapReader<State, Before>,
  swap: Told<Before>,
  fixture: PoolFixture,
): bigint | null {
  const accounts = new PatchedAccounts(fixture.accounts);
  reader.setBefore?.(accounts, fixture.pool, swap.before);
  const decoded = reader.venue.decode(fixture.pool, accounts, fixture.mintA);
  assert.ok(decoded.kind === "pool");
  const isOfA = "mint" in swap.input || ("side" in swap.input && swap.input.side === "a");
  const inputMint = isOfA ? fixture.mintA : fixture.mintB;
  if (swap.isExactOut === true) {
    const order = { inputMint, amountOut: swap.amountOut, clock: CLOCK };
    const cost = reader.costExactOut?.(decoded.state, order);
    return cost === swap.amountIn ? swap.amountOut : null;
  }
  const order = { inputMint, amountIn: swap.amountIn, clock: CLOCK };
  const quote = reader.venue.quoteExactIn(decoded.state, order);
  return quote.kind === "filled" ? quote.amountOut : null;
}

type Outcome = { exact: number; readonly skipped: Record<string, number> };

/** Replays every line that can be; fails at the first that is not exact. */
function replayAll<State, Before>(
  lines: readonly Line[],
  reader: SwapReader<State, Before>,
  recorded: (line: Line) => {
    readonly run: ProgramRun;
    readonly fixture: PoolFixture;
    readonly adjust?: (swap: Told<Before>) => Told<Before>;
  },
): Outcome {
  const outcome: Outcome = { exact: 0, skipped: {} };
  for (const line of lines) {
    const { run, fixture, adjust = (swap) => swap } = recorded(line);
    const seen = readRun(reader, run) ?? [];
    assert.equal(seen.length, 1, JSON.stringify(line).slice(0, 200));
    for (const swap of seen) {
      if (swap.kind === "skipped") {
        outcome.skipped[swap.reason] = (outcome.skipped[swap.reason] ?? 0) + 1;
        continue;
      }
      const adjusted = adjust(swap);
      const modelled = modelledOf(reader, adjusted, fixture);
      assert.equal(modelled, adjusted.amountOut, JSON.stringify(line).slice(0, 400));
      outcome.exact++;
    }
  }
  return outcome;
}

function flatFees(bps: readonly [unknown, unknown, unknown]): FeeConfig {
  const [lp, protocol, creator] = bps.map((value) => BigInt(String(value ?? "0")));
  const flat = rates(lp ?? 0n, protocol ?? 0n, creator ?? 0n);
  const tiers = [{ threshold: 0n, rates: flat }];
  return { flat, tiers, stableTiers: tiers, exotic: flat };
}

test("pump's recorded curve events that contain their fees replay exactly", (t) => {
  const lines = linesOf(t, "pump.jsonl", "pump-curve");
  if (lines === null) return;
  const plain = lines.filter(({ exact }) => exact === true);
  const outcome = replayAll(plain, pumpCurveSwaps, ({ raw, event }) => {
    const creator = BigInt(event.creator_fee_basis_points ?? 0);
    const cashback = event.cashback_fee_basis_points;
    const fees = flatFees([0, event.fee_basis_points, creator === 0n ? cashback : creator]);
    return { run: logged(raw), fixture: curveFixture({ fees }) };
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.exact > 0);
});

test("PumpSwap's recorded sales and purchases replay exactly", (t) => {
  const lines = linesOf(t, "pump.jsonl", "pumpswap");
  if (lines === null) return;
  const outcome = replayAll(lines, pumpSwapSwaps, ({ raw, event }) => {
    const creator = BigInt(event.coin_creator_fee_basis_points ?? 0);
    const cashback = event.cashback_fee_basis_points;
    const fees = flatFees([
      event.lp_fee_basis_points,
      event.protocol_fee_basis_points,
      creator === 0n ? cashback : creator,
    ]);
    const coinCreator = address(event.coin_creator ?? SYSTEM_PROGRAM);
    const fixture = pumpSwapFixture({ baseReserve: 1n, quoteReserve: 1n, fees, coinCreator });
    return { run: logged(raw), fixture };
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.exact > 0);
});

test("AMM v4's recorded logs of swaps by exact input replay exactly", (t) => {
  const lines = linesOf(t, "raydium.jsonl", "raydium-amm-v4");
  if (lines === null) return;
  // One is of the program before August 2025, which rounded its fee down.
  const today = lines.filter(({ matchOldProgram }) => matchOldProgram !== true);
  const outcome = replayAll(today, ammSwaps, ({ log }) => {
    const fixture = ammFixture({ coinVault: 1n, pcVault: 1n });
    const accounts = [fixture.pool, fixture.pool];
    const calls = [{ accounts, data: Uint8Array.of(9), events: [] }];
    return { run: { logged: [], rayLogs: [bytesOf(log)], calls }, fixture };
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.exact > 0);
});

test("CPMM's recorded events that name the mint replay exactly", (t) => {
  const lines = linesOf(t, "raydium.jsonl", "raydium-cpmm");
  if (lines === null) return;
  const outcome = replayAll(lines, cpmmSwaps, (line) => {
    const [solution] = line["solutions"] as readonly Record<string, string | boolean>[];
    const creatorFeeRate = BigInt(String(solution?.["creatorFeeRate"]));
    const fixture = cpmmFixture({
      vault0: 1n,
      vault1: 1n,
      tradeFeeRate: BigInt(String(solution?.["tradeFeeRate"])),
      creatorFeeRate,
      isCreatorFeeEnabled: creatorFeeRate > 0n,
      creatorFeeOn: solution?.["creatorFeeOnInput"] === false ? 2 : 0,
    });
    return {
      run: logged(line.event),
      fixture,
      // The fixture's mints take no transfer fee: what reaches the vault, and what leaves it.
      adjust: (swap) => ({
        ...swap,
        amountIn: swap.amountIn - BigInt(String(line["inputTransferFee"])),
        amountOut: swap.amountOut + BigInt(String(line["outputTransferFee"])),
        before: { ...swap.before, inputMint: fixture.mintA },
      }),
    };
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.exact > 0);
});

test("LaunchLab's recorded trades without a share fee replay exactly", (t) => {
  const lines = linesOf(t, "raydium.jsonl", "raydium-launchlab");
  if (lines === null) return;
  const outcome = replayAll(lines, launchLabSwaps, (line) => {
    const feeRates = line["feeRates"] as Readonly<Record<string, string>>;
    const fixture = launchFixture({
      protocolFeeRate: BigInt(feeRates["protocol"] ?? 0),
      platformFeeRate: BigInt(feeRates["platform"] ?? 0),
      creatorFeeRate: BigInt(feeRates["creator"] ?? 0),
    });
    return { run: logged(line.event), fixture };
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.exact > 0);
});
