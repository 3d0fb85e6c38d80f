import { parseArgs } from "node:util";
import { formatTable } from "#src/cli/output.ts";
import { RedisLink } from "#src/relay/redis-link.ts";
import { newsText, parseNews } from "#src/relay/relay-messages.ts";
import { type AssessedSnapshot, parseSnapshot, snapshotText } from "#src/track/snapshot-text.ts";
import { createTracker } from "#src/track/tracker.ts";
import { VENUES } from "#src/venues/all.ts";
import { Deployment } from "./deployment.ts";
import { createStreamSource } from "./stream-source.ts";
import { buildStream } from "./update-stream.ts";

// What an answer costs on its way from the tracker to the replicas through Redis: its bytes, the time to
// write and to read it, and how many a second arrive at one, two and four subscribers, all of whose work
// is done by this one thread and one Redis.

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    tokens: { type: "string", default: "400" },
    messages: { type: "string", default: "20000" },
  },
});

const SUBSCRIBERS = [1, 2, 4];
/** Messages that are under way at once. */
const BURST = 500;
const messages = Number(values.messages);
const log = { warn: console.error, info: () => undefined };

const deployment = new Deployment();
try {
  await run();
} finally {
  await deployment.close();
}

async function run(): Promise<void> {
  const snapshots = await someSnapshots();
  const texts = snapshots.map(textOf);
  const bytes = texts.map((text) => Buffer.byteLength(text)).sort((a, b) => a - b);
  const writeUs = timed((number) => textOf(snapshots[number % snapshots.length] as never));
  const readUs = timed((number) => {
    const news = parseNews(texts[number % texts.length] ?? "");
    if (news === null || parseSnapshot(news.snapshot) === null) throw new Error("unreadable");
  });
  const rows = [];
  for (const subscribers of SUBSCRIBERS) {
    const perSecond = await relayed(texts, subscribers);
    const medianBytes = bytes[Math.floor(bytes.length / 2)] ?? 0;
    const most = bytes.at(-1) ?? 0;
    rows.push({ subscribers, perSecond, medianBytes, mostBytes: most, writeUs, readUs });
  }
  if (values.json) for (const row of rows) console.log(JSON.stringify(row));
  else
    console.log(
      formatTable([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]),
    );
}

async function someSnapshots(): Promise<readonly AssessedSnapshot[]> {
  const stream = buildStream({
    tokens: Number(values.tokens),
    swaps: 0,
    seed: Number(values.seed),
  });
  const source = createStreamSource(stream, Date.now);
  const tracker = createTracker({ source, venues: VENUES, nowMs: Date.now, database: null });
  const found = await Promise.all(stream.tokens.map(({ mint }) => tracker.snapshot(mint)));
  await tracker.close();
  return found.filter((snapshot) => snapshot.kind === "assessed");
}

function textOf(snapshot: AssessedSnapshot): string {
  const { mint } = snapshot.assessment;
  return newsText({ term: 1n, mint, snapshot: snapshotText(snapshot) });
}

/** Microseconds for one, the second of two runs. */
function timed(work: (number: number) => void): number {
  let perOne = 0;
  for (let run = 0; run < 2; run++) {
    const beganMs = performance.now();
    for (let number = 0; number < messages; number++) work(number);
    perOne = ((performance.now() - beganMs) * 1_000) / messages;
  }
  return Number(perOne.toFixed(2));
}

/** Messages a second, published and read by each of the subscribers. */
async function relayed(texts: readonly string[], subscribers: number): Promise<number> {
  const { redisUrl: url } = await deployment.redis();
  const links = Array.from(
    { length: subscribers + 1 },
    () => new RedisLink({ url, random: Math.random, log }),
  );
  await Promise.all(links.map((link) => new Promise<void>((up) => void link.onRestored(up))));
  const [publisher, ...hearing] = links;
  if (publisher === undefined) throw new Error("no link");
  let heard = 0;
  for (const link of hearing)
    link.subscribe("news", (text) => {
      const news = parseNews(text);
      if (news !== null && parseSnapshot(news.snapshot) !== null) heard++;
    });
  while (heard < subscribers) await publisher.publish("news", texts[0] ?? "");
  await new Promise((resolve) => setTimeout(resolve, 100));
  heard = 0;
  const beganMs = performance.now();
  for (let sent = 0; sent < messages; sent += BURST) {
    const burst = Array.from({ length: BURST }, (_, place) =>
      publisher.publish("news", texts[(sent + place) % texts.length] ?? ""),
    );
    await Promise.all(burst);
  }
  while (heard < messages * subscribers) await new Promise((resolve) => setTimeout(resolve, 1));
  const perSecond = (messages * 1_000) / (performance.now() - beganMs);
  for (const link of links) await link.close();
  return Math.round(perSecond);
}
