import type { AccountUpdate } from "#src/chain/chain-source.ts";
import { formatTable } from "#src/cli/output.ts";
import { assessToken } from "#src/track/answers/assess-token.ts";
import { applyUpdate } from "#src/track/following/apply-update.ts";
import { refreshPools } from "#src/track/following/refresh-pools.ts";
import { type ChainRate, chainRate } from "./support/chain-updates.ts";
import { ASSESS_DEPS, followStream, type Live } from "./support/follow-stream.ts";
import { readOptions } from "./support/options.ts";
import { buildStream, type UpdateStream } from "./support/update-stream.ts";

/**
 * Account updates per second on one core, in process, from account bytes to fresh assessments of the
 * tokens they touch, on the mixed stream. Floor: 100,000.
 */

const { values } = readOptions("Updates per second of the tracker, by venue.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  tokens: { type: "string", default: "400" },
  swaps: { type: "string", default: "20000" },
});

const ROUNDS = 5;
const UPDATES_PER_SLOT = 40_000;
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
reportRates("a chain of three pump coins, one by one", () => chainRate(Number(values.swaps) / 10));
if (!values.json) {
  console.log(formatTable([["stream", "updates/s", "swaps/s", "us per update"], ...rows]));
}

function report(name: string, swaps: UpdateStream["swaps"], batching: Batching): void {
  reportRates(name, () => run(swaps, batching));
}

function reportRates(name: string, measure: () => ChainRate): void {
  const rates = Array.from({ length: ROUNDS }, measure).toSorted(
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
  const live = followStream(stream);
  answer(live);
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
    assessToken(live.state, token, ASSESS_DEPS, { nowMs: live.nowMs, maxAgeMs: 1_000 });
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
