import { AccountVersions } from "#src/accuracy/account-versions.ts";
import { AccuracyRecord } from "#src/accuracy/accuracy-record.ts";
import { SWAP_READERS } from "#src/accuracy/events/all.ts";
import { judgeSlot, type WatchedPool } from "#src/accuracy/judge-slot.ts";
import { parseProgramLog } from "#src/accuracy/program-log.ts";
import { readTransaction } from "#src/accuracy/read-transaction.ts";
import { formatTable } from "#src/cli/output.ts";
import { clockAccount } from "#src/local-node/slot-clock.ts";
import { applyUpdate } from "#src/track/apply-update.ts";
import { assessToken } from "#src/track/assess-token.ts";
import { refreshPools } from "#src/track/refresh-pools.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { ASSESS_DEPS, followStream, START_MS } from "./follow-stream.ts";
import { buildStream } from "./update-stream.ts";

/**
 * What the record of exactness costs: processor time per swap of tracking the mixed stream, each swap
 * answered at once, alone and with every swap read and replayed beside it. Ceiling: 10 % more.
 */

const ROUNDS = 7;

const stream = buildStream({ tokens: 400, swaps: 20_000, seed: 1 });

type Watched = { readonly versions: AccountVersions; readonly record: AccuracyRecord };

function run(isWatched: boolean) {
  const { state } = followStream(stream);
  const versions = new AccountVersions();
  const record = new AccuracyRecord({ onLine: () => {} });
  const pools = watchedPools();
  if (isWatched) {
    for (const [address, account] of stream.accounts) {
      versions.add({ address, account, slot: stream.clock.slot });
    }
  }
  const start = process.cpuUsage();
  for (const [index, swap] of stream.swaps.entries()) {
    const slot = stream.clock.slot + 1n + BigInt(index);
    const updates = swap.updates.map(({ address, account }) => ({
      address,
      account: account === null ? null : { ...account, slot },
      slot,
    }));
    for (const update of updates) {
      if (isWatched) versions.add(update);
      applyUpdate(state, update, START_MS + 1 + index);
    }
    refreshPools(state, START_MS + 1 + index);
    for (const token of state.dirtyTokens) {
      assessToken(state, token, ASSESS_DEPS, { nowMs: START_MS + 1 + index, maxAgeMs: 1_000 });
    }
    if (!isWatched) continue;
    const clock = clockAccount({ ...stream.clock, slot });
    versions.add({ address: CLOCK_SYSVAR, account: clock, slot });
    judge({ versions, record }, { ...swap.transaction, slot }, pools);
  }
  const { user, system } = process.cpuUsage(start);
  const { replayed, exact } = sumOf(record);
  return { microseconds: (user + system) / stream.swaps.length, replayed, exact };
}

function judge(
  { versions, record }: Watched,
  transaction: (typeof stream.swaps)[number]["transaction"],
  pools: ReadonlyMap<Address, WatchedPool>,
): void {
  const reading = readTransaction(transaction, parseProgramLog(transaction.logs));
  if (reading.kind !== "whole") return;
  const { slot, signature } = transaction;
  for (const { pool: address } of reading.swaps) {
    const pool = pools.get(address);
    if (pool === undefined) continue;
    const input = { pool, slot, entries: [{ signature, reading }], versions };
    for (const { outcome } of judgeSlot(input)) {
      const { venue } = pool.ref;
      record.add({ atMs: START_MS, venue: venue.id, pool: address, slot, signature, outcome });
    }
  }
}

function watchedPools(): ReadonlyMap<Address, WatchedPool> {
  return new Map(
    stream.tokens.map(({ venue: id, pool: address, mint }) => {
      const reader = SWAP_READERS.find(({ venue }) => venue.id === id);
      if (reader === undefined) throw new RangeError(`no reader for ${id}`);
      const ref = { venue: reader.venue, address, mint, isDerived: false };
      return [address, { ref, reader, sinceSlot: 0n, touchedSlot: null }];
    }),
  );
}

function sumOf(record: AccuracyRecord) {
  let [replayed, exact] = [0, 0];
  for (const { windows } of record.report(START_MS)) {
    replayed += windows.hour.replayed;
    exact += windows.hour.exact;
  }
  return { replayed, exact };
}

const rounds = Array.from({ length: ROUNDS }, () => ({ alone: run(false), watched: run(true) }));
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const alone = median(rounds.map((round) => round.alone.microseconds));
const watched = median(rounds.map((round) => round.watched.microseconds));
const { replayed = 0, exact = 0 } = rounds.at(-1)?.watched ?? {};
console.log(
  formatTable([
    ["", "us per swap"],
    ["tracked", alone.toFixed(1)],
    ["tracked and replayed", watched.toFixed(1)],
    ["added", `${(watched - alone).toFixed(1)} (${((100 * watched) / alone - 100).toFixed(1)} %)`],
  ]),
);
console.log(`${stream.swaps.length} swaps, ${replayed} replayed, ${exact} exact`);
