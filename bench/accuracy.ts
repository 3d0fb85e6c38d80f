import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AccountVersions } from "#src/accuracy/account-versions.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { judgeSlot, type WatchedPool } from "#src/accuracy/judge-slot.ts";
import { parseProgramLog } from "#src/accuracy/program-log.ts";
import { readTransaction } from "#src/accuracy/read-transaction.ts";
import { UpdateBatch, UpdateReader } from "#src/accuracy/replay/update-batch.ts";
import { formatTable } from "#src/cli/output.ts";
import { clockAccount } from "#src/node/slot-clock.ts";
import { assessToken } from "#src/track/answers/assess-token.ts";
import { applyUpdate } from "#src/track/following/apply-update.ts";
import { refreshPools } from "#src/track/following/refresh-pools.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { SWAP_READERS } from "#src/venues/all.ts";
import { ASSESS_DEPS, followStream, START_MS } from "./support/follow-stream.ts";
import { readOptions } from "./support/options.ts";
import { median } from "./support/quantile.ts";
import { buildStream } from "./support/update-stream.ts";

/**
 * What the record of exactness costs, as processor time per swap of a mixed stream, each swap answered
 * at once: tracking alone; tracking that also sends every update to the replay worker, which is
 * what the record takes from update throughput (bar: 10 %); and what that thread itself does, which
 * runs beside it.
 */

const { values } = readOptions("Cost of the accuracy record.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  rounds: { type: "string", default: "15", help: "rounds of which the median counts" },
});
const BAR_PCT = 10;
const FLUSH_BYTES = 256 * 1024;
/** As many come in a twentieth of a second of a busy day. */
const SWAPS_A_BATCH = 50;

setFlagsFromString("--expose-gc");
/** Before each run, so that none pays for what the one before it left. */
const collectGarbage = runInNewContext("gc") as () => void;

const stream = buildStream({ tokens: 400, swaps: 20_000, seed: Number(values.seed) });

type Transaction = ReturnType<typeof buildStream>["swaps"][number]["transaction"];
type Work = "alone" | "told" | "replayed";
type Watched = { readonly versions: AccountVersions; readonly record: AccuracyRecord };

function run(work: Work) {
  const { state } = followStream(stream);
  const batch = new UpdateBatch();
  const reader = new UpdateReader();
  const versions = new AccountVersions();
  const record = new AccuracyRecord();
  const pools = watchedPools();
  for (const [address, account] of stream.accounts)
    versions.add({ address, account, slot: stream.clock.slot });
  const heard: Transaction[] = [];
  collectGarbage();
  const start = process.cpuUsage();
  for (const [index, swap] of stream.swaps.entries()) {
    const slot = stream.clock.slot + 1n + BigInt(index);
    const updates = swap.updates.map(({ address, account }) => ({
      address,
      account: account === null ? null : { ...account, slot },
      slot,
    }));
    if (work === "replayed") {
      const clock = clockAccount({ ...stream.clock, slot });
      for (const update of [...updates, { address: CLOCK_SYSVAR, account: clock, slot }])
        batch.add(update);
      heard.push({ ...swap.transaction, slot });
      if (heard.length < SWAPS_A_BATCH && index < stream.swaps.length - 1) continue;
      for (const update of reader.read(batch.take())) versions.add(update);
      for (const transaction of heard.splice(0)) judge({ versions, record }, transaction, pools);
      continue;
    }
    for (const update of updates) {
      if (work === "told") batch.add(update);
      applyUpdate(state, update, START_MS + 1 + index);
    }
    if (batch.length >= FLUSH_BYTES) batch.take();
    refreshPools(state, START_MS + 1 + index);
    for (const token of state.dirtyTokens) {
      assessToken(state, token, ASSESS_DEPS, { nowMs: START_MS + 1 + index, maxAgeMs: 1_000 });
    }
  }
  const { user, system } = process.cpuUsage(start);
  return { microseconds: (user + system) / stream.swaps.length, ...sumOf(record) };
}

function judge(
  { versions, record }: Watched,
  transaction: Transaction,
  pools: ReadonlyMap<Address, WatchedPool>,
): void {
  const reading = readTransaction(transaction, parseProgramLog(transaction.logs));
  if (reading.kind !== "whole") return;
  const { slot, signature } = transaction;
  for (const { pool: address } of reading.swaps) {
    const pool = pools.get(address);
    if (pool === undefined) continue;
    const input = { pool, slot, entries: [{ signature, reading, inLog: [] }], versions };
    for (const { signer, outcome } of judgeSlot(input)) {
      const { venue } = pool.ref;
      const judged = { atMs: START_MS, venue: venue.id, pool: address, slot, signature };
      record.tallies.count({ ...judged, signer, outcome });
    }
  }
}

function watchedPools(): ReadonlyMap<Address, WatchedPool> {
  return new Map(
    stream.tokens.map(({ venue: id, pool: address, mint }) => {
      const reader = SWAP_READERS.find(({ venue }) => venue.id === id);
      if (reader === undefined) throw new RangeError(`no reader for ${id}`);
      const ref = { venue: reader.venue, address, mint, isReserved: false };
      return [address, { ref, reader, sinceSlot: 0n, isResumed: false, touchedSlot: null }];
    }),
  );
}

function sumOf(record: AccuracyRecord) {
  let [replayed, exact] = [0, 0];
  for (const { windows } of record.tallies.venues.map((venue) => record.venue(venue, START_MS))) {
    replayed += windows.hour.replayed;
    exact += windows.hour.exact;
  }
  return { replayed, exact };
}

for (const work of ["alone", "told", "replayed"] as const) run(work);
const rounds = Array.from({ length: Number(values.rounds) }, (_, round) => {
  // The case that runs first in one round runs second in the next.
  const [alone, told] =
    round % 2 === 0 ? [run("alone"), run("told")] : [run("told"), run("alone")].toReversed();
  return { alone, told, replayed: run("replayed") };
});
const medianOf = (work: Work): number =>
  median(rounds.map((round) => round[work]?.microseconds ?? Number.NaN));
const addedPct = median(
  rounds.map(
    ({ alone, told }) => 100 * ((told?.microseconds ?? 0) / (alone?.microseconds ?? 1) - 1),
  ),
);
const last = rounds.at(-1)?.replayed;
const result = {
  swaps: stream.swaps.length,
  replayed: last?.replayed ?? 0,
  exact: last?.exact ?? 0,
  trackedUs: medianOf("alone"),
  trackedAndToldUs: medianOf("told"),
  addedPct,
  barPct: BAR_PCT,
  replayingThreadUs: medianOf("replayed"),
};
if (values.json) console.log(JSON.stringify(result));
else {
  console.log(
    formatTable([
      ["thread", "work", "us per swap"],
      ["tracking", "tracked", result.trackedUs.toFixed(1)],
      ["tracking", "and sent to the replay worker", result.trackedAndToldUs.toFixed(1)],
      ["", "effect on update throughput", `${addedPct.toFixed(1)} % (bar ${BAR_PCT} %)`],
      ["replaying", "taken in, read and replayed", result.replayingThreadUs.toFixed(1)],
    ]),
  );
  console.log(`${result.swaps} swaps, ${result.replayed} replayed, ${result.exact} exact`);
}
process.exitCode = addedPct < BAR_PCT && result.exact === result.swaps ? 0 : 1;
