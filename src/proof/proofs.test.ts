import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { AppError } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import { programDataAddress } from "#src/venues/deployed-program.ts";
import { pumpCurveSale } from "#src/venues/pump-curve/sale.ts";
import { DEPLOYED_SLOT, startProofChain } from "#test/support/chain/proof-chain.ts";
import { closeAfter } from "#test/support/ending.ts";

const query = (baseUnits: bigint) => ({ profile: "retail", baseUnits }) as const;

test("an exit is proved with the code and the accounts of the chain, to the lamport", async (t) => {
  const chain = await startProofChain(t);
  if (chain === null) return;
  const { execution, ground, openProofs } = chain;
  const proof = await openProofs(null).prove(ground, query(execution.amountIn));
  const [sale] = proof.sales;
  assert.equal(proof.sales.length, 1);
  assert.deepEqual(sale?.executed, { kind: "paid", amount: execution.amountOut });
  assert.equal(proof.isEqual, true);
  assert.equal(proof.slot, ground.market.slot);
  assert.equal(sale?.program?.deployedSlot, DEPLOYED_SLOT);
  assert.match(sale?.program?.hash ?? "", /^[0-9a-f]{64}$/);
});

test("code that is on disk is not read from the chain again", async (t) => {
  const chain = await startProofChain(t);
  if (chain === null) return;
  const { execution, ground, openProofs, slices } = chain;
  const folder = mkdtempSync(join(tmpdir(), "proof-"));
  closeAfter(t, () => rmSync(folder, { recursive: true }));
  await openProofs(folder).prove(ground, query(execution.amountIn));
  const first = slices();
  const proof = await openProofs(folder).prove(ground, query(execution.amountIn));
  assert.equal(proof.isEqual, true);
  // The heads of two programs, each two accounts.
  assert.equal(slices() - first, 4);
});

test("a chain without the program's code gives no verdict, but the reason", async (t) => {
  const chain = await startProofChain(t, { hasPrograms: false });
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
  const chain = await startProofChain(t);
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

test("code before the deployment that was seen is not run: a node that is behind still has it", async (t) => {
  const chain = await startProofChain(t);
  if (chain === null) return;
  const { execution, ground, deploy, openProofs } = chain;
  const proofs = openProofs(null);
  await proofs.prove(ground, query(execution.amountIn));
  const [own, ...called] = pumpCurveSale.programs;
  assert.ok(own !== undefined);
  proofs.recheck(own, DEPLOYED_SLOT + 1n);
  await assert.rejects(proofs.prove(ground, query(execution.amountIn)), {
    code: "proof_unavailable",
    publicMessage: /behind its last deployment/,
  });
  deploy(undefined, DEPLOYED_SLOT + 1n);
  for (const programId of [own, ...called]) proofs.recheck(programId, DEPLOYED_SLOT + 1n);
  const proof = await proofs.prove(ground, query(execution.amountIn));
  assert.equal(proof.sales[0]?.program?.deployedSlot, DEPLOYED_SLOT + 1n);
});

test("a program that was closed on the chain gives no verdict but the reason, and other programs go on", async (t) => {
  const chain = await startProofChain(t);
  if (chain === null) return;
  const { execution, ground, ledger, openProofs, deploy } = chain;
  const proofs = openProofs(null);
  const [first] = pumpCurveSale.programs;
  assert.ok(first !== undefined);
  ledger.apply(new Map([[programDataAddress(first), null]]));
  await assert.rejects(proofs.prove(ground, query(execution.amountIn)), {
    code: "proof_unavailable",
  });
  deploy();
  const fresh = await openProofs(null).prove(ground, query(execution.amountIn));
  assert.equal(fresh.isEqual, true);
});

test("a pool whose account is closed, or whose vault is frozen, is refused or unproved, never paid", async (t) => {
  const chain = await startProofChain(t, { venue: "pumpswap", file: "pumpswap.bytecode" });
  if (chain === null) return;
  const { execution, ground, openProofs } = chain;
  const proofs = openProofs(null);
  const { sales } = await proofs.prove(ground, query(execution.amountIn));
  const pool = sales[0]?.pool;
  assert.ok(pool !== undefined);
  const without = { get: (key: Address) => (key === pool ? null : ground.accounts.get(key)) };
  await assert.rejects(proofs.prove({ ...ground, accounts: without }, query(execution.amountIn)), {
    code: "proof_unavailable",
  });
  const frozen = {
    get(key: Address) {
      const account = ground.accounts.get(key);
      return account !== null && account?.data.length === 165
        ? { ...account, data: Uint8Array.from(account.data).fill(2, 108, 109) }
        : account;
    },
  };
  const proof = await proofs.prove({ ...ground, accounts: frozen }, query(execution.amountIn));
  assert.equal(proof.sales[0]?.executed?.kind, "refused");
  assert.equal(proof.isEqual, false);
});

test("a chain of three pump coins is proved as the one instruction that sells through their pools", async (t) => {
  const chain = await startProofChain(t, { file: "pump-routes", hops: 3 });
  if (chain === null) return;
  const { execution, ground, openProofs } = chain;
  const { exit, sales, isEqual } = await openProofs(null).prove(ground, query(execution.amountIn));
  const [sale] = sales;
  assert.equal(sales.length, 1);
  assert.deepEqual(
    sale?.hops?.map(({ pool }) => pool),
    execution.route?.map(({ pool }) => pool),
  );
  assert.deepEqual(sale?.executed, { kind: "paid", amount: execution.amountOut });
  assert.equal(exit.kind === "sold" ? exit.paidLamports : null, execution.amountOut);
  assert.equal(isEqual, true);
});
