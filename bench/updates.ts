import { parseArgs } from "node:util";
import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { formatTable } from "#src/cli/output.ts";
import { applyRead } from "#src/track/account-reads.ts";
import { applyUpdate } from "#src/track/apply-update.ts";
import { type AssessDeps, assessToken } from "#src/track/assess-token.ts";
import { addToken } from "#src/track/followed-tokens.ts";
import { createLiveState, type FollowedToken, type LiveState } from "#src/track/live-state.ts";
import { refreshPools } from "#src/track/refresh-pools.ts";
import { recordClock } from "#src/track/slot-times.ts";
import { NO_NAMES } from "#src/track/token-names.ts";
import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { decodeMint } from "#src/venues/token/mint.ts";
import { buildStream, type StreamToken, type UpdateStream } from "./update-stream.ts";

/**
 * Account updates per second on one core, in process, from account bytes to fresh assessments of the
 * tokens they touch, on the mixed stream. Floor: 100,000.
 */

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "400" },
    swaps: { type: "string", default: "20000" },
  },
});

const START_MS = 1_790_000_000_500;
const ROUNDS = 5;
const UPDATES_PER_SLOT = 40_000;
const DEPS: AssessDeps = {
  standsStill: false,
  historySeconds: () => 1_000,
  exactPctByVenue: () => new Map(),
};

type Live = {
  readonly state: LiveState;
  readonly tokenOf: ReadonlyMap<Address, FollowedToken>;
  nowMs: number;
};

/** How many updates arrive before the tokens they touch are measured again. */
type Batching = { readonly name: string; readonly updates: number };
const BATCHINGS: readonly Batching[] = [
  { name: "answered one by one", updates: 1 },
  { name: "answered a slot at a time", updates: UPDATES_PER_SLOT },
];

const stream = buildStream({
  tokens: Number(values.tokens),
  swaps: Number(values.swaps),
  seed: Number(values.seed),
});
if (stream.missing.length > 0) console.error(`not in the mix yet: ${stream.missing.join(", ")}`);
const rows: (readonly (string | number)[])[] = [];
for (const batching of BATCHINGS) report(batching.name, stream.swaps, batching);
for (const venue of new Set(stream.tokens.map((token) => token.venue))) {
  const own = stream.swaps.filter((swap) => swap.venue === venue);
  report(`${venue} alone, one by one`, own, { name: venue, updates: 1 });
}
if (!values.json) {
  console.log(formatTable([["stream", "updates/s", "swaps/s", "us per update"], ...rows]));
}

function report(name: string, swaps: UpdateStream["swaps"], batching: Batching): void {
  const rates = Array.from({ length: ROUNDS }, () => run(swaps, batching)).toSorted(
    (a, b) => a.updatesPerSecond - b.updatesPerSecond,
  );
  const median = rates[Math.floor(ROUNDS / 2)];
  if (median === undefined) return;
  const { updatesPerSecond, swapsPerSecond } = median;
  if (values.json) console.log(JSON.stringify({ name, updatesPerSecond, swapsPerSecond }));
  rows.push([
    name,
    Math.round(updatesPerSecond),
    Math.round(swapsPerSecond),
    (1e6 / updatesPerSecond).toFixed(2),
  ]);
}

function run(swaps: UpdateStream["swaps"], batching: Batching) {
  const live = openLive();
  const numbered = renumber(swaps);
  let count = 0;
  let waiting = 0;
  const start = process.cpuUsage();
  for (const swap of numbered) {
    live.nowMs += 1;
    for (const update of swap) applyUpdate(live.state, update, live.nowMs);
    count += swap.length;
    waiting += swap.length;
    if (waiting < batching.updates) continue;
    answer(live);
    waiting = 0;
  }
  answer(live);
  // Processor time, not the clock's: other work on the machine does not count.
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  return { updatesPerSecond: count / seconds, swapsPerSecond: swaps.length / seconds };
}

function answer(live: Live): void {
  refreshPools(live.state, live.nowMs);
  for (const token of live.state.dirtyTokens) {
    assessToken(live.state, token, DEPS, { nowMs: live.nowMs, maxAgeMs: 1_000 });
  }
}

/** Each swap in a slot of its own, after the state's. */
function renumber(swaps: UpdateStream["swaps"]): (readonly AccountUpdate[])[] {
  return swaps.map(({ updates }, index) => {
    const slot = stream.clock.slot + 1n + BigInt(index);
    return updates.map(({ address, account }) => ({
      address,
      account: account === null ? null : { ...account, slot },
      slot,
    }));
  });
}

function openLive(): Live {
  const state = createLiveState();
  const loaded = new Map<Address, Account | null>(stream.accounts);
  const tokenOf = new Map<Address, FollowedToken>();
  recordClock(state.times, stream.clock, START_MS);
  for (const token of stream.tokens) tokenOf.set(token.pool, follow(state, token, loaded));
  const asked = [...state.accounts.keys()];
  const accounts = new Map(asked.map((address) => [address, loaded.get(address) ?? null]));
  applyRead(state, asked, { slot: stream.clock.slot, accounts }, START_MS);
  const live: Live = { state, tokenOf, nowMs: START_MS };
  answer(live);
  return live;
}

function follow(
  state: LiveState,
  { mint, venue: id, pool }: StreamToken,
  loaded: Map<Address, Account | null>,
): FollowedToken {
  const venue = VENUES.find((candidate) => candidate.id === id);
  if (venue === undefined) throw new RangeError(`no venue ${id}`);
  const found = {
    pools: [{ venue, address: pool, mint, isDerived: false }],
    vacant: [],
    filters: [],
    leftOut: null,
    isSearchComplete: true,
    refusals: [],
  };
  const mintFacts = decodeMint(loaded.get(mint));
  return addToken(state, {
    mint,
    mintFacts,
    names: NO_NAMES,
    found,
    loaded,
    isSearched: true,
    nowMs: START_MS,
  });
}
