import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { cpuSeconds, residentBytes } from "../support/deployment.ts";
import { Latencies } from "../support/latencies.ts";
import { ask, type KeyRing } from "./ask.ts";
import type { Chain } from "./chain.ts";
import type { Service } from "./service.ts";
import { readMetrics, trackedFigures } from "./service-metrics.ts";

/** Of the tokens followed before: some were dropped or not stored yet when the process ended. */
const FOLLOWED_SHARE = 0.988;
const POLL_MS = 500;
const LONGEST_MS = 900_000;
/** Tokens whose answers are requested then. */
const SAMPLE = 400;
const OLD_MS = 30_000;

export type WarmRestart = {
  readonly signal: "SIGTERM" | "SIGKILL";
  readonly chain: Chain;
  readonly service: Service;
  /** Tokens that were requested before. */
  readonly asked: readonly string[];
  readonly keys: KeyRing;
};

/**
 * Ends the process that follows the chain, starts it again while the chain goes on, and measures until it follows `FOLLOWED_SHARE` of its
 * tokens again, and how old their answers are then.
 */
export async function warmRestart(options: WarmRestart) {
  const { signal, chain, service, asked, keys } = options;
  const { metricsUrl } = service;
  const { tokens: before } = trackedFigures(await readMetrics(metricsUrl));
  if (before === null) throw new Error("the service does not publish how many tokens it follows");
  const wanted = Math.floor(FOLLOWED_SHARE * before);
  const stoppingMs = performance.now();
  service.tracker.kill(signal);
  await once(service.tracker, "exit");
  const startedMs = performance.now();
  const seconds = (): number => Math.round(performance.now() - startedMs) / 1_000;
  await service.startTracker();
  const { url, tracker } = service;
  const listeningSeconds = seconds();
  const [mint = ""] = asked;
  const first = await ask(url, mint, keys.next());
  const firstAnswerSeconds = seconds();
  let tokens = 0;
  while (tokens < wanted && performance.now() - startedMs < LONGEST_MS) {
    await delay(POLL_MS);
    tokens = trackedFigures(await readMetrics(metricsUrl)).tokens ?? 0;
  }
  const followedSeconds = seconds();
  return {
    ...{ kind: "restart", signal, tokensBefore: before },
    ...{ stopSeconds: Math.round(startedMs - stoppingMs) / 1_000, listeningSeconds },
    firstAnswer: {
      ...{ seconds: firstAnswerSeconds, status: first.status },
      ageSeconds: Math.round(first.atMs - Date.parse(first.body.updated_at)) / 1_000,
    },
    ...{ tokensFollowed: tokens, isComplete: tokens >= wanted, followedSeconds },
    cpuSeconds: cpuSeconds([tracker]),
    residentMb: Math.round(residentBytes(tracker) / 1e6),
    sampled: await sampleAges(url, sampleOf(chain, asked), keys),
  };
}

/** Half of them requested tokens, half any token. */
function sampleOf({ ready }: Chain, asked: readonly string[]): readonly string[] {
  const every = (mints: readonly string[]): readonly string[] => {
    const step = Math.max(1, Math.floor((2 * mints.length) / SAMPLE));
    return mints.filter((_, place) => place % step === 0).slice(0, SAMPLE / 2);
  };
  return [...every(asked), ...every(ready.tokens.map(({ mint }) => mint))];
}

/** How old the state of the tokens' answers is; by status where one is not 200. */
async function sampleAges(url: string, mints: readonly string[], keys: KeyRing) {
  const ages = new Latencies();
  const statuses: Record<string, number> = {};
  let old = 0;
  for (const mint of mints) {
    const { status, body, atMs } = await ask(url, mint, keys.next());
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status !== 200) continue;
    const ageMs = Math.max(0, atMs - Date.parse(body.updated_at));
    ages.add(ageMs);
    if (ageMs > OLD_MS) old++;
  }
  return { statuses, old, p50AgeMs: ages.at(0.5), p99AgeMs: ages.at(0.99) };
}
