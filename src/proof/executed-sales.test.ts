import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { replay } from "#src/accuracy/replay-recorded.ts";
import type { Address } from "#src/units/address.ts";
import { LOADER_V3, WSOL } from "#src/units/known-addresses.ts";
import { VENUE_SALES } from "#src/venues/all-sales.ts";
import { PatchedAccounts } from "#src/venues/patched-accounts.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { decodeBondingCurve } from "#src/venues/pump-curve/decode.ts";
import { BONDING_CURVE } from "#src/venues/pump-curve/layout.ts";
import { quoteVault } from "#src/venues/pump-curve/vaults.ts";
import { POOL } from "#src/venues/pumpswap/layout.ts";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import { POOL as AMM, STATUSES } from "#src/venues/raydium-amm-v4/layout.ts";
import { multiHopSale } from "#src/venues/shared/pump-fees/multi-hop-sale.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { VenueSale } from "#src/venues/venue-sale.ts";
import { compiledPrograms } from "#test/support/chain/programs.ts";
import { readExecutions, sharedPath } from "#test/support/pools/executions.ts";
import { prepareSale } from "./prepare-sale.ts";
import { NotExecuted, Prover } from "./prover.ts";
import { layTokenAccount } from "./token-layout.ts";
import { loadNative } from "./vm/native.ts";
import { Vm } from "./vm/vm.ts";

/** Of the recordings, so that the test stays short; `npm run prove` executes a thousand states each. */
const EVERY = 7;
const EVERY_MODE = 47;
const TOKEN_STATE = 108;
const TOKEN_FROZEN = 2;

const RECORDED = [
  ["pump-curve", "pump-curve.bytecode"],
  ["pumpswap", "pumpswap.bytecode"],
  ["raydium-amm-v4", "raydium-amm-v4"],
] as const;

for (const [venue, file] of RECORDED) {
  test(`the compiled program pays what the model says, to the base unit: ${venue}`, async (t) => {
    const compiled = await compiledVenue(t, venue, file);
    if (compiled === null) return;
    const { sale, vm, cases } = compiled;
    let compared = 0;
    for (const { line, execution } of cases.filter((_, index) => index % EVERY === 0)) {
      const run = execute(vm, sale, execution);
      if (run === null) continue;
      const { amountOut } = replay(execution);
      assert.equal(run.paid, amountOut, `line ${line}: ${JSON.stringify(run.result, textOf)}`);
      compared++;
    }
    assert.ok(compared >= 20, `${compared} compared`);
  });
}

const MODES = [
  ["pump-curve", "pump-curve.bytecode", BONDING_CURVE],
  ["pumpswap", "pumpswap.bytecode", POOL],
] as const;

test("a pool in any of its modes can be sold and bought: mayhem, cashback, both", async (t) => {
  for (const [venue, file, layout] of MODES) {
    const compiled = await compiledVenue(t, venue, file);
    if (compiled === null) return;
    const { sale, vm, cases } = compiled;
    let paid = 0;
    for (const { line, execution } of cases.filter((_, index) => index % EVERY_MODE === 0)) {
      for (const [mayhem, cashback] of [
        [0n, 1n],
        [1n, 0n],
        [1n, 1n],
      ] as const) {
        const accounts = new PatchedAccounts(execution.accounts);
        accounts.patch(execution.pool, [
          { offset: layout.is_mayhem_mode, value: mayhem, width: 1 },
          { offset: layout.is_cashback_coin, value: cashback, width: 1 },
        ]);
        const changed = { ...execution, accounts };
        const run = execute(vm, sale, changed);
        if (run === null) continue;
        const { amountOut } = replay(changed);
        const mode = `mayhem ${mayhem}, cashback ${cashback}`;
        assert.equal(run.paid, amountOut, `${venue}:${line}, ${mode}`);
        if (run.paid !== null) paid++;
      }
    }
    assert.ok(paid >= 20, `${venue}: ${paid} paid`);
  }
});

test("pump's compiled program needs in the quote vault what the model says, and not frozen", async (t) => {
  const compiled = await compiledVenue(t, "pump-curve", "pump-curve.bytecode");
  if (compiled === null) return;
  const { sale, vm, cases } = compiled;
  const sales = cases.filter(({ execution: { outputMint, amountOut } }) => {
    return outputMint !== WSOL && amountOut !== null && amountOut > 0n;
  });
  let compared = 0;
  for (const { line, execution } of sales.filter((_, index) => index % EVERY === 0)) {
    const { pool, inputMint: coin, outputMint: mint, amountIn, amountOut, clock } = execution;
    const known = { get: (at: Address) => execution.accounts.get(at) ?? null };
    const vault = quoteVault(coin, mint, known);
    if (vault === null || decodeBondingCurve(known.get(pool))?.quoteMint !== mint) continue;
    const holding = (amount: bigint, state = 1): RecordedExecution => {
      const account = layTokenAccount(known, { mint, owner: pool, amount });
      account.data[TOKEN_STATE] = state;
      const held = { ...account, slot: 1n };
      return { ...execution, accounts: { get: (at) => (at === vault ? held : known.get(at)) } };
    };
    const plenty = 1n << 62n;
    const decoded = pumpCurve.decode(pool, holding(plenty).accounts, coin);
    assert.ok(decoded.kind === "pool");
    const order = { inputMint: coin, amountIn, clock };
    const quote = pumpCurve.quoteExactIn(decoded.state, order);
    assert.ok(quote.kind === "filled");
    const needed = plenty - (quote.after.quoteVaultBalance ?? 0n);
    for (const [laid, expected] of [
      [holding(needed), amountOut],
      [holding(needed - 1n), null],
      [holding(plenty, TOKEN_FROZEN), null],
    ] as const) {
      assert.equal(execute(vm, sale, laid)?.paid, expected, `line ${line}: executed`);
      assert.equal(replay(laid).amountOut, expected, `line ${line}: modelled`);
    }
    compared++;
  }
  assert.ok(compared >= 10, `${compared} compared`);
});

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
  const compiled = await compiledVenue(t, "raydium-amm-v4", "raydium-amm-v4");
  if (compiled === null) return;
  const { sale, vm, cases } = compiled;
  const paid = cases.find(({ execution }) => execution.amountOut !== null);
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

test("a pool that its program sells in by another instruction gives no verdict, and no refusal", async (t) => {
  const venue = "raydium-amm-v4";
  const compiled = await compiledVenue(t, venue, venue);
  if (compiled === null) return;
  const { vm, cases } = compiled;
  const isPaid = ({ execution }: (typeof cases)[number]) => execution.amountOut !== null;
  const { pool, inputMint, outputMint, amountIn, amountOut, accounts, clock } =
    cases.find(isPaid)?.execution ?? assert.fail("no paid sale");
  const known = { get: (address: Address) => accounts.get(address) ?? null };
  const placesOrders = new PatchedAccounts(known);
  const initialized = BigInt(STATUSES.indexOf("initialized"));
  placesOrders.patch(pool, [{ offset: AMM.status, value: initialized, width: 8 }]);
  const program = { programId: raydiumAmmV4.programId, loader: LOADER_V3, deployedSlot: null };
  const prover = new Prover({
    programs: { load: async () => ({ kind: "loaded", program: { ...program, hash: "" } }) },
    vm: { execute: async (run) => vm.execute(run) },
    chain: { readAccounts: () => assert.fail("read") },
    signal: AbortSignal.timeout(10_000),
  });
  const modelled = { kind: "paid", amount: amountOut ?? 0n } as const;
  const order = { venue, pool, inputMint, outputMint, amountIn, modelled };
  const [plain] = await prover.prove([order], { accounts: known, clock });
  assert.equal(plain?.isEqual, true);
  const [sale] = await prover.prove([order], { accounts: placesOrders, clock });
  assert.equal(sale?.isEqual, null);
  assert.match(sale?.unproved ?? "", /InvalidStatus/);
  const asked = [{ venue, pool, inputMint, outputMint, amountsIn: [amountIn] }];
  await assert.rejects(prover.quote(asked, { accounts: placesOrders, clock }), (error) => {
    assert.ok(error instanceof NotExecuted);
    assert.equal(error.pool, pool);
    return true;
  });
});

/** A venue's sale, a VM with its compiled programs, and its recordings; null, with a reason, where they are absent. */
async function compiledVenue(t: TestContext, venue: VenueId, file: string) {
  const sale = VENUE_SALES.find((known) => known.venue === venue);
  assert.ok(sale !== undefined);
  const path = sharedPath(t, "executions", `${file}.jsonl.gz`);
  const programs = path === null ? null : compiledPrograms(t, sale.programs);
  if (path === null || programs === null) return null;
  const vm = new Vm(loadNative());
  for (const program of programs) vm.load(program);
  return { sale, vm, cases: await readExecutions(path) };
}

/** What the compiled program pays, null where it refuses; null where the sale cannot be built. */
function execute(vm: Vm, sale: VenueSale, execution: RecordedExecution) {
  const { accounts: known, clock } = execution;
  const prepared = prepareSale(sale, execution, { get: (address) => known.get(address) ?? null });
  if (prepared.kind !== "prepared") return null;
  const { accounts, step, paidIn } = prepared;
  const [result] = vm.execute({ accounts, steps: [step], clock });
  return { result, paid: result?.kind === "executed" ? result[paidIn] : null };
}

function textOf(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
