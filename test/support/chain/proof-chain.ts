import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { RecordedExecution } from "#src/accuracy/recorded-execution.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { Ledger } from "#src/node/ledger.ts";
import { createLocalNode } from "#src/node/node.ts";
import { systemClock } from "#src/platform/clock.ts";
import { Proofs } from "#src/proof/proofs.ts";
import { clockOf } from "#src/track/pools/chain-clock.ts";
import { loadMarket } from "#src/track/pools/load-market.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { CHAIN_SALES, VENUE_SALES } from "#src/venues/all-sales.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { closeAfter } from "../ending.ts";
import { firstExecution, sharedPath } from "../pools/executions.ts";
import { deployedAccounts } from "./program-accounts.ts";
import { compiledPrograms } from "./programs.ts";

export const DEPLOYED_SLOT = 350_000_000n;

export type ProofChainOptions = {
  readonly venue?: VenueId;
  /** Of the recorded executions. */
  readonly file?: string;
  /** Sold through so many pools by one instruction, of the recorded routes; absent: in one pool. */
  readonly hops?: number;
  readonly hasPrograms?: boolean;
};

/** A node with a recorded pool that pays SOL, and with the compiled programs unless left out; null: skipped. */
export async function startProofChain(
  t: TestContext,
  {
    venue = "pump-curve",
    file = "pump-curve.bytecode",
    hops = 1,
    hasPrograms = true,
  }: ProofChainOptions = {},
) {
  const path = sharedPath(t, hops === 1 ? "executions" : "routes", `${file}.jsonl.gz`);
  const sold = VENUE_SALES.find((known) => known.venue === venue)?.programs ?? [];
  const needed = hops === 1 ? sold : CHAIN_SALES.flatMap(({ programs }) => programs);
  const programs = path === null ? null : compiledPrograms(t, needed);
  if (path === null || programs === null) return null;
  const sale = await firstExecution(
    path,
    (execution) => isPaidSale(execution) && (execution.route?.length ?? 1) === hops,
  );
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
  closeAfter(t, async () => {
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
    closeAfter(t, () => proofs.close());
    return proofs;
  };
  return {
    urls,
    execution,
    ledger,
    source,
    clock,
    ground,
    deploy,
    openProofs,
    slices: () => slices,
  };
}

function isPaidSale({ outputMint, amountOut, amountIn }: RecordedExecution): boolean {
  return outputMint === WSOL && amountOut !== null && amountOut > 1_000n && amountIn > 1_000_000n;
}
