import { connect, type Socket } from "node:net";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { LoadInterval, LoadPlan, LoadResult } from "./http-load.ts";
import { Latencies } from "./latencies.ts";

// The asking side of a load, on a thread of its own: HTTP/1.1 over kept connections, one request at a
// time on each, and no more parsing than a count of answers needs.

const PACE_MS = 1;
/** What was asked is waited for this long after the last request. */
const LAST_ANSWERS_MS = 30_000;
/** Connections are opened a few at a time: a listener's queue is short. */
const OPENED_AT_ONCE = 50;

type Connection = {
  readonly socket: Socket;
  /** What has come of the answer's head so far. */
  head: Buffer;
  /** Bytes of the body that are to come; null: the head is not complete. */
  missing: number | null;
  status: number;
  /** What is asked; null: nothing. */
  asked: { readonly number: number; readonly dueMs: number } | null;
};

const plan = workerData as LoadPlan;
const paths = plan.paths ?? [plan.path];
const keyHeads = plan.callers.kind === "keys" ? plan.callers.keys.map(headOfKey) : [];
const pathHeads = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: load\r\n`);
/** Prepared requests; null with several paths, for which there would be too many. */
const heads = paths.length > 1 ? null : keyHeads.map((head) => `${pathHeads[0]}${head}`);
const hosts = plan.urls.map((url) => new URL(url));
const idle: Connection[] = [];
let opening = 0;
let open = 0;
let asked = 0;
let outstanding = 0;
let isOver = false;
let startMs = 0;
let opened = 0;

const answers: Record<string, number> = {};
const answeredByKey = new Uint32Array(keyHeads.length);
const refusedByKey = new Uint32Array(keyHeads.length);
const failedByKey = new Uint32Array(keyHeads.length);
const latency = new Latencies();
const refusedLatency = new Latencies();
let errors = 0;
let refusedWithoutRetryAfter = 0;
let lastTroubleMs = 0;
let interval = newInterval();

if (plan.nice !== undefined) setPriority(plan.nice);
await run();

async function run(): Promise<void> {
  const { connections, seconds, intervalSeconds } = plan;
  while (open < connections || opening > 0) {
    if (open < connections && opening < OPENED_AT_ONCE) openConnection();
    else await delay(PACE_MS);
  }
  startMs = performance.now();
  const utilization = performance.eventLoopUtilization();
  const pacing = setInterval(pump, PACE_MS);
  const reporting =
    intervalSeconds === null ? null : setInterval(tellInterval, intervalSeconds * 1_000);
  pump();
  await delay(seconds * 1_000);
  pump();
  const due = plan.rate === null ? asked : dueCount(performance.now());
  const { utilization: busy } = performance.eventLoopUtilization(utilization);
  const elapsedMs = performance.now() - startMs;
  const answersInTime = { ...answers };
  isOver = true;
  clearInterval(pacing);
  const endMs = performance.now() + LAST_ANSWERS_MS;
  while (outstanding > 0 && performance.now() < endMs) await delay(10);
  if (reporting !== null) clearInterval(reporting);
  tellInterval();
  const result: LoadResult = {
    seconds: elapsedMs / 1_000,
    asked,
    neverAsked: due - asked,
    unanswered: outstanding,
    answers,
    answersInTime,
    errors,
    p50Ms: latency.at(0.5),
    p99Ms: latency.at(0.99),
    refusedP99Ms: refusedLatency.at(0.99),
    refusedWithoutRetryAfter,
    lastTroubleMs,
    connections: open,
    clientBusy: busy,
    answeredByKey,
    refusedByKey,
    failedByKey,
  };
  parentPort?.postMessage({ kind: "result", result });
  process.exit(0);
}

/** How many requests should have been asked by now, where they come at a rate of their own: the first at the start. */
function dueCount(nowMs: number): number {
  return Math.min(
    1 + Math.floor(((nowMs - startMs) * (plan.rate ?? 0)) / 1_000),
    Math.floor(plan.seconds * (plan.rate ?? 0)),
  );
}

/** Asks what is due on connections that are free, and opens others for those that broke. */
function pump(): void {
  if (isOver) return;
  const nowMs = performance.now();
  const due = plan.rate === null ? Number.POSITIVE_INFINITY : dueCount(nowMs);
  while (asked < due) {
    // The one that has waited longest: the server closes connections that are idle for some seconds.
    const connection = idle.shift();
    if (connection === undefined) break;
    ask(connection, plan.rate === null ? nowMs : startMs + (asked * 1_000) / plan.rate);
  }
  while (open < plan.connections && opening < OPENED_AT_ONCE) openConnection();
}

function ask(connection: Connection, dueMs: number): void {
  const number = asked++;
  outstanding++;
  connection.asked = { number, dueMs };
  connection.socket.write(requestText(number), "latin1");
}

function requestText(number: number): string {
  const { callers } = plan;
  if (callers.kind === "keys") {
    if (heads !== null) return heads[number % heads.length] ?? "";
    return `${pathHeads[number % pathHeads.length]}${keyHeads[number % keyHeads.length]}`;
  }
  const address = callers.first + number;
  const bytes = [address >> 16, address >> 8, address].map((byte) => byte & 255).join(".");
  return `GET ${plan.path} HTTP/1.1\r\nhost: load\r\nx-forwarded-for: 10.${bytes}\r\n\r\n`;
}

function headOfKey(key: string): string {
  return `x-api-key: ${key}\r\n\r\n`;
}

function openConnection(): void {
  const { hostname, port } = hosts[opened++ % hosts.length] ?? new URL("http://127.0.0.1");
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const connection: Connection = {
    socket,
    head: Buffer.alloc(0),
    missing: null,
    status: 0,
    asked: null,
  };
  open++;
  opening++;
  let isConnected = false;
  socket.on("connect", () => {
    isConnected = true;
    opening--;
    free(connection);
  });
  socket.on("data", (chunk: Buffer) => hear(connection, chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => {
    open--;
    if (!isConnected) opening--;
    const place = idle.indexOf(connection);
    if (place >= 0) idle.splice(place, 1);
    if (connection.asked !== null || !isConnected) trouble(connection);
  });
}

function hear(connection: Connection, chunk: Buffer): void {
  let { missing } = connection;
  if (missing === null) {
    const head = connection.head.length === 0 ? chunk : Buffer.concat([connection.head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) {
      connection.head = head;
      return;
    }
    const text = head.toString("latin1", 0, end);
    connection.status = Number(text.slice(9, 12));
    const isRefused = connection.status === 429 || connection.status === 503;
    if (isRefused && !/\r\nretry-after: \d+/i.test(text)) refusedWithoutRetryAfter++;
    const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
    missing = Number(length ?? 0) - (head.length - end - 4);
  } else missing -= chunk.length;
  connection.missing = missing;
  if (missing <= 0) answered(connection);
}

function answered(connection: Connection): void {
  const { asked: request, status } = connection;
  connection.head = Buffer.alloc(0);
  connection.missing = null;
  connection.asked = null;
  if (request === null) return;
  outstanding--;
  answers[status] = (answers[status] ?? 0) + 1;
  interval.answers[status] = (interval.answers[status] ?? 0) + 1;
  const tookMs = performance.now() - request.dueMs;
  if (status === 200) {
    latency.add(tookMs);
    interval.latency.add(tookMs);
    if (keyHeads.length > 0) countOne(answeredByKey, request.number);
    if (tookMs > plan.lateAfterMs) lastTroubleMs = performance.now() - startMs;
  } else {
    if (keyHeads.length > 0) countOne(refusedByKey, request.number);
    refusedLatency.add(tookMs);
    lastTroubleMs = performance.now() - startMs;
  }
  free(connection);
}

/** A connection that broke, or could not be made. */
function trouble({ asked: request }: Connection): void {
  errors++;
  interval.errors++;
  lastTroubleMs = performance.now() - startMs;
  if (request === null) return;
  outstanding--;
  if (keyHeads.length > 0) countOne(failedByKey, request.number);
}

function countOne(counts: Uint32Array, number: number): void {
  const place = number % counts.length;
  counts[place] = (counts[place] ?? 0) + 1;
}

function free(connection: Connection): void {
  if (isOver) return;
  idle.push(connection);
  if (startMs > 0) pump();
}

function newInterval() {
  return { answers: {} as Record<string, number>, errors: 0, latency: new Latencies() };
}

function tellInterval(): void {
  const { answers: some, errors: failed, latency: times } = interval;
  interval = newInterval();
  const told: LoadInterval = {
    answers: some,
    errors: failed,
    p50Ms: times.at(0.5),
    p99Ms: times.at(0.99),
  };
  parentPort?.postMessage({ kind: "interval", interval: told });
}
