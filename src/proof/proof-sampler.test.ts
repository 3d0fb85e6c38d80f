import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#src/platform/app-error.ts";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { ExecutionRecord } from "./execution-record.ts";
import { ProofSampler, type ProofSamplerDeps } from "./proof-sampler.ts";
import type { ProofOrder, SaleProof } from "./prover.ts";
import { VmError } from "./vm/vm-host.ts";

const market = marketOf([poolOfSol(100)]);
const CLOCK = { slot: 1n, unixTimestamp: 1n, epoch: 0n };

const GROUND = { market, accounts: { get: () => undefined }, clock: CLOCK };

function samplerOf(
  prove: ProofSamplerDeps["prover"]["prove"],
  groundOf: ProofSamplerDeps["groundOf"] = () => GROUND,
) {
  const record = new ExecutionRecord();
  const failures: string[] = [];
  const sampler = new ProofSampler({
    prover: { prove },
    record,
    mints: () => [market.mint],
    groundOf,
    mode: "sample",
    random: seededRandom(1),
    onFailure: (what) => failures.push(what),
  });
  return { sampler, record, failures };
}

test("amounts go from dust to more than a pool can pay, each with what the model says", async () => {
  const orders: ProofOrder[] = [];
  const { sampler } = samplerOf(async (asked): Promise<readonly SaleProof[]> => {
    orders.push(...asked);
    return [];
  });
  for (let sale = 0; sale < 200; sale++) await sampler.sampleOnce();
  const amounts = orders.map(({ amountIn }) => amountIn);
  assert.equal(orders.length, 200);
  assert.ok(
    amounts.some((amount) => amount < 1_000n) && amounts.some((amount) => amount > 1n << 60n),
  );
  const [pool] = market.pools;
  const isUsual = (amount: bigint): boolean => {
    const paid = pool?.quote(amount) ?? 0n;
    return paid > 1_000n && paid < 99_000_000_000n;
  };
  assert.ok(amounts.filter(isUsual).length > 120, "most sales are of sizes that callers ask for");
  for (const { amountIn, modelled } of orders) {
    const amount = pool?.quote(amountIn) ?? null;
    assert.equal(modelled.kind === "paid" ? modelled.amount : null, amount);
  }
});

test("the wait after a sale bounds its share of a processor", async () => {
  const { sampler } = samplerOf(async () => []);
  const waitMs = await sampler.sampleOnce();
  assert.ok(waitMs !== null && waitMs >= 10_000);
});

test("without a VM it ends; an outage of the node is waited out without a report", async () => {
  const missing = samplerOf(() => Promise.reject(new VmError("no package", { isMissing: true })));
  assert.equal(await missing.sampler.sampleOnce(), null);
  const outage = samplerOf(() =>
    Promise.reject(new AppError("chain_unavailable", { publicMessage: "" })),
  );
  assert.equal(await outage.sampler.sampleOnce(), 5_000);
  assert.deepEqual(outage.failures, []);
  const failed = samplerOf(() => Promise.reject(new Error("our bug")));
  assert.equal(await failed.sampler.sampleOnce(), 5_000);
  assert.deepEqual(failed.failures, ["execute a sale"]);
});

test("a token whose market can't be built costs this one sale, not the process", async () => {
  const { sampler, failures } = samplerOf(
    async () => [],
    () => {
      throw new Error("our bug");
    },
  );
  assert.equal(await sampler.sampleOnce(), 5_000);
  assert.deepEqual(failures, ["execute a sale"]);
});
