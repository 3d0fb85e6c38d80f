import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { testAddress } from "#test/support/pools/test-accounts.ts";
import { ExecutionRecord } from "./execution-record.ts";
import type { SaleProof } from "./prover.ts";

type Fields = { readonly pool?: number; readonly isEqual?: boolean | null; readonly slot?: bigint };

function proofOf({ pool = 1, isEqual = true, slot = 100n }: Fields): SaleProof {
  const paid = { kind: "paid", amount: 1n } as const;
  return {
    venue: "raydium-cpmm",
    pool: testAddress(pool),
    inputMint: testAddress(90),
    outputMint: WSOL,
    amountIn: 1n,
    modelled: paid,
    executed: isEqual === null ? null : paid,
    unproved: isEqual === null ? "no VM" : null,
    isEqual,
    computeUnits: 0n,
    program: { programId: testAddress(91), loader: testAddress(92), deployedSlot: slot, hash: "" },
  };
}

function recordOf(...proofs: readonly Fields[]): ExecutionRecord {
  const record = new ExecutionRecord();
  for (const fields of proofs) record.add(proofOf(fields));
  return record;
}

const times = (count: number, fields: (index: number) => Fields): readonly Fields[] =>
  Array.from({ length: count }, (_, index) => fields(index));

test("a venue without executions has no share, and no claim about deployments", () => {
  const record = recordOf({ isEqual: null });
  assert.deepEqual([...record.equalPctByVenue()], []);
  record.deployed("raydium-cpmm");
  assert.deepEqual([...record.newDeployments()], []);
  assert.equal(record.report()[0]?.unproved, "no VM");
});

test("differences count from five pools on: fewer can be one hostile token's doing", () => {
  const equal = times(90, (index) => ({ pool: index }));
  const fewPools = times(10, (index) => ({ pool: 200 + (index % 4), isEqual: false }));
  assert.equal(
    recordOf(...equal, ...fewPools)
      .equalPctByVenue()
      .get("raydium-cpmm"),
    100,
  );
  const manyPools = times(10, (index) => ({ pool: 200 + index, isEqual: false }));
  assert.equal(
    recordOf(...equal, ...manyPools)
      .equalPctByVenue()
      .get("raydium-cpmm"),
    90,
  );
});

test("a new deployment is trusted after twenty equal executions over five pools", () => {
  const record = recordOf({ slot: 100n });
  record.deployed("raydium-cpmm");
  assert.deepEqual([...record.newDeployments()], ["raydium-cpmm"]);
  for (const fields of times(19, (index) => ({ pool: index % 5, slot: 101n }))) {
    record.add(proofOf(fields));
  }
  assert.equal(record.newDeployments().size, 1);
  record.add(proofOf({ pool: 4, slot: 101n }));
  assert.equal(record.newDeployments().size, 0);
  const [report] = record.report();
  assert.deepEqual([report?.deployedSlot, report?.onDeployment], [101n, 20]);
});

test("twenty executions in four pools do not make a deployment trusted; one odd token can't prevent it", () => {
  const fourPools = recordOf(
    { slot: 1n },
    ...times(40, (index) => ({ pool: index % 4, slot: 2n })),
  );
  assert.equal(fourPools.newDeployments().size, 1);
  const different = recordOf(
    { slot: 1n },
    ...times(40, (index) => ({ pool: index, slot: 2n, isEqual: index !== 3 })),
  );
  assert.equal(different.newDeployments().size, 0);
});

test("differences in a few pools delay the trust in a deployment, and can't prevent it", () => {
  const record = recordOf({ slot: 1n });
  const few = times(99, (index) => ({ pool: index, slot: 2n, isEqual: index > 3 }));
  for (const fields of few) record.add(proofOf(fields));
  assert.equal(record.newDeployments().size, 1);
  record.add(proofOf({ pool: 99, slot: 2n }));
  assert.equal(record.newDeployments().size, 0);
});

test("a venue fails where the model differs in five pools, and its answers are executed until it is proved again", () => {
  const changes: boolean[] = [];
  const record = new ExecutionRecord((_venue, isFailing) => changes.push(isFailing));
  for (const fields of times(4, (index) => ({ pool: index, isEqual: false }))) {
    record.add(proofOf(fields));
  }
  assert.deepEqual([...record.failing()], []);
  record.add(proofOf({ pool: 5, isEqual: false }));
  assert.deepEqual([...record.failing()], ["raydium-cpmm"]);
  const failing = record.failing();
  record.deployed("raydium-cpmm");
  assert.deepEqual([...record.failing()], ["raydium-cpmm"]);
  assert.notEqual(record.failing(), failing, "what the last deployment paid is void");
  for (const fields of times(20, (index) => ({ pool: index % 5, slot: 101n }))) {
    record.add(proofOf(fields));
  }
  assert.deepEqual([...record.failing()], []);
  assert.deepEqual(changes, [true, false]);
});

test("of a new deployment, half of the pools decide where fewer than five are tracked", () => {
  const record = recordOf({ slot: 100n });
  record.deployed("raydium-cpmm");
  for (const fields of times(19, (index) => ({ pool: index % 2, isEqual: false, slot: 101n }))) {
    record.add(proofOf(fields));
  }
  assert.deepEqual([...record.failing()], []);
  record.add(proofOf({ pool: 1, isEqual: true, slot: 101n }));
  assert.deepEqual([...record.failing()], ["raydium-cpmm"]);
  assert.equal(record.newDeployments().size, 0);
  assert.equal(record.equalPctByVenue().get("raydium-cpmm"), 5);
});
