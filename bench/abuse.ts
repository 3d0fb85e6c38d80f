import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { formatTable } from "#src/cli/output.ts";
import { addChannel } from "#src/store/channels.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { addWatchlistEntry } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import { createPageTokens } from "#src/users/page-tokens.ts";
import type { AttackOptions, AttackTally } from "./abuse/attack-worker.ts";
import { HonestCaller } from "./abuse/honest.ts";
import type {
  MarketOptions,
  MarketOrder,
  MarketReady,
  MarketWord,
} from "./support/alerts-market.ts";
import { Deployment, makeKeys, peakResidentBytes, residentBytes } from "./support/deployment.ts";
import { readOptions } from "./support/options.ts";

/**
 * The attackers of docs/abuse.md against one process of the service, next to honest callers: a key, a
 * page of the dashboard, and a watcher with a webhook. Honest p99 below 250 ms, no honest refusal,
 * every alert delivered within 10 s; disk growth and memory printed.
 */

const { values } = readOptions(
  "The attackers of docs/abuse.md against one process next to a key, a page and a watcher.",
  {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "60" },
  },
);

const FLOORS = { p99Ms: 250, alertMs: 10_000, residentMb: 1_024, diskMbAMinute: 60 };
const AUTH_SECRET = "a secret for measuring that is long enough";
const WATCHED = 40;
const SIZE_LAMPORTS = 500_000_000n;
const RUG_BPS = 9_700;
const RUG_EVERY_MS = 5_000;
const CALM_MS = 10_000;
const VICTIM = "victim@example.com";

const seconds = Number(values.seconds);
const seed = Number(values.seed);
const deployment = new Deployment();
try {
  await measure();
} finally {
  await deployment.close();
}
process.exit();

async function measure(): Promise<void> {
  const workerData: MarketOptions = { tokens: WATCHED, tradesPerMinute: 60, seed };
  const market = new Worker(new URL("./support/alerts-market.ts", import.meta.url), { workerData });
  deployment.after(async () => void (await market.terminate()));
  const [ready] = (await once(market, "message")) as [MarketReady];
  const place = deployment.alone();
  const receiver = await receive(ready.mints[0]);
  const [key] = await makeKeys(place, { count: 1, tier: "pro", name: "honest" });
  await makeWatcher(place.dataDir, ready.mints, receiver.url);
  const { child, url } = await deployment.serve(place, {
    SOLANA_RPC_URL: ready.httpUrl,
    SOLANA_WS_URL: ready.wsUrl,
    TRUST_PROXY: "1",
    WEBHOOK_ALLOW: "127.0.0.0/8",
    AUTH_SECRET,
  });
  const open = await watchedTokens(place.dataDir);

  const path = `/api/token/${open[0]}/exitability`;
  const pagePaths = ["exitability", "pools", "history?step=60"].map(
    (part) => `/api/token/${open[1]}/${part}`,
  );
  const cookie = createPageTokens({ authSecret: AUTH_SECRET, publicUrl: url }).cookie(Date.now());
  const pageHeaders = {
    "x-forwarded-for": "203.0.113.9",
    "sec-fetch-site": "same-origin",
    cookie: cookie.split(";")[0] ?? "",
  };
  let turn = 0;
  const honest = (when: "calm" | "attacked") => [
    new HonestCaller({
      name: `key, ${when}`,
      url,
      everyMs: 250,
      next: () => ({
        path,
        headers: { "x-api-key": key?.text ?? "", "x-forwarded-for": "203.0.113.8" },
      }),
    }),
    new HonestCaller({
      name: `page, ${when}`,
      url,
      everyMs: 700,
      next: () => ({ path: pagePaths[turn++ % pagePaths.length] ?? path, headers: pageHeaders }),
    }),
  ];

  // The same callers before the attack: what the machine itself costs them.
  const before = honest("calm");
  const calm = before.map((caller) => caller.run());
  await delay(CALM_MS);
  for (const caller of before) caller.stop();
  await Promise.all(calm);

  const attack = new Worker(new URL("./abuse/attack-worker.ts", import.meta.url), {
    workerData: { url, mint: open[2] ?? "", victim: VICTIM, seed } satisfies AttackOptions,
  });
  deployment.after(async () => void (await attack.terminate()));
  const diskBefore = bytesIn(place.dataDir);
  const residentBefore = residentBytes(child);
  const callers = honest("attacked");
  const running = callers.map((caller) => caller.run());
  const rugs = await rug(market, [ready.mints[0] as Address, ...open.slice(3)], seconds * 1_000);
  attack.postMessage("stop");
  const [tally] = (await once(attack, "message")) as [AttackTally];
  for (const caller of callers) caller.stop();
  await Promise.all(running);
  await delay(FLOORS.alertMs);

  const raised = await alertsRaised(place.dataDir);
  const alerts = [...raised]
    .filter(([mint]) => mint !== ready.mints[0] && rugs.has(mint))
    .map(([mint, atMs]) => (receiver.arrivedAtMs.get(mint) ?? Number.POSITIVE_INFINITY) - atMs);
  report({
    calm: before.map(({ report }) => report),
    callers: callers.map(({ report }) => report),
    refusals: callers.flatMap(({ refusals }) => refusals.slice(0, 5)),
    alerts: {
      caused: alerts.length,
      slowestMs: Math.max(...alerts),
      refusedMessages: receiver.refused(),
    },
    diskMbAMinute: ((bytesIn(place.dataDir) - diskBefore) / 1e6 / seconds) * 60,
    residentMb: { before: residentBefore / 1e6, peak: peakResidentBytes(child) / 1e6 },
    attacks: tally,
  });
}

type Outcome = {
  readonly calm: readonly HonestCaller["report"][];
  readonly callers: readonly HonestCaller["report"][];
  readonly refusals: readonly string[];
  readonly alerts: {
    readonly caused: number;
    readonly slowestMs: number;
    readonly refusedMessages: number;
  };
  readonly diskMbAMinute: number;
  readonly residentMb: { readonly before: number; readonly peak: number };
  readonly attacks: AttackTally;
};

function report(outcome: Outcome): void {
  const { callers, alerts, residentMb, diskMbAMinute } = outcome;
  const missed = [
    ...callers
      .filter(({ p99Ms }) => (p99Ms ?? 0) >= FLOORS.p99Ms)
      .map(({ name }) => `p99 of ${name}`),
    ...callers.filter(({ refused }) => refused > 0).map(({ name }) => `refusals of ${name}`),
    ...(alerts.slowestMs > FLOORS.alertMs ? ["alerts"] : []),
    ...(residentMb.peak > FLOORS.residentMb ? ["memory"] : []),
    ...(diskMbAMinute > FLOORS.diskMbAMinute ? ["disk"] : []),
  ];
  if (missed.length > 0) process.exitCode = 1;
  if (values.json) {
    console.log(JSON.stringify({ seconds, seed, floors: FLOORS, missed, ...outcome }));
    return;
  }
  const rows = [...outcome.calm, ...callers].map(
    ({ name, asked, refused, p50Ms, p99Ms, maxMs }) => [
      name,
      asked,
      refused,
      p50Ms ?? "",
      p99Ms ?? "",
      maxMs ?? "",
    ],
  );
  console.log(formatTable([["honest", "asked", "refused", "p50 ms", "p99 ms", "max ms"], ...rows]));
  for (const refusal of outcome.refusals) console.log(`  ${refusal}`);
  console.log(
    `alerts: ${alerts.caused} caused, slowest after ${alerts.slowestMs.toFixed(0)} ms; ` +
      `${alerts.refusedMessages} attempts of the hostile token's were refused by the receiver`,
  );
  console.log(
    `disk: ${diskMbAMinute.toFixed(1)} MB a minute; memory: ${residentMb.before.toFixed(0)} MB before, ${residentMb.peak.toFixed(0)} MB at most`,
  );
  const attacks = Object.entries(outcome.attacks).map(([name, statuses]) => [
    name,
    Object.values(statuses).reduce((sum, count) => sum + count, 0),
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", "),
  ]);
  console.log(formatTable([["attack", "requests", "answers by status"], ...attacks]));
  console.log(missed.length === 0 ? "every floor holds" : `missed: ${missed.join(", ")}`);
}

/** A webhook that refuses the messages of one token (S1), as a receiver refuses an ill-formed text. */
async function receive(hostile: string | undefined) {
  const arrivedAtMs = new Map<string, number>();
  let refused = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const mints = [...body.matchAll(/\/token\/([1-9A-HJ-NP-Za-km-z]{32,44})/g)].map(
        ([, mint = ""]) => mint,
      );
      const isHostile = hostile !== undefined && mints.includes(hostile);
      if (isHostile) refused++;
      else for (const mint of mints) if (!arrivedAtMs.has(mint)) arrivedAtMs.set(mint, Date.now());
      response.writeHead(isHostile ? 400 : 200).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  deployment.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, arrivedAtMs, refused: () => refused };
}

async function makeWatcher(
  dataDir: string,
  mints: readonly Address[],
  target: string,
): Promise<void> {
  const database = openDatabase({ databaseUrl: null, dataDir });
  try {
    const nowMs = Date.now();
    await migrate(database, nowMs);
    await createUserForEmail(database, VICTIM, nowMs);
    const user = await findUserByEmail(database.db, VICTIM);
    if (user === null) throw new Error("the watcher is gone");
    const userId = user.id;
    await database.db.updateTable("users").set({ tier: "pro" }).execute();
    for (const mint of mints)
      await addWatchlistEntry(
        database,
        { userId, mint, sizeLamports: SIZE_LAMPORTS },
        { limitOfTier: () => mints.length, nowMs },
      );
    const channel = { userId, language: "en", nonce: "n", isVerified: true } as const;
    await addChannel(database, { ...channel, kind: "webhook", target }, { limit: 2, nowMs });
  } finally {
    await database.close();
  }
}

/** The watched tokens whose exit is open, once the service has measured them. */
async function watchedTokens(dataDir: string): Promise<readonly Address[]> {
  const database = openDatabase({ databaseUrl: null, dataDir, access: "visitor" });
  try {
    for (let attempt = 0; attempt < 120; attempt++) {
      const rows = await database.db
        .selectFrom("watchlist_entries")
        .select(["mint", "slippage_is_high"])
        .orderBy("id")
        .execute();
      const known = rows.filter(({ slippage_is_high }) => slippage_is_high !== null);
      if (known.length >= 0.9 * WATCHED)
        return known
          .filter(({ slippage_is_high }, place) => slippage_is_high === 0n && place > 0)
          .map(({ mint }) => mint as Address);
      await delay(1_000);
    }
    throw new Error("the watched tokens were not measured within two minutes");
  } finally {
    await database.close();
  }
}

/** When the first alert of each token was recorded. */
async function alertsRaised(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const database = openDatabase({ databaseUrl: null, dataDir, access: "visitor" });
  try {
    const rows = await database.db
      .selectFrom("user_alerts")
      .select(["mint", "created_at_ms"])
      .orderBy("id", "desc")
      .execute();
    return new Map(rows.map(({ mint, created_at_ms }) => [mint, Number(created_at_ms)]));
  } finally {
    await database.close();
  }
}

/** Takes the liquidity of one token after the other. @returns when each was taken */
async function rug(
  market: Worker,
  mints: readonly Address[],
  ms: number,
): Promise<ReadonlyMap<string, number>> {
  const takenAtMs = new Map<string, number>();
  market.on("message", (word: MarketWord) => {
    if (word.kind === "withdrawn") takenAtMs.set(word.mint, word.atMs);
  });
  const untilMs = Date.now() + ms;
  for (const mint of mints) {
    if (Date.now() >= untilMs) break;
    market.postMessage({ kind: "withdraw", mint, shareBps: RUG_BPS } satisfies MarketOrder);
    await delay(RUG_EVERY_MS);
  }
  await delay(Math.max(0, untilMs - Date.now()));
  return takenAtMs;
}

/** Bytes of all files below a directory. */
function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
