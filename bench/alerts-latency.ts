import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { SearchResult } from "#src/chain/chain-source.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { formatTable } from "#src/cli/output.ts";
import { systemClock } from "#src/platform/clock.ts";
import { addChannel } from "#src/store/channels.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { addWatchlistEntry } from "#src/store/watchlist.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { createSmtpMailer } from "#src/users/mailer.ts";
import { tierLimits } from "#src/users/tiers.ts";
import { VENUES } from "#src/venues/all.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { createAlerting } from "#test/support/users/alerting.ts";
import type {
  MarketOptions,
  MarketOrder,
  MarketReady,
  MarketWord,
} from "./support/alerts-market.ts";
import type { Arrival, Listening } from "./support/alerts-receivers.ts";
import { readOptions } from "./support/options.ts";
import { quantile } from "./support/quantile.ts";

/**
 * The time from the update that causes an alert to its message at a mail server and at a webhook:
 * the service's own parts over a node with the demo market, thousands of watched tokens, and rugs.
 * Floor: p99 below 2 s with 10,000 watched tokens.
 */

const { values } = readOptions("Time from an update to the delivered alert.", {
  json: { type: "boolean", default: false },
  tokens: { type: "string", default: "10000" },
  "trades-per-minute": { type: "string", default: "3000" },
  "rugs-per-second": { type: "string", default: "4" },
  seconds: { type: "string", default: "60" },
});

const FLOOR_MS = 2_000;
const SIZE_LAMPORTS = 500_000_000n;
const RUG_BPS = 9_700;
const LAST_ARRIVALS_MS = 5_000;
/** Loading ends when this share of the tokens is known; the rest are too shallow, or not sold. */
const LOADED_SHARE = 0.99;

const now = (): number => performance.timeOrigin + performance.now();
const say = (text: string): void => console.error(text);
const tokens = Number(values.tokens);
const directory = mkdtempSync(join(tmpdir(), "exitability-alerts-latency-"));
const database = openDatabase({ databaseUrl: null, dataDir: directory });
await migrate(database, Date.now());

const receivers = new Worker(new URL("./support/alerts-receivers.ts", import.meta.url));
const [{ smtpPort, webhookPort }] = (await once(receivers, "message")) as [Listening];

const marketOptions: MarketOptions = {
  tokens,
  tradesPerMinute: Number(values["trades-per-minute"]),
};
const market = new Worker(new URL("./support/alerts-market.ts", import.meta.url), {
  workerData: marketOptions,
});
const order = (what: MarketOrder): void => market.postMessage(what);
const [{ httpUrl, wsUrl, mints: watched }] = (await once(market, "message")) as [MarketReady];
await watchAll(watched);
const source = createRpcSource({
  httpUrl,
  wsUrl,
  origin: "demo",
  clock: systemClock,
  random: Math.random,
});
// Reads, subscriptions and their sockets are the product's own; only the search for pools is not.
const searched = { ...source, searchAccounts: searchOf(market) };
const tracker = new Tracker({
  source: searched,
  venues: VENUES,
  clock: systemClock,
  database,
});
tracker.start();
const warn = (context: unknown): void => say(JSON.stringify(context));
const logger = { info: () => undefined, warn, error: warn };
const alerting = createAlerting({
  store: database,
  markets: tracker,
  mailer: createSmtpMailer({
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    mailFrom: "Exitability <no-reply@localhost>",
  }),
  authSecret: "a secret for measuring that is long enough",
  publicUrl: "http://127.0.0.1:8080",
  webhookAllow: ["127.0.0.1/32"],
  telegram: null,
  push: null,
  clock: systemClock,
  random: Math.random,
  log: logger,
});
await alerting.start();
await allLoaded();

const causedAtMs = new Map<string, number>();
const latencies = { email: new Map<string, number>(), webhook: new Map<string, number>() };
receivers.on("message", ({ kind, mints, atMs }: Arrival) => {
  for (const mint of mints) {
    const causedMs = causedAtMs.get(mint);
    if (causedMs !== undefined && !latencies[kind].has(mint))
      latencies[kind].set(mint, atMs - causedMs);
  }
});
market.on("message", (word: MarketWord) => {
  if (word.kind === "withdrawn") causedAtMs.set(word.mint, word.atMs);
});
const rugs = await rugTokens();
const rugging = setInterval(() => {
  const mint = rugs.pop();
  if (mint === undefined) return;
  order({ kind: "withdraw", mint, shareBps: RUG_BPS });
}, 1_000 / Number(values["rugs-per-second"]));
await new Promise((resolve) => setTimeout(resolve, Number(values.seconds) * 1_000));
clearInterval(rugging);
await new Promise((resolve) => setTimeout(resolve, LAST_ARRIVALS_MS));
report();

await alerting.close();
await tracker.close();
await source.close();
await market.terminate();
await receivers.terminate();
await database.close();
rmSync(directory, { recursive: true });

/** As many users as the largest tier needs, each with a mailbox and a webhook. */
async function watchAll(mints: readonly Address[]): Promise<void> {
  const perUser = tierLimits("pro").watchlistTokens;
  const nowMs = Date.now();
  for (let first = 0; first < mints.length; first += perUser) {
    const email = `user${first}@example.com`;
    await createUserForEmail(database, email, nowMs);
    const user = await findUserByEmail(database.db, email);
    if (user === null) throw new Error("a user was not made");
    const userId = user.id;
    for (const mint of mints.slice(first, first + perUser)) {
      const entry = { userId, mint, sizeLamports: SIZE_LAMPORTS };
      await addWatchlistEntry(database, entry, { limitOfTier: () => perUser, nowMs });
    }
    const common = { userId, language: "en", nonce: email, isVerified: true } as const;
    const webhook = `http://127.0.0.1:${webhookPort}/${first}`;
    await addChannel(database, { ...common, kind: "email", target: email }, { limit: 2, nowMs });
    await addChannel(
      database,
      { ...common, kind: "webhook", target: webhook },
      { limit: 2, nowMs },
    );
  }
}

function searchOf(worker: Worker): (filter: ProgramFilter) => Promise<SearchResult> {
  const waiting = new Map<number, (result: SearchResult) => void>();
  let lastId = 0;
  worker.on("message", (word: MarketWord) => {
    if (word.kind !== "found") return;
    waiting.get(word.id)?.(word.result);
    waiting.delete(word.id);
  });
  return (filter) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      order({ kind: "search", id, filter });
    });
}

async function allLoaded(): Promise<void> {
  const startedMs = now();
  for (;;) {
    const row = await database.db
      .selectFrom("watchlist_entries")
      .select((eb) => eb.fn.count<bigint>("slippage_is_high").as("known"))
      .executeTakeFirstOrThrow();
    const seconds = ((now() - startedMs) / 1_000).toFixed(0);
    say(`${row.known} of ${tokens} watched tokens are measured after ${seconds} s`);
    if (Number(row.known) >= LOADED_SHARE * tokens) return;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
}

/** Tokens whose exit is open, one of each user in turn. */
async function rugTokens(): Promise<Address[]> {
  const rows = await database.db
    .selectFrom("watchlist_entries")
    .select(["mint", "user_id"])
    .where("slippage_is_high", "=", 0n)
    .orderBy("id")
    .execute();
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  const longest = Math.max(...Array.from(byUser.values(), ({ length }) => length));
  const turns = Array.from({ length: longest }, (_, turn) =>
    [...byUser.values()].flatMap((own) => own[turn]?.mint ?? []),
  );
  return turns.flat().reverse();
}

function report(): void {
  const rows = (["email", "webhook"] as const).map((kind) => {
    const found = [...latencies[kind].values()];
    const at = (share: number) => quantile(found, share) ?? Number.NaN;
    const missed = causedAtMs.size - found.length;
    return { kind, arrived: found.length, missed, p50Ms: at(0.5), p99Ms: at(0.99) };
  });
  if (values.json) console.log(JSON.stringify({ tokens, causes: causedAtMs.size, channels: rows }));
  else
    console.log(
      formatTable([
        ["channel", "causes", "arrived", "p50 ms", "p99 ms", "floor p99 ms"],
        ...rows.map(({ kind, arrived, p50Ms, p99Ms }) => [
          kind,
          causedAtMs.size,
          arrived,
          p50Ms.toFixed(0),
          p99Ms.toFixed(0),
          FLOOR_MS,
        ]),
      ]),
    );
  const isWell = rows.every(({ p99Ms, missed }) => p99Ms < FLOOR_MS && missed === 0);
  process.exitCode = isWell ? 0 : 1;
}
