import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { clockAt } from "#src/node/slot-clock.ts";
import { startSlotPulse } from "#src/node/slot-pulse.ts";
import { sqlitePlace } from "#test/support/databases.ts";
import { type CoinKind, type PumpChain, pumpChain } from "#test/support/pump-chains.ts";
import { startTestService } from "#test/support/service.ts";

/** A coin without any pool: of a program that is not modelled, or of none. */
const UNKNOWN = namedAddress("a coin of an unknown program");

const CHAINS: readonly {
  readonly name: string;
  readonly kinds: readonly CoinKind[];
  readonly lastQuote?: Parameters<typeof pumpChain>[1];
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

/** A node of these accounts alone, with what was asked of it. */
async function startNode(t: TestContext, chain: PumpChain) {
  const ledger = new Ledger(clockAt(Date.now()));
  ledger.apply(chain.accounts);
  const node = createLocalNode({ ledger });
  const { httpUrl, wsUrl } = await node.listen();
  const stop = startSlotPulse(ledger, Date.now);
  t.after(async () => {
    stop();
    await node.close();
  });
  return { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl };
}

for (const { name, kinds, lastQuote, endsAt, notice } of CHAINS) {
  const outcome = endsAt === null ? "is sold over its pools" : "is answered, and its end is named";
  test(`a chain with ${name} ${outcome}`, async (t) => {
    const chain = pumpChain(kinds, lastQuote);
    const service = await startTestService(t, sqlitePlace(t), await startNode(t, chain));
    const [token] = chain.coins;
    const headers = { "accept-language": "en" };
    const answer = await fetch(`${service.url}/api/token/${token}/exitability`, { headers });
    assert.equal(answer.status, 200);
    const body: { readonly aviso: string | null } = JSON.parse(await answer.text());
    if (notice !== null) assert.match(String(body.aviso), notice);
    const asked = `${service.url}/api/token/${token}/exitability/at?unit=token&size=1000000`;
    const sale: Sale = JSON.parse(await (await fetch(asked, { headers })).text());
    if (endsAt !== null) {
      assert.ok(body.aviso?.includes(String(endsAt(chain))), String(body.aviso));
      assert.notEqual(sale.state, "ok");
      assert.equal(sale.net_lamports, null);
      return;
    }
    assert.equal(sale.state, "ok", JSON.stringify(sale));
    const legs = sale.routes[0]?.legs.map((leg) => leg.input_mint);
    assert.deepEqual(legs, chain.coins);
  });
}
