import { pumpCurveProgram } from "#demo/programs/pump-curve.ts";
import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { assessToken } from "#src/track/answers/assess-token.ts";
import { applyRead } from "#src/track/following/account-reads.ts";
import { applyUpdate } from "#src/track/following/apply-update.ts";
import { addToken } from "#src/track/following/followed-tokens.ts";
import { createLiveState } from "#src/track/following/live-state.ts";
import { addGroup } from "#src/track/following/merge-found.ts";
import { refreshPools } from "#src/track/following/refresh-pools.ts";
import { recordClock } from "#src/track/following/slot-times.ts";
import { NO_NAMES } from "#src/track/pools/token-names.ts";
import type { Address } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { pumpChain } from "#test/support/pools/pump-chains.ts";
import { ASSESS_DEPS, START_MS } from "./follow-stream.ts";

const CLOCK = { slot: 450_000_000n, unixTimestamp: 1_790_000_000n, epoch: 1_041n };
const HOPS = 3;

export type ChainRate = { readonly updatesPerSecond: number; readonly swapsPerSecond: number };

/**
 * Trades at the last hop of a chain of three pump coins, the first of which is assessed after each: every
 * trade is then one of three pools that the answer depends on, and its updates count three times.
 */
export function chainRate(swaps: number): ChainRate {
  const { coins, accounts } = pumpChain("updates", ["curve", "curve", "curve"]);
  const [mint, ...behind] = coins;
  const root = coins.at(-1);
  if (mint === undefined || root === undefined) throw new RangeError("a chain has coins");
  const loaded = new Map<Address, Account | null>();
  for (const [address, account] of accounts) {
    loaded.set(address, account && { ...account, slot: CLOCK.slot });
  }
  const state = createLiveState();
  recordClock(state.times, CLOCK, START_MS);
  const foundOf = (coin: Address) => ({
    pools: [{ venue: pumpCurve, address: curveAddress(coin), mint: coin, isReserved: true }],
    ...{ vacant: [], isDerivedOnly: true, leftOut: [], refusals: [] },
    ...{ isSearchComplete: true, searchedSlot: null },
  });
  const mintFacts = decodeMint(loaded.get(mint));
  const facts = { mint, mintFacts, names: NO_NAMES, isSearched: true, nowMs: START_MS };
  const token = addToken(state, { ...facts, found: foundOf(mint), loaded });
  for (const coin of behind) {
    state.hops.set(coin, addGroup(state, { mint: coin, found: foundOf(coin), loaded }));
  }
  const asked = [...state.accounts.keys()];
  const read = new Map(asked.map((address) => [address, loaded.get(address) ?? null]));
  applyRead(state, asked, { slot: CLOCK.slot, accounts: read }, START_MS);
  refreshPools(state, START_MS);
  const trades = tradesAt(root, loaded, swaps);
  const assess = (nowMs: number) =>
    assessToken(state, token, ASSESS_DEPS, { nowMs, maxAgeMs: 1_000 });
  assess(START_MS);
  if (token.assessed?.assessment.measurement == null) throw new Error("the chain is not priced");
  let count = 0;
  const start = process.cpuUsage();
  for (const [index, updates] of trades.entries()) {
    const nowMs = START_MS + 1 + index;
    for (const update of updates) applyUpdate(state, update, nowMs);
    refreshPools(state, nowMs);
    assess(nowMs);
    count += HOPS * updates.length;
  }
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  return { updatesPerSecond: count / seconds, swapsPerSecond: (HOPS * swaps) / seconds };
}

/** Purchases and sales by turns, each in a slot of its own. */
function tradesAt(
  root: Address,
  loaded: Map<Address, Account | null>,
  swaps: number,
): readonly (readonly AccountUpdate[])[] {
  let held = 0n;
  return Array.from({ length: swaps }, (_, index) => {
    const slot = CLOCK.slot + 1n + BigInt(index);
    const isBuy = index % 2 === 0;
    const result = pumpCurveProgram.swap(loaded, {
      pool: curveAddress(root),
      inputMint: isBuy ? WSOL : root,
      outputMint: isBuy ? root : WSOL,
      amountIn: isBuy ? LAMPORTS_PER_SOL / 50n : held,
      user: root,
      clock: { ...CLOCK, slot },
    });
    if (result.kind === "refused") throw new Error(result.reason);
    held = result.amountOut;
    for (const [address, account] of result.changes) loaded.set(address, account);
    return [...result.changes].map(([address, account]) => ({
      address,
      account: account && { ...account, slot },
      slot,
    }));
  });
}
