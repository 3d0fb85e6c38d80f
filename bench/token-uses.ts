import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChain } from "#src/app/open-chain.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import { formatTable } from "#src/cli/output.ts";
import { systemClock } from "#src/platform/clock.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import { startCountingProxy } from "#test/real-node/counting-proxy.ts";
import { readOptions } from "./support/options.ts";
import {
  bytesOfOwners,
  bytesOfTokenHolders,
  type KeptOwners,
  keptOwners,
} from "./token-uses/memory.ts";

/**
 * JSON-RPC calls per token and minute on the demo market, while the main answer of tokens is requested once
 * a second: alone, and with one more request every ten seconds for the past day (waiting, resilience), the
 * exits after the largest holders, or the exit after the largest withdrawal. Measured for all tokens in one
 * process, and for one token of each kind of venue in a process that follows nothing else. Also the memory
 * of a token's holders, with twenty accounts of twenty owners, and of the owners of its pools' liquidity.
 * `node bench/token-uses.ts [--seconds N] [--json]`
 */

const ASK_EVERY_MS = 1_000;
const USE_EVERY_MS = 10_000;

/** Kinds of pools, each with the word after `Demo` in the address of a demo token that has only such pools. */
const KINDS = [
  ["PumpSwap", "Steady"],
  ["pump.fun curve", "Curve"],
  ["Raydium CPMM", "Drain"],
  ["Raydium AMM v4", "Quiet"],
  ["Raydium CLMM", "Range"],
  ["Raydium LaunchLab", "Launch"],
  ["Meteora DLMM", "Bins"],
  ["Meteora DAMM v2 and v1", "Dynamic"],
  ["Meteora DBC", "Dbc"],
  ["Orca Whirlpool, both deployments", "Sea"],
  ["CPMM, DLMM and CLMM", "Three"],
  ["CPMM against USDC", "Buck"],
] as const;

const { values } = readOptions(
  "RPC calls per token and minute by what is asked of the tokens; bytes of holders and of owners.",
  {
    seconds: { type: "string", default: "60" },
    json: { type: "boolean", default: false },
  },
);
const seconds = Number(values.seconds);

const ends: (() => unknown)[] = [];
const chain = await openChain({ kind: "demo" }, { clock: systemClock, random: Math.random });
const dataDir = await mkdtemp(join(tmpdir(), "exitability-uses-"));

type Follower = {
  readonly name: string;
  readonly mints: readonly Address[];
  readonly tracker: Tracker;
  /** Calls so far. */
  readonly calls: () => number;
};

const { httpUrl, wsUrl } = chain.transactions;

function sourceAt(url: string) {
  const [origin, clock] = ["demo", systemClock] as const;
  return createRpcSource({ httpUrl: url, wsUrl, origin, clock, random: Math.random });
}

/** A tracker that follows only these tokens, through its own proxy. */
async function follow(name: string, mints: readonly Address[]): Promise<Follower> {
  const proxy = await startCountingProxy({ after: (end) => ends.push(end) }, httpUrl);
  const source = sourceAt(proxy.url);
  const folder = await mkdtemp(join(dataDir, "tracker-"));
  const database = openDatabase({ databaseUrl: null, dataDir: folder });
  await migrate(database, systemClock.nowMs());
  const tracker = new Tracker({ source, venues: VENUES, clock: systemClock, database });
  tracker.start();
  for (const mint of mints) await tracker.snapshot(mint);
  ends.unshift(
    () => tracker.close(),
    () => source.close(),
    () => database.close(),
  );
  const calls = () => [...proxy.counts().values()].reduce((sum, count) => sum + count, 0);
  return { name, mints, tracker, calls };
}

const followers = [
  await follow("no token", []),
  await follow(
    "all tokens",
    chain.examples.map(({ mint }) => mint),
  ),
];
const kinds = KINDS.map(([name, word]) => {
  const found = chain.examples.find(({ mint }) => mint.startsWith(`Demo${word}1`));
  if (found === undefined) throw new RangeError(`no demo token ${word}`);
  return { name, mint: found.mint };
});
for (const { name, mint } of kinds) followers.push(await follow(name, [mint]));

type Use = (tracker: Tracker, mint: Address) => Promise<unknown>;

const USES: readonly (readonly [name: string, use: Use])[] = [
  ["main answer", () => Promise.resolve()],
  ["past day", (tracker, mint) => tracker.pastDay(mint)],
  ["holders first", (tracker, mint) => tracker.holdersFirst(mint)],
  ["largest withdrawal", (tracker, mint) => tracker.stressed(mint)],
];

/** Calls per token and minute of each follower while `use` is called for every token. */
async function callsWhile(use: Use): Promise<readonly number[]> {
  const before = followers.map(({ calls }) => calls());
  const pending: Promise<unknown>[] = [];
  const every = (ms: number, act: (tracker: Tracker, mint: Address) => void) => {
    const all = () => {
      for (const { tracker, mints } of followers) for (const mint of mints) act(tracker, mint);
    };
    all();
    return setInterval(all, ms);
  };
  const timers = [
    every(ASK_EVERY_MS, (tracker, mint) => tracker.latest(mint)),
    every(USE_EVERY_MS, (tracker, mint) => pending.push(use(tracker, mint))),
  ];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  for (const timer of timers) clearInterval(timer);
  await Promise.all(pending);
  return followers.map(
    ({ calls, mints }, index) =>
      ((calls() - (before[index] ?? 0)) * 60) / seconds / Math.max(1, mints.length),
  );
}

const columns: (readonly number[])[] = [];
for (const [, use] of USES) columns.push(await callsWhile(use));
const direct = sourceAt(httpUrl);
const kept: KeptOwners[] = [];
for (const { mint } of kinds) kept.push(await keptOwners(direct, mint));
await direct.close();
for (const end of ends) await end();
await chain.close();
await rm(dataDir, { recursive: true });
const owners = (await bytesOfOwners(kept)).map((memory, index) => ({
  name: kinds[index]?.name ?? "",
  ...memory,
}));

const calls = followers.map(({ name, mints }, index) => ({
  name,
  tokens: mints.length,
  perMinute: columns.map((column) => column[index] ?? 0),
}));
if (!values.json) {
  const rows = calls.map(({ name, tokens, perMinute }) => [
    name,
    tokens,
    ...perMinute.map((count) => count.toFixed(2)),
  ]);
  const head = ["calls per token and minute", "tokens", ...USES.map(([name]) => name)];
  const ownerRows = owners.map(({ name, pools, bytes }) => [name, pools, bytes]);
  const ownersHead = ["owners of liquidity", "pools with shares", "bytes"];
  process.stdout.write(
    `${formatTable([head, ...rows])}\n\n${formatTable([ownersHead, ...ownerRows])}\n`,
  );
}
const tokenHolders = await bytesOfTokenHolders();
const text = values.json
  ? JSON.stringify({ seconds, calls, owners, tokenHolders })
  : `\nbytes of a token's holders: ${tokenHolders}`;
process.stdout.write(`${text}\n`);
