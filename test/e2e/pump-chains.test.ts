import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { clockAt } from "#src/node/slot-clock.ts";
import { startSlotPulse } from "#src/node/slot-pulse.ts";
import { systemClock } from "#src/platform/clock.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { type CoinKind, type PumpChain, pumpChain } from "#test/support/pools/pump-chains.ts";
import { startTestService } from "#test/support/processes/service.ts";

/** A coin without any pool: of a program that is not modelled, or of none. */
const UNKNOWN = namedAddress("a coin of an unknown program");

const CHAINS: readonly {
  readonly name: string;
  readonly kinds: readonly CoinKind[];
  readonly lastQuote?: Parameters<typeof pumpChain>[2];
  /** Where it ends, by the place of the coin; null: it is sold. */
  readonly endsAt: ((chain: PumpChain) => string | undefined) | null;
  readonly notice: RegExp | null;
}[] = [
  {
    name: "curve on curve on curve",
    kinds: ["curve", "curve", "curve"],
    endsAt: null,
    notice: null,
  },
  { name: "pool on curve", kinds: ["pool", "curve"], endsAt: null, notice: null },
  { name: "curve on pool", kinds: ["curve", "pool"], endsAt: null, notice: null },
  {
    name: "five further coins",
    kinds: ["curve", "pool", "curve", "curve", "pool", "curve"],
    endsAt: null,
    notice: null,
  },
  {
    name: "a mayhem coin",
    kinds: ["curve", "mayhem-curve", "curve"],
    endsAt: null,
    notice: /may rewrite the reserves/,
  },
  {
    name: "six further coins",
    kinds: ["curve", "curve", "curve", "curve", "curve", "curve", "curve"],
    endsAt: ({ coins }) => coins[6],
    notice: /more than five further hops/,
  },
  {
    name: "a loop to the token",
    kinds: ["curve", "curve"],
    lastQuote: ([first]) => first ?? UNKNOWN,
    endsAt: ({ coins }) => coins[0],
    notice: /leads back/,
  },
  {
    name: "a loop behind the token",
    kinds: ["curve", "curve", "curve"],
    lastQuote: ([, second]) => second ?? UNKNOWN,
    endsAt: ({ coins }) => coins[1],
    notice: /leads back/,
  },
  {
    name: "a coin of an unknown program",
    kinds: ["curve", "curve"],
    lastQuote: UNKNOWN,
    endsAt: () => UNKNOWN,
    notice: /no pool of it is known/,
  },
  {
    name: "a full curve",
    kinds: ["curve", "full-curve", "curve"],
    endsAt: ({ coins }) => coins[1],
    notice: /its curve is complete/,
  },
  {
    name: "an empty pool",
    kinds: ["pool", "curve", "empty-pool"],
    endsAt: ({ coins }) => coins[2],
    notice: /its pools pay nothing/,
  },
];

type Sale = {
  readonly state: string;
  readonly net_lamports: string | null;
  readonly routes: readonly { readonly legs: readonly { readonly input_mint: string }[] }[];
};

/** A node of these accounts alone. */
async function startNode(t: TestContext, chains: readonly PumpChain[]) {
  const ledger = new Ledger(clockAt(Date.now()));
  for (const { accounts } of chains) ledger.apply(accounts);
  const node = createLocalNode({ ledger });
  const { httpUrl, wsUrl } = await node.listen();
  const stop = startSlotPulse(ledger, systemClock);
  closeAfter(t, async () => {
    stop();
    await node.close();
  });
  return { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl };
}

/** Each caller has an address of its own: the free queries of one address are few. */
async function read(url: string, caller: number): Promise<string> {
  const headers = { "accept-language": "en", "x-forwarded-for": `198.51.100.${caller}` };
  const response = await fetch(url, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

test("a chain of pump coins is sold over its pools, or its end is named, and is never unknown", async (t) => {
  const cases = CHAINS.map((row) => ({
    ...row,
    chain: pumpChain(row.name, row.kinds, row.lastQuote),
  }));
  const environment = await startNode(
    t,
    cases.map(({ chain }) => chain),
  );
  const service = await startTestService(t, sqlitePlace(t), { ...environment, TRUST_PROXY: "1" });
  for (const [caller, { name, chain, endsAt, notice }] of cases.entries()) {
    await t.test(name, async () => {
      const [token] = chain.coins;
      const path = `${service.url}/api/token/${token}/exitability`;
      const { aviso }: { readonly aviso: string | null } = JSON.parse(await read(path, caller));
      const sale: Sale = JSON.parse(await read(`${path}/at?unit=token&size=1000000`, caller));
      if (notice !== null) assert.match(String(aviso), notice);
      if (endsAt === null) {
        assert.equal(sale.state, "ok", JSON.stringify(sale));
        const sold = sale.routes[0]?.legs.map((leg) => leg.input_mint);
        assert.deepEqual(sold, chain.coins);
        return;
      }
      assert.ok(aviso?.includes(String(endsAt(chain))), String(aviso));
      assert.notEqual(sale.state, "ok");
      assert.equal(sale.net_lamports, null);
    });
  }
});
