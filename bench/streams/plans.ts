import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { addressFromBytes } from "#src/units/address.ts";
import { type FakeGeyser, limitRefusal } from "#test/support/chain/fake-geyser.ts";
import { quantile } from "../support/quantile.ts";
import { openStreamMarket, type StreamMarket } from "./stream-market.ts";

/** A server's limits or fault. */
export type StreamPlan = {
  readonly name: string;
  readonly prepare: (geyser: FakeGeyser) => void;
  /** Accounts that are followed beside those of the market's tokens. */
  readonly addresses?: number;
  /** After the tokens are tracked. */
  readonly fail?: (market: StreamMarket) => void;
};

export type PlanResult = {
  readonly name: string;
  readonly logged: readonly string[];
  /** Over which stream changes arrived at the end, and how many gRPC streams were open. */
  readonly inUse: string;
  readonly streams: number;
  /** Tokens with an answer that is not blocked, of those asked for. */
  readonly answered: string;
  /** Age of all answers in seconds, read every 250 ms: the block time is of whole seconds. */
  readonly ageP50: number | null;
  readonly ageMax: number | null;
  readonly requests: number;
};

const WATCH_MS = 30_000;
const LOOK_EVERY_MS = 250;
const SETTLE_MS = 15_000;
const MANY_ADDRESSES = 200_000;
const SILENT_MS = 60_000;

export const STREAM_PLANS: readonly StreamPlan[] = [
  { name: "no limits", prepare: () => {} },
  { name: "200,000 addresses", prepare: () => {}, addresses: MANY_ADDRESSES },
  limited("5 filters of 200 accounts", { filters: 5, addresses: 200 }),
  limited("1 filter of 10 accounts", { filters: 1, addresses: 10 }),
  {
    name: "wrong token",
    prepare: (geyser) => {
      geyser.refusalOf = () => "No valid auth token";
    },
  },
  { name: "no server", prepare: (geyser) => geyser.cut() },
  {
    name: "silent for a minute",
    prepare: () => {},
    fail: ({ geyser, note }) => {
      geyser.isSilent = true;
      note("the server sends nothing from now on");
      setTimeout(() => {
        geyser.isSilent = false;
        note("the server sends again");
      }, SILENT_MS).unref();
    },
  },
];

function limited(
  name: string,
  limits: { readonly filters: number; readonly addresses: number },
): StreamPlan {
  return {
    name,
    prepare: (geyser) => {
      geyser.refusalOf = (request) => limitRefusal(request, limits);
    },
  };
}

export async function runPlan({ name, prepare, addresses, fail }: StreamPlan): Promise<PlanResult> {
  const market = await openStreamMarket({ commitment: "confirmed", prepare });
  const { demo, geyser, source, tracker, clock, logged } = market;
  const events = { onUpdate: () => {}, onGap: () => {}, onSlot: () => {} };
  const others = source.follow(events);
  others.add(Array.from({ length: addresses ?? 0 }, () => addressFromBytes(randomBytes(32))));
  const mints = demo.namedTokens.map(({ mint }) => mint);
  for (const mint of mints) await tracker.snapshot(mint).catch(() => null);
  await delay(SETTLE_MS);
  fail?.(market);
  const ages: number[] = [];
  let answered = 0;
  const untilMs = performance.now() + (fail === undefined ? WATCH_MS : SILENT_MS + WATCH_MS);
  while (performance.now() < untilMs) {
    answered = 0;
    for (const mint of mints) {
      const latest = tracker.latest(mint);
      if (latest?.kind !== "assessed" || latest.assessment.blocked !== null) continue;
      answered++;
      ages.push((clock.nowMs() - latest.assessment.stateTimeMs) / 1_000);
    }
    await delay(LOOK_EVERY_MS);
  }
  const { inUse } = tracker.health().stream ?? { inUse: "none" };
  const result = {
    ...{ name, logged: [...logged], inUse, streams: geyser.clientCount },
    answered: `${answered} of ${mints.length}`,
    ageP50: quantile(ages, 0.5),
    ageMax: ages.length === 0 ? null : Math.max(...ages),
    requests: geyser.requests.length,
  };
  await others.close();
  await market.close();
  return result;
}
