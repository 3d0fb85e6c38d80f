import Type from "typebox";
import { CAUSE_WORD } from "#src/alerts/delivery/alert-item.ts";
import { bySize, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { retailScore } from "#src/measure/ladder.ts";
import { AppError } from "#src/platform/app-error.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { gridOf, type HistoryGrid, type HistoryPoint } from "#src/track/history/history.ts";
import { sampleTimeMs } from "#src/track/history/sample.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import { CauseWord } from "../alerts/alert-schema.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import {
  AddressText,
  countText,
  fromText,
  IntegerText,
  NullableNumber,
  nullable,
  readAs,
  Timestamp,
  timestamp,
  timestampOrNull,
} from "../values.ts";
import { CONFIDENCE_WORD, wordsOf } from "../words.ts";
import { answerNow, TOKEN_ERRORS, TOKEN_OPERATION } from "./token-question.ts";

const MAX_RANGE_MS = 31 * MS_PER_DAY;
const SAMPLE_DIGITS = 7;
const SLIPPAGE_SCALE = 10_000;
/** A date, or a date and a time. Other forms are ambiguous. A plus that is not escaped in a query arrives as a space. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:(T[\d:.]+)(Z|[+ -]\d\d:?\d\d)?)?$/i;

const HistoryBody = Type.Object(
  {
    token_id: AddressText,
    step_seconds: Type.Number(),
    resolution_seconds: Type.Number({
      description:
        "The finest spacing that is stored for the whole range: 10, or 300 where a part of the range is older than a day or two",
    }),
    points: Type.Array(
      Type.Object({
        t: Timestamp,
        c10_sol: nullable(Type.Number(), "Largest size that sold with at most 10 % slippage"),
        depth_sol: NullableNumber,
        c10_lowest_sol: nullable(
          Type.Number(),
          "Lowest c10_sol at any time of the step; null where it was unknown for the whole step",
        ),
        depth_lowest_sol: nullable(Type.Number(), "Lowest depth_sol at any time of the step"),
        known_throughout: Type.Boolean({
          description:
            "False where the token was blocked, or c10_sol was unknown, for a part of the step",
        }),
        precio_mid: nullable(Type.Number(), "SOL per whole token"),
        score: nullable(
          Type.Number({ minimum: 0, maximum: 100 }),
          "0 to 100, of the retail profile; null where the token was blocked or nothing was known",
        ),
        slippage: Type.Object(bySize(() => NullableNumber)),
        confianza: nullable(Type.Enum(wordsOf(CONFIDENCE_WORD))),
      }),
    ),
    alerts: Type.Array(
      Type.Object({
        id: IntegerText,
        started_at: Timestamp,
        ended_at: nullable(Timestamp),
        detector: Type.String(),
        cause: CauseWord,
        share_pct: nullable(
          Type.Number({ minimum: 0, maximum: 100 }),
          "What the cause took of the whole fall, percent; null where no cause is known, and for alerts recorded before it was kept",
        ),
        slot: Type.Integer(),
        c10_before_sol: Type.Number(),
        c10_after_sol: Type.Number(),
        depth_before_sol: NullableNumber,
        depth_after_sol: NullableNumber,
      }),
    ),
  },
  { $id: "History" },
);

const HISTORY_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  step_seconds: 60,
  resolution_seconds: 10,
  points: [
    {
      t: "2026-11-21T01:10:00.000Z",
      c10_sol: 35.1,
      depth_sol: 329.8,
      c10_lowest_sol: 34.2,
      depth_lowest_sol: 321.4,
      known_throughout: true,
      precio_mid: 0.00000499,
      score: 99.4,
      slippage: { "0.5": 0.38, "1": 0.5, "2": 0.75, "5": 1.49, "10": 2.71, "50": 13.95 },
      confianza: "alta",
    },
  ],
  alerts: [],
};

export const getHistory = defineOperation({
  ...TOKEN_OPERATION,
  path: "/api/token/{id}/history",
  id: "getHistory",
  tag: "token",
  summary: "A token's exit capacity, depth, price, score and slippage over time, and its alerts",
  description:
    "An even grid of the retail profile: the values at the end of each step, and the lowest within it; null for times without data, and no points for times to come. from must be before to; at most 31 days and 2,000 points: longer ranges get longer steps, and step_seconds says which. Samples older than a day or two are kept in steps of five minutes: a range that begins there gets steps of a multiple of five minutes, and begins up to five minutes before from. The alerts are those that began within the range, the last 2,000 of them. Each request counts as one query.",
  query: Type.Object({
    from: timeField("from", "Default: a day before to"),
    to: timeField("to", "Default: now; if from is omitted too, the last multiple of ten seconds"),
    step: countText(
      "step",
      { minimum: 10, maximum: 999_999, default: 60 },
      "Seconds between points, 10 or more",
    ),
  }),
  responses: {
    200: {
      description: "The grid, and the alerts that began within it",
      schema: HistoryBody,
      example: HISTORY_EXAMPLE,
    },
  },
  ...TOKEN_ERRORS,
  errors: [...TOKEN_ERRORS.errors, "invalid_body"],
  prepare({ query }, { clock }) {
    const nowMs = clock.nowMs();
    // Without from and to, the grid stays the same until the next sample, so that a client's tag can match. It
    // lacks no sample: their times are rounded down to the same ten seconds.
    const toMs = query.to ?? (query.from === undefined ? sampleTimeMs(nowMs) : nowMs);
    const fromMs = query.from ?? toMs - MS_PER_DAY;
    if (fromMs >= toMs || toMs - fromMs > MAX_RANGE_MS)
      throw new AppError("invalid_body", {
        publicMessage: "from must be before to, by at most 31 days.",
      });
    const grid = gridOf({ fromMs, toMs, stepMs: query.step * 1_000 }, nowMs);
    return { grid, alertsWithin: { fromMs: grid.fromMs, toMs: query.to ?? nowMs } };
  },
  handler: ({ params: { id }, question: { grid, alertsWithin } }, { markets }) =>
    answerNow(markets, { id, profile: "retail" }, async (_snapshot, mint) => {
      const points = await markets.history(mint, grid);
      const alerts = await markets.alerts(mint, alertsWithin);
      return { body: historyBody({ mint, grid, points, alerts }) };
    }),
});

function timeField(name: string, description: string) {
  return Type.Optional(
    readAs(
      Type.String({
        format: "date-time",
        description: `ISO 8601, UTC where it names no zone. ${description}`,
      }),
      fromText(timeMsOf),
      `${name} must be a time in ISO 8601, such as 2026-11-21T01:10:00Z.`,
    ),
  );
}

/** Null for a day that its month does not have: `Date.parse` takes the 31st of any month for a later day. */
function timeMsOf(text: string): number | null {
  const [, day = "", time = "T00:00", zone = "Z"] = ISO_TIME.exec(text) ?? [];
  const dayMs = Date.parse(day);
  if (Number.isNaN(dayMs) || !timestamp(dayMs).startsWith(day)) return null;
  const timeMs = Date.parse(`${day}${time}${zone.replace(" ", "+")}`);
  return Number.isNaN(timeMs) ? null : timeMs;
}

type HistoryAlert = Awaited<ReturnType<Markets["alerts"]>>[number];

type HistoryAnswer = {
  readonly mint: Address;
  readonly grid: HistoryGrid;
  readonly points: readonly HistoryPoint[];
  readonly alerts: readonly HistoryAlert[];
};

/** GET /api/token/{id}/history: an even grid; null where nothing was known. */
function historyBody({ mint, grid, points, alerts }: HistoryAnswer) {
  return {
    token_id: mint,
    step_seconds: grid.stepMs / 1_000,
    resolution_seconds: grid.resolutionMs / 1_000,
    points: points.map(pointBody),
    alerts: alerts.map(alertBody),
  };
}

function pointBody(point: HistoryPoint) {
  const { atMs, c10Sol, depthSol, mid, slippagesPct, confidence } = point;
  const slippages = STANDARD_SIZES.map((_, index) => asAnswered(slippagesPct[index] ?? null));
  return {
    t: timestamp(atMs),
    c10_sol: asKept(c10Sol),
    depth_sol: asKept(depthSol),
    c10_lowest_sol: asKept(point.lowestC10Sol),
    depth_lowest_sol: asKept(point.lowestDepthSol),
    known_throughout: point.isWhole,
    precio_mid: asKept(mid),
    // Without a depth the token was blocked, or nothing was known: no slippage of it is a refusal.
    score: depthSol === null ? null : retailScore(slippages),
    slippage: bySize((_, index) => slippages[index] ?? null),
    confianza: confidence === null ? null : CONFIDENCE_WORD[confidence],
  };
}

/** Samples are kept with seven digits; what follows them is nothing that was measured. */
function asKept(figure: number | null): number | null {
  return figure === null ? null : Number(figure.toPrecision(SAMPLE_DIGITS));
}

/** A slippage with the four decimals that it was answered with. */
function asAnswered(slippagePct: number | null): number | null {
  return slippagePct === null ? null : Math.round(slippagePct * SLIPPAGE_SCALE) / SLIPPAGE_SCALE;
}

function alertBody(alert: HistoryAlert) {
  const { before, after, share } = alert;
  return {
    id: String(alert.id),
    started_at: timestamp(alert.startedAtMs),
    ended_at: timestampOrNull(alert.endedAtMs),
    detector: alert.detector,
    cause: CAUSE_WORD[alert.cause] ?? "unknown",
    share_pct: share === null ? null : 100 * share,
    slot: toNumber(alert.slot),
    c10_before_sol: before.c10Sol,
    c10_after_sol: after.c10Sol,
    depth_before_sol: before.depthSol,
    depth_after_sol: after.depthSol,
  };
}
