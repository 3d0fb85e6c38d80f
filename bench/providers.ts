import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { formatTable } from "#src/cli/output.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import {
  type FakeProvider,
  openFakeProvider,
  type ProviderCounts,
} from "./providers/fake-provider.ts";
import { PLANS, type ProviderPlan } from "./providers/plans.ts";
import { type Asked, openProduct } from "./providers/product.ts";

/**
 * The tracker on the documented limits of RPC providers: how long a first answer takes, what it finds,
 * what it costs, and what a watched token costs a month.
 */

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    /** Cold tokens asked for one after the other. */
    alone: { type: "string", default: "4" },
    /** How long the tokens are watched to see what that costs; 0: not at all. */
    watch: { type: "string", default: "60" },
    /** Searches of all venues for one watched token in a month. */
    searches: { type: "string", default: "121" },
  },
});

const GROUP = 5;
/** After the first answers, searches may go on for so long. */
const SETTLE_MS = 12_000;
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
  readonly perFirstAnswer: Costs;
  readonly perTokenMonth: Costs | null;
  readonly tokensOnPlan: number | null;
};

const demo = new DemoMarket({
  seed: Number(values.seed),
  startMs: Date.now(),
  programs: MARKET_PROGRAMS,
  venues: VENUES,
});
const playing = setInterval(() => demo.catchUp(Date.now()), SLOT_MS);
const mints = demo.namedTokens.map(({ mint }) => mint);
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
    alone.push(await product.ask(mint));
    await product.close();
    // A full allowance for the next one.
    await delay(1_500);
  }
  await delay(8_000);
  provider.takeCounts();
  const product = await openProduct(provider, { withAccuracy: true });
  const first: Asked[] = [];
  for (let start = 0; start < mints.length; start += GROUP) {
    const group = mints.slice(start, start + GROUP);
    first.push(...(await Promise.all(group.map((mint) => product.ask(mint)))));
    await delay(1_000);
  }
  await delay(SETTLE_MS);
  const searched = provider.takeCounts();
  const later = await askAll(product.ask);
  const watched = await watchFor(provider, Number(values.watch));
  await product.close();
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
    perFirstAnswer: divided(costsOf(plan, searched), mints.length),
    ...monthly(plan, searched, watched),
  };

  async function askAll(ask: (mint: Address) => Promise<Asked>): Promise<readonly Asked[]> {
    return await Promise.all(mints.map((mint) => ask(mint)));
  }
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

async function watchFor(provider: FakeProvider, seconds: number): Promise<ProviderCounts | null> {
  if (seconds === 0) return null;
  provider.takeCounts();
  await delay(seconds * 1_000);
  return provider.takeCounts();
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

/** What the watched time costs a token and month, plus the repeated searches of all venues. */
function monthly(
  plan: ProviderPlan,
  searched: ProviderCounts,
  watched: ProviderCounts | null,
): Pick<Row, "perTokenMonth" | "tokensOnPlan"> {
  if (watched === null) return { perTokenMonth: null, tokensOnPlan: null };
  const isSearch = (method: string) => method.startsWith("getProgramAccounts");
  const only = (counts: ProviderCounts, keep: (method: string) => boolean): ProviderCounts => ({
    ...counts,
    calls: new Map([...counts.calls].filter(([method]) => keep(method))),
  });
  const rest = costsOf(
    plan,
    only(watched, (method) => !isSearch(method)),
  );
  const search = costsOf(plan, { ...only(searched, isSearch), webSocketBytes: 0 });
  const times = MONTH_SECONDS / Number(values.watch);
  const each = Number(values.searches) / mints.length;
  const calls = Math.round((rest.calls * times) / mints.length + search.calls * each);
  const credits =
    rest.credits === null || search.credits === null
      ? null
      : Math.round((rest.credits * times) / mints.length + search.credits * each);
  const tokensOnPlan =
    credits === null || plan.credits === null ? null : Math.floor(plan.credits.perMonth / credits);
  return { perTokenMonth: { calls, credits }, tokensOnPlan };
}

function percentiles(asked: readonly Asked[]): { readonly p50: number; readonly p99: number } {
  const sorted = asked.map(({ ms }) => Math.round(ms)).toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5) ?? 0, p99: at(0.99) ?? 0 };
}

function table(found: readonly Row[]): string {
  return formatTable([
    [
      ...["plan", "alone p50", "p99 ms", "of five p50", "p99 ms", "found first", "later", "whole"],
      ...["false 0", "false 404", "503", "429s", "calls/answer", "credits", "calls/token/month"],
      ...["credits", "tokens"],
    ],
    ...found.map((row) => [
      ...[row.plan, row.aloneMs.p50, row.aloneMs.p99, row.amongFiveMs.p50, row.amongFiveMs.p99],
      ...[row.foundAtFirst, row.foundLater, row.wholeLater],
      ...[row.falseZero, row.falseNotFound, row.unavailable, row.rateRefused],
      ...[row.perFirstAnswer.calls, row.perFirstAnswer.credits ?? "-"],
      ...[row.perTokenMonth?.calls ?? "-", row.perTokenMonth?.credits ?? "-"],
      row.tokensOnPlan ?? "-",
    ]),
  ]);
}
