import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { createRpcSource } from "#src/chain/rpc-source.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { AppError } from "#src/platform/app-error.ts";
import { systemClock } from "#src/platform/clock.ts";
import { clockOf } from "#src/track/chain-clock.ts";
import { loadMarket } from "#src/track/load-market.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { pumpCurveSale } from "#src/venues/pump-curve/sale.ts";
import { readExecutions, sharedPath } from "#test/support/executions.ts";
import { deployedAccounts } from "#test/support/program-accounts.ts";
import { compiledPrograms } from "#test/support/programs.ts";
import { Proofs } from "./proofs.ts";

const DEPLOYED_SLOT = 350_000_000n;

/** A node with a recorded curve that pays SOL, and with the compiled programs unless left out. */
async function startChain(t: TestContext, { hasPrograms = true } = {}) {
  const path = sharedPath(t, "executions", "pump-curve.bytecode.jsonl.gz");
  const programs = path === null ? null : compiledPrograms(t, pumpCurveSale.programs);
  if (path === null || programs === null) return null;
  const sale = (await readExecutions(path)).find(({ execution }) => isPaidSale(execution));
  assert.ok(sale !== undefined);
  const { execution } = sale;
  const ledger = new Ledger(execution.clock);
  ledger.apply(execution.accounts as unknown as ReadonlyMap<Address, Account | null>);
  const deploy = (code?: Uint8Array, slot = DEPLOYED_SLOT): void => {
    for (const { programId, code: own } of programs) {
      ledger.apply(deployedAccounts(programId, { slot, code: code ?? own }));
    }
  };
  if (hasPrograms) deploy();
  const node = createLocalNode({ ledger });
  const urls = await node.listen();
  const source = createRpcSource({
    ...urls,
    origin: "live",
    clock: systemClock,
    random: () => 0.5,
  });
  t.after(async () => {
    await source.close();
    await node.close();
  });
  const clock = { nowMs: () => toNumber(execution.clock.unixTimestamp) * 1_000 };
  const loaded = await loadMarket({ source, venues: VENUES, clock }, execution.inputMint);
  assert.ok(loaded.kind === "market");
  const { market, accounts } = loaded;
  const ground = { market, accounts, clock: clockOf(accounts) ?? execution.clock };
  let slices = 0;
  const counted = {
    readAccounts: source.readAccounts,
    readAccountSlice: (...asked: Parameters<typeof source.readAccountSlice>) => {
      slices++;
      return source.readAccountSlice(...asked);
    },
  };
  const openProofs = (dataDir: string | null) => {
    const proofs = new Proofs({ chain: counted, dataDir, clock, onFailure: () => undefined });
    t.after(() => proofs.close());
    return proofs;
  };
  return { execution, ground, deploy, openProofs, slices: () => slices };
}

function isPaidSale({ outputMint, amountOut, amountIn }: RecordedExecution): boolean {
  return outputMint === WSOL && amountOut !== null && amountOut > 1_000n && amountIn > 1_000_000n;
}

const query = (baseUnits: bigint) => ({ profile: "retail", baseUnits }) as const;

test("an exit is proved with the code and the accounts of the chain, to the lamport", async (t) => {
  const chain = await startChain(t);
  if (chain === null) return;
  const { execution, ground, openProofs } = chain;
  const proof = await openProofs(null).prove(ground, query(execution.amountIn));
  const [sale] = proof.sales;
  assert.equal(proof.sales.length, 1);
  assert.deepEqual(sale?.executed, { kind: "paid", amount: execution.amountOut });
  assert.equal(proof.isEqual, true);
  assert.equal(sale?.program?.deployedSlot, DEPLOYED_SLOT);
  assert.match(sale?.program?.hash ?? "", /^[0-9a-f]{64}$/);
});

test("code that is on disk is not read from the chain again", async (t) => {
  const chain = await startChain(t);
  if (chain === null) return;
  const { execution, ground, openProofs, slices } = chain;
  const folder = mkdtempSync(join(tmpdir(), "proof-"));
  t.after(() => rmSync(folder, { recursive: true }));
  await openProofs(folder).prove(ground, query(execution.amountIn));
  const first = slices();
  const proof = await openProofs(folder).prove(ground, query(execution.amountIn));
  assert.equal(proof.isEqual, true);
  // The heads of two programs, each two accounts.
  assert.equal(slices() - first, 4);
});

test("a chain without the program's code gives no verdict, but the reason", async (t) => {
  const chain = await startChain(t, { hasPrograms: false });
  if (chain === null) return;
  const { execution, ground, openProofs } = chain;
  await assert.rejects(openProofs(null).prove(ground, query(execution.amountIn)), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "proof_unavailable");
    assert.match(error.publicMessage, /no-such-account/);
    return true;
  });
});

test("a new deployment is run from the next check on, and bytes that can't run give the reason", async (t) => {
  const chain = await startChain(t);
  if (chain === null) return;
  const { execution, ground, deploy, openProofs } = chain;
  const proofs = openProofs(null);
  await proofs.prove(ground, query(execution.amountIn));
  deploy(new Uint8Array(5_000).fill(0xc0), DEPLOYED_SLOT + 1n);
  for (const programId of pumpCurveSale.programs) proofs.recheck(programId);
  await assert.rejects(proofs.prove(ground, query(execution.amountIn)), {
    code: "proof_unavailable",
  });
  deploy(undefined, DEPLOYED_SLOT + 2n);
  for (const programId of pumpCurveSale.programs) proofs.recheck(programId);
  const proof = await proofs.prove(ground, query(execution.amountIn));
  assert.equal(proof.isEqual, true);
  assert.equal(proof.sales[0]?.program?.deployedSlot, DEPLOYED_SLOT + 2n);
});
