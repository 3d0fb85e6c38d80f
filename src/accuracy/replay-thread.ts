import { parentPort, workerData } from "node:worker_threads";
import { assertNever } from "#src/platform/assert-never.ts";
import type { PoolRef } from "#src/track/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { AccountVersions } from "./account-versions.ts";
import { isMismatch } from "./accuracy-record.ts";
import { mismatchLine } from "./mismatch-line.ts";
import { QuotedExecuted } from "./quoted-executed.ts";
import { RecentSwaps } from "./recent-swaps.ts";
import type { FromReplay, PoolName, ReplayStart, ToReplay } from "./replay-messages.ts";
import { saleOf } from "./served-answer.ts";
import { SwapWatch } from "./swap-watch.ts";
import { Tallies } from "./tallies.ts";
import { openTransactionFeed } from "./transaction-feed.ts";
import { UpdateReader } from "./update-batch.ts";

/**
 * The thread beside tracking in which swaps are heard, read and replayed: it has its own connection
 * for transactions, and is told of account updates and pools by replay-worker.ts.
 */

const TELL_EVERY_MS = 250;
/** Swaps cost tracking's thread something each: of a venue that has more than these, the newest are told. */
const TELL_SWAPS_EVERY_MS = 2_000;
const SWAPS_PER_TELL = 100;

const port = parentPort;
if (port === null) throw new Error("this file is a worker thread's");
const { feed, rows, quoted: quotedRows }: ReplayStart = workerData;
const nowMs = Date.now;
const reader = new UpdateReader();
const versions = new AccountVersions();
const pools = new Map<Address, PoolRef>();
const tallies = new Tallies();
tallies.restore(rows);
const quoted = new QuotedExecuted();
quoted.restore(quotedRows);
const recent = new RecentSwaps(SWAPS_PER_TELL);
const tell = (message: FromReplay): void => port.postMessage(message);
const transactions = await openTransactionFeed(feed, { nowMs, random: Math.random });
const watch = new SwapWatch({
  transactions,
  versions,
  pools: () => pools.values(),
  nowMs,
  onJudged: (swap, ref, ground) => {
    tallies.count(swap);
    recent.add(swap);
    const sale = saleOf(swap, ref.mint);
    if (sale !== null) quoted.execute(sale);
    if (!isMismatch(swap)) return;
    tell({
      kind: "mismatch",
      swap,
      execution: ground === null ? null : mismatchLine(swap, ref, ground),
    });
  },
  onFailure: (what, cause) => tell({ kind: "failure", what, cause }),
});
const telling = setInterval(tellCounted, TELL_EVERY_MS);
const tellingSwaps = setInterval(tellSwaps, TELL_SWAPS_EVERY_MS);
port.on("message", hear);
watch.start();

function hear(message: ToReplay): void {
  switch (message.kind) {
    case "updates":
      for (const update of reader.read(message.batch)) versions.add(update);
      tell({ kind: "read", bytes: message.batch.length });
      return;
    case "pools":
      for (const name of message.added) watchPool(name);
      for (const address of message.removed) pools.delete(address);
      return;
    case "served":
      for (const answer of message.answers) quoted.serve(answer);
      return;
    case "forget":
      versions.forget(message.addresses);
      return;
    case "gap":
      reader.startOver();
      versions.forgetAll();
      watch.startOver();
      return;
    case "close":
      void close();
      return;
    default:
      assertNever(message);
  }
}

function watchPool({ venue: id, address, mint, isDerived }: PoolName): void {
  const venue = VENUES.find((known) => known.id === id);
  if (venue !== undefined) pools.set(address, { venue, address, mint, isDerived });
}

function tellCounted(): void {
  const rows = tallies.takeChanged(nowMs());
  const hours = quoted.takeChanged(nowMs());
  if (rows.length > 0 || hours.length > 0) tell({ kind: "counted", rows, quoted: hours });
}

function tellSwaps(): void {
  const swaps = recent.take();
  if (swaps.length > 0) tell({ kind: "judged", swaps });
}

async function close(): Promise<void> {
  clearInterval(telling);
  clearInterval(tellingSwaps);
  await watch.close();
  await transactions.close();
  tellCounted();
  tellSwaps();
  port?.close();
}
