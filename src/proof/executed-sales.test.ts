import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "#src/accuracy/replay-recorded.ts";
import { VENUE_SALES } from "#src/venues/all-sales.ts";
import { multiHopSale } from "#src/venues/shared/pump-fees/multi-hop-sale.ts";
import type { VenueSale } from "#src/venues/venue-sale.ts";
import { readExecutions, sharedPath } from "#test/support/executions.ts";
import { compiledPrograms } from "#test/support/programs.ts";
import { prepareSale } from "./prepare-sale.ts";
import { loadNative } from "./vm/native.ts";
import { Vm } from "./vm/vm.ts";

/** Of the recordings, so that the test stays short; `npm run prove` executes a thousand states each. */
const EVERY = 7;

const RECORDED = [
  ["pump-curve", "pump-curve.bytecode"],
  ["pumpswap", "pumpswap.bytecode"],
  ["raydium-amm-v4", "raydium-amm-v4"],
] as const;

for (const [venue, file] of RECORDED) {
  test(`the compiled program pays what the model says, to the base unit: ${venue}`, async (t) => {
    const sale = VENUE_SALES.find((known) => known.venue === venue);
    assert.ok(sale !== undefined);
    const path = sharedPath(t, "executions", `${file}.jsonl.gz`);
    const programs = path === null ? null : compiledPrograms(t, sale.programs);
    if (path === null || programs === null) return;
    const vm = new Vm(loadNative());
    for (const program of programs) vm.load(program);
    const cases = await readExecutions(path);
    let compared = 0;
    for (const { line, execution } of cases.filter((_, index) => index % EVERY === 0)) {
      const prepared = prepareSale(sale, execution, {
        get: (address) => execution.accounts.get(address) ?? null,
      });
      if (prepared.kind !== "prepared") continue;
      const [result] = vm.execute({
        accounts: prepared.accounts,
        steps: [prepared.step],
        clock: execution.clock,
      });
      const executed = result?.kind === "executed" ? result[prepared.paidIn] : null;
      const { amountOut } = replay(execution);
      assert.equal(executed, amountOut, `line ${line}: ${JSON.stringify(result, textOf)}`);
      compared++;
    }
    assert.ok(compared >= 20, `${compared} compared`);
  });
}

test("one instruction over several pump pools pays what the model says", async (t) => {
  const path = sharedPath(t, "routes", "pump-routes.jsonl.gz");
  const programs = path === null ? null : compiledPrograms(t, multiHopSale.programs);
  if (path === null || programs === null) return;
  const vm = new Vm(loadNative());
  for (const program of programs) vm.load(program);
  const cases = await readExecutions(path);
  for (const { line, execution } of cases.filter((_, index) => index % 4 === 0)) {
    const { route = [], accounts, clock } = execution;
    const build: VenueSale["build"] = (request) => multiHopSale.build({ ...request, hops: route });
    const prepared = prepareSale({ programs: multiHopSale.programs, build }, execution, {
      get: (address) => accounts.get(address) ?? null,
    });
    assert.ok(prepared.kind === "prepared");
    const [result] = vm.execute({ accounts: prepared.accounts, steps: [prepared.step], clock });
    const executed = result?.kind === "executed" ? result[prepared.paidIn] : null;
    assert.equal(executed, replay(execution).amountOut, `line ${line}`);
  }
});

test("a run leaves nothing behind: the same run gives the same results", async (t) => {
  const sale = VENUE_SALES.find(({ venue }) => venue === "raydium-amm-v4");
  assert.ok(sale !== undefined);
  const path = sharedPath(t, "executions", "raydium-amm-v4.jsonl.gz");
  const programs = path === null ? null : compiledPrograms(t, sale.programs);
  if (path === null || programs === null) return;
  const vm = new Vm(loadNative());
  for (const program of programs) vm.load(program);
  const paid = (await readExecutions(path)).find(({ execution }) => execution.amountOut !== null);
  assert.ok(paid !== undefined);
  const { execution } = paid;
  const prepared = prepareSale(sale, execution, {
    get: (address) => execution.accounts.get(address) ?? null,
  });
  assert.ok(prepared.kind === "prepared");
  const { accounts, step } = prepared;
  const run = (sales: number) =>
    vm
      .execute({ accounts, steps: Array(sales).fill(step), clock: execution.clock })
      .map((result) => (result.kind === "executed" ? result.tokens : null));
  const [once] = run(1);
  const [first, second] = run(2);
  assert.equal(once, execution.amountOut);
  assert.equal(first, once);
  assert.ok(first !== null && second !== null && first !== undefined && second !== undefined);
  assert.ok(second < first, "the second sale finds the pool as the first left it");
  assert.deepEqual(run(1), [once]);
});

function textOf(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
