import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { exitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { formatTable } from "#src/cli/output.ts";
import { systemClock } from "#src/platform/clock.ts";
import { mapSome } from "#src/platform/map-some.ts";
import { Tracker } from "#src/track/tracker.ts";
import { bytesOf, parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { VENUES } from "#src/venues/all.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import { readOptions } from "./support/options.ts";
import { median, quantile } from "./support/quantile.ts";
import { createStreamSource } from "./support/stream-source.ts";
import { buildStream, type Swap } from "./support/update-stream.ts";

/**
 * The time from an update's arrival in the process to the changed answer at an HTTP client, and to the
 * snapshot that streams, alerts and other processes get, while updates come at a given rate: the tracker in
 * full, a bare node:http server in front of it, and the client on another thread. Goal: p99 below 50 ms at
 * 10,000 updates a second.
 */

const { values } = readOptions("Time from an update to the answer.", {
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  tokens: { type: "string", default: "500" },
  rate: { type: "string", default: "10000", help: "updates a second" },
  seconds: { type: "string", default: "20" },
});

const LOADED_AT_ONCE = 8;
const PACE_MS = 5;
const PROBE_MS = 50;
const GOAL_MS = 50;
const WARM_UP_SECONDS = 3;
const WSOL_BYTES = Buffer.from(bytesOf(WSOL));
const ONE_SOL = { requested: 1, used: "1" } as const;

const stream = buildStream({
  tokens: Number(values.tokens),
  swaps: 20_000,
  seed: Number(values.seed),
});
const now = (): number => performance.timeOrigin + performance.now();
const source = createStreamSource(stream, systemClock);
const tracker = new Tracker({
  source,
  venues: VENUES,
  clock: systemClock,
  database: null,
});
await mapSome(stream.tokens, LOADED_AT_ONCE, ({ mint }) => tracker.snapshot(mint));
tracker.start();

const server = createServer((request, response) => {
  const mint = parseAddress(request.url?.slice(1) ?? "");
  const snapshot = mint === null ? null : tracker.latest(mint);
  if (snapshot?.kind !== "assessed") {
    response.writeHead(404).end();
    return;
  }
  const answer = { ...snapshot, size: ONE_SOL, profile: "retail", language: "es" } as const;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(exitabilityBody(answer)));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

/** A request measures a changed token at once: the pushed one is not requested. */
const [asked, pushed] = stream.tokens.filter(({ venue }) => venue === "pumpswap");
if (asked === undefined || pushed === undefined)
  throw new RangeError("the stream has fewer than two PumpSwap tokens");
const swapsOf = (pool: string) => stream.swaps.filter((swap) => swap.pool === pool);
const probes = { asked: swapsOf(asked.pool), pushed: swapsOf(pushed.pool) };
const others = stream.swaps.filter(({ pool }) => pool !== asked.pool && pool !== pushed.pool);
const client = new Worker(new URL("./support/latency-client.ts", import.meta.url), {
  workerData: { url: `http://127.0.0.1:${port}/${asked.mint}` },
});
const latencies: number[] = [];
client.on("message", (latencyMs: number) => latencies.push(latencyMs));
/** The newest update of the pushed token, until its snapshot comes. */
let awaited: { readonly depthSol: number; readonly arrivedMs: number } | null = null;
const pushLatencies: number[] = [];
tracker.onSnapshot(({ assessment: { mint, measurement } }) => {
  if (awaited === null || mint !== pushed.mint || measurement === null) return;
  if (Number(measurement.depthLamports) / 1e9 !== awaited.depthSol) return;
  pushLatencies.push(now() - awaited.arrivedMs);
  awaited = null;
});

const perPace = (Number(values.rate) * PACE_MS) / 1_000;
let owed = 0;
let next = 0;
let delivered = 0;
let probe = 0;
const startedMs = now();
let pacedMs = startedMs;
const pace = setInterval(() => {
  source.advance(Date.now());
  owed += (perPace * (now() - pacedMs)) / PACE_MS;
  pacedMs = now();
  while (owed > 0) {
    const swap = others[next++ % others.length];
    if (swap === undefined) break;
    source.deliver(swap);
    owed -= swap.updates.length;
    delivered += swap.updates.length;
  }
}, PACE_MS);
const probing = setInterval(() => {
  const question = deliverProbe(probes.asked);
  if (question !== null) client.postMessage(question);
  awaited ??= deliverProbe(probes.pushed);
  probe++;
}, PROBE_MS);

setTimeout(() => {
  latencies.length = 0;
  pushLatencies.length = 0;
}, WARM_UP_SECONDS * 1_000);
setTimeout(() => void report(), (WARM_UP_SECONDS + Number(values.seconds)) * 1_000);

async function report(): Promise<void> {
  clearInterval(pace);
  clearInterval(probing);
  const rate = delivered / ((now() - startedMs) / 1_000);
  const p50 = median(latencies);
  const p99 = quantile(latencies, 0.99) ?? Number.NaN;
  const pushedP50 = median(pushLatencies);
  const pushedP99 = quantile(pushLatencies, 0.99) ?? Number.NaN;
  const figures = {
    ...{ updatesPerSecond: Math.round(rate), probes: latencies.length, p50, p99 },
    ...{ pushes: pushLatencies.length, pushedP50, pushedP99 },
  };
  if (values.json) console.log(JSON.stringify(figures));
  else {
    console.log(
      formatTable([
        ["updates/s", "to", "probes", "p50 ms", "p99 ms", "goal p99 ms"],
        [
          figures.updatesPerSecond,
          "an answer",
          latencies.length,
          p50.toFixed(2),
          p99.toFixed(2),
          GOAL_MS,
        ],
        ["", "a snapshot", pushLatencies.length, pushedP50.toFixed(2), pushedP99.toFixed(2), "-"],
      ]),
    );
  }
  process.exitCode = p99 < GOAL_MS ? 0 : 1;
  await client.terminate();
  server.closeAllConnections();
  server.close();
  await tracker.close();
}

/** Delivers the next of these swaps; null: its depth is not known. */
function deliverProbe(swaps: readonly Swap[]) {
  const swap = swaps[probe % swaps.length];
  const depthSol = swap === undefined ? null : quoteSol(swap);
  if (swap === undefined || depthSol === null) return null;
  const arrivedMs = now();
  source.deliver(swap);
  return { depthSol, arrivedMs };
}

/** What the answer's depth will be: the quote vault, in SOL. */
function quoteSol({ updates }: Swap): number | null {
  for (const { account } of updates) {
    const balance = tokenBalance(account);
    if (balance === null || account === null) continue;
    if (Buffer.from(account.data.subarray(0, 32)).equals(WSOL_BYTES)) return Number(balance) / 1e9;
  }
  return null;
}
