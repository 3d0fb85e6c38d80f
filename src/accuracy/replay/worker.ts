import { parentPort, workerData } from "node:worker_threads";
import { assertNever } from "#src/platform/assert-never.ts";
import { systemClock } from "#src/platform/clock.ts";
import type { PoolRef } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { AccountVersions } from "../account-versions.ts";
import { isMismatch } from "../accuracy-record.ts";
import { mismatchLine } from "../mismatch-line.ts";
import { QuotedExecuted } from "../quoted-executed.ts";
import { RecentSwaps } from "../recent-swaps.ts";
import { saleOf } from "../served-quote.ts";
import { SwapJudge } from "../swap-judge.ts";
import { Tallies } from "../tallies.ts";
import { openTransactionFeed } from "../transaction-feed.ts";
import type { FromReplay, PoolName, ReplayStart, ToReplay } from "./messages.ts";
import { UpdateReader } from "./update-batch.ts";

/**
 * The worker thread that receives, reads and replays swaps. It has its own connection for transactions,
 * and receives account updates and pools from host.ts.
 */

const SEND_COUNTS_EVERY_MS = 250;
/** Each swap costs the main thread time: of a venue with more swaps, only the newest are sent. */
const SEND_SWAPS_EVERY_MS = 2_000;
const MAX_SWAPS_PER_VENUE = 100;

const port = parentPort;
if (port === null) throw new Error("this file must run in a worker thread");
const { feed, rows, quoted: quotedRows }: ReplayStart = workerData;
const clock = systemClock;
const reader = new UpdateReader();
const versions = new AccountVersions();
const pools = new Map<Address, PoolRef>();
const tallies = new Tallies();
tallies.restore(rows);
const quoted = new QuotedExecuted();
quoted.restore(quotedRows);
const recent = new RecentSwaps(MAX_SWAPS_PER_VENUE);
const send = (message: FromReplay): void => port.postMessage(message);
const transactions = await openTransactionFeed(feed, { clock, random: Math.random });
const watch = new SwapJudge({
  transactions,
  versions,
  pools: () => pools.values(),
  clock,
  hasInstructions: feed.geyser !== null,
  ...(feed.sample === undefined ? {} : { sample: feed.sample }),
  onJudged: (swap, ref, ground) => {
    tallies.count(swap);
    recent.add(swap);
    const sale = saleOf(swap, ref.mint);
    if (sale !== null) quoted.execute(sale);
    if (!isMismatch(swap)) return;
    send({
      kind: "mismatch",
      swap,
      execution: ground === null ? null : mismatchLine(swap, ref, ground),
    });
  },
  onFailure: (what, cause) => send({ kind: "failure", what, cause }),
});
const countsTimer = setInterval(sendCounts, SEND_COUNTS_EVERY_MS);
const swapsTimer = setInterval(sendSwaps, SEND_SWAPS_EVERY_MS);
port.on("message", accept);
watch.start();

function accept(message: ToReplay): void {
  switch (message.kind) {
    case "updates":
      for (const update of reader.read(message.batch)) versions.add(update);
      send({ kind: "read", bytes: message.batch.length });
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

function watchPool({ venue: id, address, mint, isReserved }: PoolName): void {
  const venue = VENUES.find((known) => known.id === id);
  if (venue !== undefined) pools.set(address, { venue, address, mint, isReserved });
}

function sendCounts(): void {
  const rows = tallies.takeChanged(clock.nowMs());
  const hours = quoted.takeChanged(clock.nowMs());
  if (rows.length > 0 || hours.length > 0) send({ kind: "counted", rows, quoted: hours });
}

function sendSwaps(): void {
  const swaps = recent.take();
  if (swaps.length > 0) send({ kind: "judged", swaps });
}

async function close(): Promise<void> {
  clearInterval(countsTimer);
  clearInterval(swapsTimer);
  await watch.close();
  await transactions.close();
  sendCounts();
  sendSwaps();
  port?.close();
}
