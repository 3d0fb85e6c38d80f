import assert from "node:assert/strict";
import { test } from "node:test";
import { startExecutableNode } from "#test/support/chain/executable-node.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { startTestService } from "#test/support/processes/service.ts";

type Proof = {
  readonly reason: string | null;
  readonly modelled_lamports: string | null;
  readonly is_equal: boolean | null;
  readonly sales: readonly {
    readonly pools: readonly string[];
    readonly program_hash: string | null;
    readonly deployed_slot: number | null;
    readonly modelled: { readonly amount_out: string | null };
    readonly executed: { readonly amount_out: string | null; readonly refusal: string | null };
    readonly is_equal: boolean | null;
  }[];
};

test("proofs over HTTP: one pool, a split over four, and a refusal, each executed by the deployed program", async (t) => {
  const node = await startExecutableNode(t);
  if (node === null) return;
  const [mint] = node.mints;
  const service = await startTestService(t, sqlitePlace(t), {
    ...node.environment,
    ACCURACY: "off",
    TRUST_PROXY: "1",
  });
  let callers = 0;
  const ask = async (of: string | undefined, query: string) => {
    const url = `${service.url}/api/token/${of}/exitability`;
    const headers = { "x-forwarded-for": `198.51.100.${++callers}` };
    await fetch(url, { headers });
    const response = await fetch(`${url}/proof?${query}`, { headers });
    const body = await response.text();
    assert.equal(response.status, 200, body);
    return JSON.parse(body) as Proof;
  };

  await t.test("a token's only pool", async () => {
    const proof = await ask(mint, "size=1");
    assert.equal(proof.is_equal, true);
    const [sale, ...others] = proof.sales;
    assert.equal(others.length, 0);
    assert.equal(sale?.executed.amount_out, proof.modelled_lamports);
    assert.match(sale?.program_hash ?? "", /^[0-9a-f]{64}$/);
    assert.ok((sale?.deployed_slot ?? 0) > 0);
  });

  await t.test("a split over four pools", async () => {
    const proof = await ask(node.splitMint, "size=20&profile=pro");
    assert.equal(proof.is_equal, true);
    assert.equal(new Set(proof.sales.flatMap(({ pools }) => pools)).size, 4);
    const executed = proof.sales.reduce(
      (sum, sale) => sum + BigInt(sale.executed.amount_out ?? 0),
      0n,
    );
    assert.equal(String(executed), proof.modelled_lamports);
  });

  await t.test("what no pool pays for", async () => {
    const proof = await ask(node.splitMint, "size=0.001003&unit=token");
    assert.equal(proof.reason, "insufficient-liquidity");
    assert.equal(proof.sales.length, 4);
    for (const { modelled, executed } of proof.sales) {
      assert.equal(modelled.amount_out, null);
      assert.ok((executed.refusal ?? "").length > 0);
    }
    assert.equal(proof.is_equal, true);
  });
});
