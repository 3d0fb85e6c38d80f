import Type, { type Static } from "typebox";
import { bySize } from "#src/measure/assessment.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { PastDay as MeasuredDay } from "#src/track/history/past-day.ts";
import { WAITED_SECONDS, type WaitingRange } from "#src/track/history/waiting.ts";
import type { Address } from "#src/units/address.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, nullable, Timestamp, timestamp } from "../values.ts";
import { answerNow, PRESENT_OPERATION } from "./token-question.ts";

const Changes = Type.Object({
  observations: Type.Integer({ description: "Number of observed waiting times; none overlap" }),
  p1_pct: Type.Number(),
  p10_pct: Type.Number(),
  p50_pct: Type.Number(),
  p90_pct: Type.Number(),
  p99_pct: Type.Number(),
});

const Waiting = Type.Object(
  bySize(() => Type.Object(byWait(() => nullable(Changes, "Null below 200 observations")))),
  {
    description:
      "By size in SOL, then by seconds waited: how the exit of one position changed, in percent of what it paid before; p10: in one of ten cases it changed by at most this. -100: it could not be sold any more",
  },
);

const seconds = (description: string) =>
  nullable(Type.Number({ minimum: 0 }), `${description}; null: later than ten minutes`);

const PastDayBody = Type.Object(
  {
    token_id: AddressText,
    profile: Type.Enum(["retail"], { description: "Of the best single route" }),
    from: Timestamp,
    to: Timestamp,
    waiting: Waiting,
    resilience: nullable(
      Type.Object({
        sells: Type.Integer({
          description: "Sells that took at least 5 % of C10 out of the pools within ten seconds",
        }),
        regained_pct: Type.Object(
          byWait(() => Type.Number()),
          {
            description:
              "By seconds: the share of the fallen price that was regained; below 0: it fell further",
          },
        ),
        half_life_seconds: seconds("Until half was regained"),
        half_life_from_seconds: seconds("Lower end of its 95 % interval"),
        half_life_to_seconds: seconds("Upper end of its 95 % interval"),
      }),
      "Null below 30 such sells",
    ),
  },
  { $id: "PastDay" },
);

type PastDayAnswer = Static<typeof PastDayBody>;

const EXAMPLE_CHANGES = {
  ...{ observations: 1439, p1_pct: -4.1201, p10_pct: -1.3127 },
  ...{ p50_pct: 0, p90_pct: 1.2904, p99_pct: 3.9127 },
};

export const getPastDay = defineOperation({
  ...PRESENT_OPERATION,
  path: "/api/token/{id}/exitability/past-day",
  id: "getPastDay",
  tag: "exitability",
  summary: "What waiting cost over the last day, and how the price came back after large sells",
  description:
    "For each standard size, how the exit of one position changed within 10 s, 60 s and 5 minutes over the token's last day: quantiles, and how many times were observed. And after sells of at least 5 % of C10, the share of the price that was regained, and the half-life. These are frequencies of the past day, from samples every ten seconds, and not a forecast. What is not known well enough is null. One query. at_slot is refused.",
  responses: {
    200: {
      description: "Frequencies of the past day",
      schema: PastDayBody,
      example: {
        token_id: EXAMPLE_MINT,
        profile: "retail",
        from: "2026-11-20T01:10:10.000Z",
        to: "2026-11-21T01:10:10.000Z",
        waiting: bySize(() => byWait(() => EXAMPLE_CHANGES)),
        resilience: {
          sells: 64,
          regained_pct: { "10": 14.2, "60": 55.1, "300": 83.7 },
          half_life_seconds: 52.4,
          half_life_from_seconds: 38.1,
          half_life_to_seconds: 74.9,
        },
      },
    },
  },
  handler: ({ params: { id } }, { markets, clock }) =>
    answerNow(markets, { id, profile: "retail" }, async (_snapshot, mint) => {
      return { body: bodyOf(mint, await markets.pastDay(mint), clock.nowMs()) };
    }),
});

/** @param day null: no samples are kept */
function bodyOf(mint: Address, day: MeasuredDay | null, nowMs: number): PastDayAnswer {
  return {
    token_id: mint,
    profile: "retail",
    from: timestamp(day?.fromMs ?? nowMs - MS_PER_DAY),
    to: timestamp(day?.toMs ?? nowMs),
    waiting: bySize((_, at) => byWait((wait) => changesBody(day?.waiting[at]?.[wait] ?? null))),
    resilience: resilienceOf(day?.resilience ?? null),
  };
}

/** A value for each of `WAITED_SECONDS`. */
function byWait<T>(of: (index: number) => T): Record<string, T> {
  return Object.fromEntries(WAITED_SECONDS.map((waited, index) => [`${waited}`, of(index)]));
}

function changesBody(range: WaitingRange | null): Static<typeof Changes> | null {
  if (range === null) return null;
  const [p1 = 0, p10 = 0, p50 = 0, p90 = 0, p99 = 0] = range.quantilesPct;
  const { observations } = range;
  return { observations, p1_pct: p1, p10_pct: p10, p50_pct: p50, p90_pct: p90, p99_pct: p99 };
}

function resilienceOf(found: MeasuredDay["resilience"]): PastDayAnswer["resilience"] {
  if (found === null) return null;
  return {
    sells: found.sells,
    regained_pct: byWait((index) => found.regainedPct[index] ?? 0),
    half_life_seconds: found.halfLifeSeconds,
    half_life_from_seconds: found.halfLifeFromSeconds,
    half_life_to_seconds: found.halfLifeToSeconds,
  };
}
