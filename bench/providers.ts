import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { formatTable } from "#src/cli/output.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import { FakeGeyser } from "#test/support/chain/fake-geyser.ts";
import {
  type FakeProvider,
  openFakeProvider,
  type ProviderCounts,
} from "./providers/fake-provider.ts";
import { PLANS, type ProviderPlan } from "./providers/plans.ts";
import { type Asked, openProduct } from "./providers/product.ts";
import { readOptions } from "./support/options.ts";
import { quantile } from "./support/quantile.ts";

/**
 * The tracker on the documented limits of RPC providers: how long a first answer takes, what it finds,
 * what it costs, and what a watched token costs a month.
 */

const { values } = readOptions(
  "First answers, calls and credits on the documented limits of RPC providers.",
  {
    json: { type: "boolean", default: false },
    only: { type: "string", choices: PLANS.map(({ id }) => id), help: "one plan" },
    serve: {
      type: "string",
      choices: PLANS.map(({ id }) => id),
      help: "serve this plan until interrupted instead, for a service under SOLANA_RPC_URL",
    },
    seed: { type: "string", default: "1" },
    alone: { type: "string", default: "4", help: "unknown tokens asked for one after the other" },
    watch: {
      type: "string",
      default: "60",
      help: "seconds for which the tokens are watched; 0: not at all",
    },
    trace: {
      type: "boolean",
      default: false,
      help: "print every call between a question and the end of its searches",
    },
    searches: {
      type: "string",
      default: "121",
      help: "searches of all venues for one watched token in a month",
    },
  },
);

const GROUP = 5;
/** After the first answers, searches go on at the plan's rate: until none is sent for so long. */
const CALM_MS = 4_000;
const LONGEST_SEARCHES_MS = 180_000;
const LOOK_EVERY_MS = 250;
/** A service without tokens has started by then. */
const START_MS = 5_000;
const MONTH_SECONDS = 30 * 86_400;

type Costs = { readonly calls: number; readonly credits: number | null };
type Row = {
  readonly plan: string;
  readonly aloneMs: { readonly p50: number; readonly p99: number };
  readonly amongFiveMs: { readonly p50: number; readonly p99: number };
  /** Tokens with a priced market at the first answer, and after the searches. */
  readonly foundAtFirst: number;
  readonly foundLater: number;
  /** Tokens whose depth is that of an unlimited node. */
  readonly wholeLater: number;
  readonly falseZero: number;
  readonly falseNotFound: number;
  readonly unavailable: number;
  readonly rateRefused: number;
  /** How far a tracked token's accounts were behind the chain while others were loaded: 99 of 100, and the worst. */
  readonly behindSeconds: { readonly p99: number; readonly most: number };
  readonly perFirstAnswer: Costs;
  /** What the service costs without any token. */
  readonly idleMonth: Costs | null;
  readonly perTokenMonth: Costs | null;
  readonly tokensOnPlan: number | null;
  /** Calls by method and WebSocket bytes by kind: until the searches end, while tokens are watched, and without any token. */
  readonly searched: Readonly<Record<string, number>>;
  readonly watched: Readonly<Record<string, number>> | null;
  readonly idle: Readonly<Record<string, number>> | null;
};

const demo = new DemoMarket({
  seed: Number(values.seed),
  startMs: Date.now(),
  programs: MARKET_PROGRAMS,
  venues: VENUES,
});
const playing = setInterval(() => demo.catchUp(Date.now()), SLOT_MS);
const mints = demo.namedTokens.map(({ mint }) => mint);
if (values.serve !== undefined) {
  const plan = PLANS.find(({ id }) => id === values.serve);
  if (plan === undefined) throw new RangeError(`no plan ${values.serve}`);
  const { httpUrl, wsUrl } = await openFakeProvider(demo.ledger, plan);
  console.log(`SOLANA_RPC_URL=${httpUrl} SOLANA_WS_URL=${wsUrl}`);
  const geyser = new FakeGeyser(demo.ledger);
  await geyser.open();
  console.log(`GEYSER_URL=${geyser.url}`);
  await once(process, "SIGINT");
  process.exit(0);
}
const rows: Row[] = [];
for (const plan of PLANS) {
  if (values.only !== undefined && values.only !== plan.id) continue;
  const row = await measure(plan);
  rows.push(row);
  if (values.json) console.log(JSON.stringify(row));
}
clearInterval(playing);
if (!values.json) console.log(table(rows));
process.exit(0);

async function measure(plan: ProviderPlan): Promise<Row> {
  const provider = await openFakeProvider(demo.ledger, plan);
  const alone: Asked[] = [];
  for (const mint of mints.slice(0, Number(values.alone))) {
    const product = await openProduct(provider, { withAccuracy: false });
    await delay(START_MS);
    const begun = begin(provider);
    alone.push(await product.ask(mint));
    traced(`${plan.name}, ${nameOf(mint)} alone`, provider, begun);
    await product.close();
    // A full allowance for the next one.
    await delay(1_500);
  }
  await delay(8_000);
  provider.takeCounts();
  const product = await openProduct(provider, { withAccuracy: true });
  await delay(START_MS);
  provider.takeCounts();
  const first: Asked[] = [];
  const behind: number[] = [];
  const looking = setInterval(() => {
    for (const { mint } of first) behind.push(secondsBehind(product.accountsOf(mint)));
  }, LOOK_EVERY_MS);
  for (let start = 0; start < mints.length; start += GROUP) {
    const group = mints.slice(start, start + GROUP);
    const begun = begin(provider);
    const asked = await Promise.all(group.map((mint) => product.ask(mint)));
    first.push(...asked);
    await delay(1_000);
    const answers = asked.map(({ mint, ms }) => `${nameOf(mint)} ${Math.round(ms)} ms`).join(", ");
    traced(`${plan.name}, among five: ${answers}`, provider, begun);
  }
  const searched = await searchesEnd(provider);
  clearInterval(looking);
  const later = await askAll(product.ask);
  const watched = await watchFor(provider);
  await product.close();
  const idle = watched === null || plan.credits === null ? null : await idleCounts(provider);
  await provider.close();
  const all = [...alone, ...first, ...later];
  const expected = await expectedDepths();
  const real = (asked: Asked) => (expected.get(asked.mint) ?? 0) > 0;
  return {
    plan: plan.name,
    aloneMs: percentiles(alone),
    amongFiveMs: percentiles(first),
    foundAtFirst: first.filter((asked) => (depthOf(asked) ?? 0) > 0).length,
    foundLater: later.filter((asked) => (depthOf(asked) ?? 0) > 0).length,
    wholeLater: later.filter((asked) => isWhole(asked, expected)).length,
    falseZero: all.filter((asked) => depthOf(asked) === 0 && real(asked)).length,
    falseNotFound: all.filter(({ answer }) => answer.kind === "not-found").length,
    unavailable: all.filter(({ answer }) => answer.kind === "unavailable").length,
    rateRefused: searched.rateRefused,
    behindSeconds: {
      p99: quantile(behind, 0.99) ?? 0,
      most: Math.max(0, ...behind),
    },
    perFirstAnswer: divided(costsOf(plan, searched), mints.length),
    ...monthly(plan, { searched, watched, idle }),
    searched: byKind(searched),
    watched: watched === null ? null : byKind(watched),
    idle: idle === null ? null : byKind(idle),
  };

  async function askAll(ask: (mint: Address) => Promise<Asked>): Promise<readonly Asked[]> {
    return await Promise.all(mints.map((mint) => ask(mint)));
  }
}

function nameOf(mint: Address): string {
  return demo.namedTokens.find((token) => token.mint === mint)?.symbol ?? mint;
}

/** The time of a request; calls before it are not traced. */
function begin(provider: FakeProvider): number {
  provider.takeTrace();
  return performance.now();
}

function traced(title: string, provider: FakeProvider, begunMs: number): void {
  const calls = provider.takeTrace();
  if (!values.trace) return;
  console.log(title);
  for (const { atMs, method, about, outcome } of calls) {
    console.log(`  ${Math.round(atMs - begunMs)} ms ${method} ${about} ${outcome}`);
  }
}

/** Since when the oldest of these accounts is another on the chain. */
function secondsBehind(accounts: ReadonlyMap<Address, Account | null>): number {
  const { clock } = demo.ledger;
  let oldest = clock.slot;
  for (const [address, held] of accounts) {
    if (address === CLOCK_SYSVAR) continue;
    const real = demo.ledger.get(address);
    if (real === null || held === null || Buffer.compare(real.data, held.data) === 0) continue;
    if (real.slot < oldest) oldest = real.slot;
  }
  return (Number(clock.slot - oldest) * SLOT_MS) / 1_000;
}

/** Depths by a node without limits, at about the same time. */
async function expectedDepths(): Promise<ReadonlyMap<Address, number | null>> {
  const [plan] = PLANS;
  if (plan === undefined) throw new RangeError("no plan");
  const unlimited = {
    ...plan,
    limits: [],
    refused: new Map(),
    latencyMs: 0,
    searchLatencyMs: 0,
  };
  const provider = await openFakeProvider(demo.ledger, unlimited);
  const product = await openProduct(provider, { withAccuracy: false });
  const asked = await Promise.all(mints.map((mint) => product.ask(mint)));
  await delay(2_000);
  const again = await Promise.all(mints.map((mint) => product.ask(mint)));
  await product.close();
  await provider.close();
  return new Map(again.map((one, index) => [one.mint, depthOf(one) ?? depthOf(asked[index])]));
}

/** The counts since the last ones, once the searches of the first answers have ended. */
async function searchesEnd(provider: FakeProvider): Promise<ProviderCounts> {
  const all = provider.takeCounts();
  for (let waitedMs = 0; waitedMs < LONGEST_SEARCHES_MS; waitedMs += CALM_MS) {
    await delay(CALM_MS);
    const more = provider.takeCounts();
    all.rateRefused += more.rateRefused;
    all.webSocketBytes += more.webSocketBytes;
    for (const [method, count] of more.calls) {
      all.calls.set(method, (all.calls.get(method) ?? 0) + count);
    }
    if (![...more.calls.keys()].some((method) => method.startsWith("getProgramAccounts"))) break;
  }
  return all;
}

/** What the watched time costs, without the searches of the first answers. */
async function watchFor(provider: FakeProvider): Promise<ProviderCounts | null> {
  const seconds = Number(values.watch);
  if (seconds === 0) return null;
  provider.takeCounts();
  await delay(seconds * 1_000);
  return provider.takeCounts();
}

/** What the service costs in the same time without any token. */
async function idleCounts(provider: FakeProvider): Promise<ProviderCounts | null> {
  const product = await openProduct(provider, { withAccuracy: true });
  await delay(START_MS);
  const counts = await watchFor(provider);
  await product.close();
  return counts;
}

function depthOf(asked: Asked | undefined): number | null {
  return asked?.answer.kind === "assessed" ? asked.answer.depthSol : null;
}

/** The market moves on meanwhile: within a fifth. */
function isWhole(asked: Asked, expected: ReadonlyMap<Address, number | null>): boolean {
  const depth = depthOf(asked);
  const wanted = expected.get(asked.mint) ?? null;
  if (depth === null || wanted === null) return depth === wanted;
  return Math.abs(depth - wanted) <= 0.2 * Math.max(depth, wanted);
}

function byKind({ calls, bytesByKind }: ProviderCounts): Readonly<Record<string, number>> {
  return Object.fromEntries([...calls, ...bytesByKind]);
}

function costsOf({ credits }: ProviderPlan, counts: ProviderCounts): Costs {
  let calls = 0;
  let spent = 0;
  for (const [method, count] of counts.calls) {
    calls += count;
    spent += count * (credits?.byMethod.get(method) ?? 1);
  }
  if (credits === null) return { calls, credits: null };
  return { calls, credits: spent + (counts.webSocketBytes / 100_000) * credits.webSocket };
}

function divided({ calls, credits }: Costs, by: number): Costs {
  const rounded = (value: number) => Math.round((10 * value) / by) / 10;
  return { calls: rounded(calls), credits: credits === null ? null : rounded(credits) };
}

type MonthInput = {
  readonly searched: ProviderCounts;
  readonly watched: ProviderCounts | null;
  readonly idle: ProviderCounts | null;
};

/** What the watched time costs a token and month above the idle service, plus the repeated searches. */
function monthly(
  plan: ProviderPlan,
  { searched, watched, idle }: MonthInput,
): Pick<Row, "idleMonth" | "perTokenMonth" | "tokensOnPlan"> {
  if (watched === null) return { idleMonth: null, perTokenMonth: null, tokensOnPlan: null };
  const times = MONTH_SECONDS / Number(values.watch);
  const idleMonth = idle === null ? null : scaled(costsOf(plan, idle), times);
  const all = scaled(costsOf(plan, watched), times);
  const searches = scaled(costsOf(plan, searched), Number(values.searches));
  const perTokenMonth = {
    calls: Math.round((all.calls - (idleMonth?.calls ?? 0) + searches.calls) / mints.length),
    credits:
      all.credits === null || searches.credits === null
        ? null
        : Math.round((all.credits - (idleMonth?.credits ?? 0) + searches.credits) / mints.length),
  };
  const { credits } = perTokenMonth;
  if (credits === null || plan.credits === null) {
    return { idleMonth, perTokenMonth, tokensOnPlan: null };
  }
  const left = Math.max(0, plan.credits.perMonth - (idleMonth?.credits ?? 0));
  return { idleMonth, perTokenMonth, tokensOnPlan: Math.floor(left / credits) };
}

function scaled({ calls, credits }: Costs, by: number): Costs {
  return {
    calls: Math.round(calls * by),
    credits: credits === null ? null : Math.round(credits * by),
  };
}

function percentiles(asked: readonly Asked[]): { readonly p50: number; readonly p99: number } {
  const took = asked.map(({ ms }) => Math.round(ms));
  return { p50: quantile(took, 0.5) ?? 0, p99: quantile(took, 0.99) ?? 0 };
}

function table(found: readonly Row[]): string {
  return formatTable([
    [
      ...[
        "plan",
        "alone p50",
        "p99 ms",
        "of five p50",
        "p99 ms",
        "found first",
        "later",
        "whole",
        "behind s",
      ],
      ...["false 0", "false 404", "503", "429s", "calls/answer", "credits", "idle credits/month"],
      ...["calls/token/month", "credits", "tokens"],
    ],
    ...found.map((row) => [
      ...[row.plan, row.aloneMs.p50, row.aloneMs.p99, row.amongFiveMs.p50, row.amongFiveMs.p99],
      ...[row.foundAtFirst, row.foundLater, row.wholeLater, row.behindSeconds.most],
      ...[row.falseZero, row.falseNotFound, row.unavailable, row.rateRefused],
      ...[row.perFirstAnswer.calls, row.perFirstAnswer.credits ?? "-"],
      row.idleMonth?.credits ?? "-",
      ...[row.perTokenMonth?.calls ?? "-", row.perTokenMonth?.credits ?? "-"],
      row.tokensOnPlan ?? "-",
    ]),
  ]);
}
