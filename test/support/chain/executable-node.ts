import type { TestContext } from "node:test";
import type { DemoMarket } from "#demo/market.ts";
import { raydiumAmmV4Program } from "#demo/programs/raydium-amm-v4.ts";
import { createLocalNode } from "#src/node/node.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { PROGRAM_ID as AMM_V4 } from "#src/venues/raydium-amm-v4/layout.ts";
import { closeAfter } from "../ending.ts";
import { testAddress } from "../pools/test-accounts.ts";
import { executableMarket } from "./executable-market.ts";
import { deployedAccounts } from "./program-accounts.ts";
import { compiledPrograms } from "./programs.ts";

const LAMPORTS = 1_000_000_000n;
const TOKENS = 40;

/** A demo market of Raydium AMM v4 behind a node, with the program's own code. */
export type ExecutableNode = {
  readonly market: DemoMarket;
  /** What points a service at it. */
  readonly environment: { readonly SOLANA_RPC_URL: string; readonly SOLANA_WS_URL: string };
  /** A token with one pool each. */
  readonly mints: readonly Address[];
  /** A token whose SOL is in four pools. */
  readonly splitMint: Address;
  readonly code: Uint8Array;
  /** Deploys other code at AMM v4's address, in the slot of now. */
  readonly deploy: (code: Uint8Array) => void;
};

/** Null where the compiled program is not here: skipped, or failed on CI. */
export async function startExecutableNode(t: TestContext): Promise<ExecutableNode | null> {
  const [program] = compiledPrograms(t, [AMM_V4]) ?? [];
  if (program === undefined) return null;
  const options = { seed: 1, startMs: Date.now(), extraTokens: TOKENS, launchEveryMinutes: null };
  const market = executableMarket(options, ["raydium-amm-v4"]);
  if (market === null) return null;
  const { ledger } = market;
  const mints = market.mints.slice(-TOKENS);
  const splitMint = testAddress(210);
  for (let pool = 0; pool < 4; pool++) {
    const depth = BigInt(30 + 10 * pool);
    const opened = raydiumAmmV4Program.createPool(ledger, {
      baseMint: splitMint,
      quoteMint: WSOL,
      baseAmount: depth * 1_000_000_000_000n,
      quoteAmount: depth * LAMPORTS,
      creator: testAddress(211),
      clock: ledger.clock,
      freshAddress: () => testAddress(212 + pool),
    });
    ledger.apply(opened.changes);
  }
  const node = createLocalNode({ ledger });
  const { httpUrl, wsUrl } = await node.listen();
  const timer = setInterval(() => market.catchUp(Date.now()), SLOT_MS);
  closeAfter(t, async () => {
    clearInterval(timer);
    await node.close();
  });
  return {
    ...{ market, mints, splitMint, code: program.code },
    environment: { SOLANA_RPC_URL: httpUrl, SOLANA_WS_URL: wsUrl },
    deploy: (code) => ledger.apply(deployedAccounts(AMM_V4, { slot: ledger.clock.slot, code })),
  };
}
