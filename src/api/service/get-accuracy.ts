import Type from "typebox";
import type { AccuracyReport } from "#src/accuracy/accuracy.ts";
import { TOKEN_AGES } from "#src/accuracy/waiting-counts.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { VenueExecutions } from "#src/proof/execution-record.ts";
import { WAITED_SECONDS } from "#src/track/history/waiting.ts";
import { toNumber } from "#src/units/to-number.ts";
import { defineOperation } from "../operation.ts";
import { nullable, Timestamp, timestampOrNull } from "../values.ts";
import { OPEN_OPERATION } from "./open-operation.ts";

const AccuracyWindow = Type.Object(
  {
    seen: Type.Integer({ description: "Swaps that were executed on pools that are tracked" }),
    replayed: Type.Integer({ description: "Of these, replayed on the state before them" }),
    exact: Type.Integer({ description: "Modelled to the base unit" }),
    within_1bp: Type.Integer({
      description: "Off by at most one basis point, exact ones included",
    }),
    worst_bps: nullable(Type.Number(), "The largest difference; null where nothing was replayed"),
    skipped: Type.Record(Type.String(), Type.Integer(), {
      description: "Seen and not replayed, by reason",
    }),
    failures: Type.Object(
      {
        swaps: Type.Integer(),
        pools: Type.Integer({ description: "Distinct pools, counted up to 32" }),
        signers: Type.Integer({ description: "Distinct signers, counted up to 32" }),
      },
      { description: "Inexact swaps worth more than dust" },
    ),
  },
  { $id: "AccuracyWindow" },
);

const QuotedWindow = Type.Object(
  {
    compared: Type.Integer({
      description:
        "Number of comparisons of a sale for SOL with an answer about its token: each sale is compared with each answer",
    }),
    p10_bps: nullable(Type.Number(), "Basis points of the sale's worth; below zero: paid more"),
    p50_bps: nullable(Type.Number(), "Null where no sale was compared"),
    p90_bps: nullable(Type.Number()),
    p99_bps: nullable(Type.Number()),
  },
  { $id: "QuotedWindow" },
);

const HELD = { minimum: 0, maximum: 100 };

const HeldWindow = Type.Object(
  {
    judged: Type.Integer({
      description: "Number of compared waiting times after a range was computed; none overlap",
    }),
    held_80_pct: nullable(
      Type.Number(HELD),
      "Changes from p10 to p90; null if judged is below 200, like the other two",
    ),
    held_98_pct: nullable(Type.Number(HELD), "Changes from p1 to p99"),
    below_p10_pct: nullable(Type.Number(HELD), "Exits that paid less than p10"),
  },
  { $id: "HeldWindow" },
);

const Deployment = Type.Object(
  {
    state: Type.Enum(["upgradeable", "final", "immutable", "unknown"], {
      description:
        "upgradeable: its authority may replace it. final: it can no longer be replaced. immutable: its loader replaces nothing, and keeps no slot. unknown: see unknown_because",
    }),
    unknown_because: nullable(
      Type.Enum(["not-read", "no-such-account", "no-code", "loader-unknown", "bytes-unreadable"]),
    ),
    read_at: nullable(Timestamp, "When it was last read from a node"),
    upgrade_seen_at: nullable(
      Timestamp,
      "Since when its code is known to be another than before; null: no change was seen",
    ),
    previous_slot: nullable(Type.Integer(), "deployed_slot before that change"),
  },
  { $id: "Deployment" },
);

const Executed = Type.Object(
  {
    sales: Type.Integer({
      description: "Executed sales of random pools and amounts, refused ones included",
    }),
    equal: Type.Integer({ description: "Paid, or refused, as modelled" }),
    sales_on_deployment: Type.Integer({
      description: "Of these, executed with the code that is deployed now",
    }),
    is_new_deployment: Type.Boolean({
      description:
        "The code was deployed while the service ran, and fewer than 20 executions over five pools were equal: confianza is at most media",
    }),
    answers_executed: Type.Boolean({
      description:
        "The program pays something else than the model: answers of this venue are computed by executing it, and confianza is at most media",
    }),
    unproved: nullable(Type.String(), "Why the last sale was not executed; null: it was"),
  },
  { $id: "Executed" },
);

const AccuracyBody = Type.Object(
  {
    venues: Type.Array(
      Type.Object({
        program: Type.String(),
        exact_pct: nullable(
          Type.Number(),
          "Share of the last 5 minutes or hour; null where nothing was replayed",
        ),
        lowers_confidence: Type.Boolean({
          description:
            "Below 99 %, dust excluded, with failures from at least five pools and five signers in the last hour",
        }),
        deployed_slot: nullable(
          Type.Integer(),
          "Slot in which the program's code was last deployed; null where it is not known or not kept",
        ),
        deployment: Deployment,
        executed: nullable(
          Executed,
          "Sales executed by the deployed program in a local VM since the service started; null: none",
        ),
        windows: Type.Object({ hour: AccuracyWindow, day: AccuracyWindow, month: AccuracyWindow }),
      }),
    ),
    quoted_vs_executed: Type.Array(
      Type.Object({
        age_seconds: Type.Integer({
          description: "Answers that were served at most this long before the sale",
        }),
        windows: Type.Object({ day: QuotedWindow, month: QuotedWindow }),
      }),
      {
        description:
          "Cost of an answer's age: how much less sales were paid than an answer of this age states for their size",
      },
    ),
    waiting_held: Type.Array(
      Type.Object({
        size: Type.Enum([...STANDARD_SIZES], { description: "SOL" }),
        waited_seconds: Type.Enum([...WAITED_SECONDS]),
        token_age: Type.Enum([...TOKEN_AGES], {
          description: "Since the service first saw the token",
        }),
        windows: Type.Object({ day: HeldWindow, month: HeldWindow }),
      }),
      {
        description:
          "How often the ranges of /exitability/past-day held afterwards, for one tracked token a minute and for every requested token, at most once in five minutes. Cells without a judgement in 30 days are left out",
      },
    ),
  },
  { $id: "Accuracy" },
);

const EXAMPLE_WINDOW = {
  seen: 812,
  replayed: 790,
  exact: 790,
  within_1bp: 790,
  worst_bps: 0,
  skipped: { "exact-out": 22 },
  failures: { swaps: 0, pools: 0, signers: 0 },
};

const EXAMPLE_HELD = { judged: 1310, held_80_pct: 80.4, held_98_pct: 97.6, below_p10_pct: 9.8 };

const EXAMPLE_QUOTED = { compared: 412, p10_bps: -3.5, p50_bps: 0, p90_bps: 12.5, p99_bps: 96.4 };

/** Public, so that everybody can check how exact the model is. */
export const getAccuracy = defineOperation({
  ...OPEN_OPERATION,
  path: "/api/accuracy",
  id: "getAccuracy",
  summary: "Modelled against executed",
  description:
    "Every swap seen on a tracked pool is replayed; here is how many came out exact, and when each program was last deployed.",
  responses: {
    200: {
      description: "By program",
      schema: AccuracyBody,
      example: {
        venues: [
          {
            program: "raydium-cpmm",
            exact_pct: 100,
            lowers_confidence: false,
            deployed_slot: 431172301,
            deployment: {
              state: "upgradeable",
              unknown_because: null,
              read_at: "2026-11-20T12:00:00.000Z",
              upgrade_seen_at: null,
              previous_slot: null,
            },
            executed: {
              sales: 1240,
              equal: 1240,
              sales_on_deployment: 1240,
              is_new_deployment: false,
              answers_executed: false,
              unproved: null,
            },
            windows: { hour: EXAMPLE_WINDOW, day: EXAMPLE_WINDOW, month: EXAMPLE_WINDOW },
          },
        ],
        quoted_vs_executed: [
          { age_seconds: 10, windows: { day: EXAMPLE_QUOTED, month: EXAMPLE_QUOTED } },
        ],
        waiting_held: [
          {
            size: "5",
            waited_seconds: 60,
            token_age: "1-to-7-days",
            windows: { day: EXAMPLE_HELD, month: EXAMPLE_HELD },
          },
        ],
      },
    },
  },
  errors: ["chain_unavailable"],
  handler: async (_input, { accuracy }) => ({ body: accuracyBody(await accuracy.report()) }),
});

/** The record with the executions that the process made. */
export type PublishedAccuracy = AccuracyReport & {
  /** Absent if the process executes no sales. */
  readonly executions?: readonly VenueExecutions[];
};

type VenueReport = AccuracyReport["venues"][number];
type WindowReport = VenueReport["windows"]["day"];
type ProgramReport = VenueReport["program"];
type HeldReport = AccuracyReport["waiting"][number]["day"];
type QuotedReport = AccuracyReport["quoted"][number]["day"];

/** GET /api/accuracy: how near the modelled outputs are to executed ones, per program. Null: nothing replayed. */
export function accuracyBody(report: PublishedAccuracy) {
  const { venues, quoted, waiting, executions = [] } = report;
  return {
    venues: venues.map(({ venue, windows, exactPct, lowersConfidence, program }) => ({
      program: venue,
      exact_pct: exactPct,
      lowers_confidence: lowersConfidence,
      deployed_slot: program.state.kind === "deployed" ? toNumber(program.state.slot) : null,
      deployment: deploymentBody(program),
      executed: executedBody(executions.find((entry) => entry.venue === venue)),
      windows: {
        hour: windowBody(windows.hour),
        day: windowBody(windows.day),
        month: windowBody(windows.month),
      },
    })),
    quoted_vs_executed: quoted.map(({ ageSeconds, day, month }) => ({
      age_seconds: ageSeconds,
      windows: { day: quotedBody(day), month: quotedBody(month) },
    })),
    waiting_held: waiting.map(({ size, seconds, age, day, month }) => ({
      size: `${size}`,
      waited_seconds: seconds,
      token_age: age,
      windows: { day: heldBody(day), month: heldBody(month) },
    })),
  };
}

function heldBody({ judged, held80Pct, held98Pct, below10Pct }: HeldReport) {
  return { judged, held_80_pct: held80Pct, held_98_pct: held98Pct, below_p10_pct: below10Pct };
}

function deploymentBody({ state, readAtMs, upgrade }: ProgramReport) {
  return {
    state: state.kind === "deployed" ? (state.isUpgradeable ? "upgradeable" : "final") : state.kind,
    unknown_because: state.kind === "unknown" ? state.reason : null,
    read_at: timestampOrNull(readAtMs),
    upgrade_seen_at: timestampOrNull(upgrade?.seenAtMs ?? null),
    previous_slot: upgrade === null ? null : toNumber(upgrade.previousSlot),
  };
}

function quotedBody({ compared, p10Bps, p50Bps, p90Bps, p99Bps }: QuotedReport) {
  return { compared, p10_bps: p10Bps, p50_bps: p50Bps, p90_bps: p90Bps, p99_bps: p99Bps };
}

function windowBody(window: WindowReport) {
  const { seen, replayed, exact, within1Bp, worstBps, skipped, failures } = window;
  return {
    ...{ seen, replayed, exact, within_1bp: within1Bp, worst_bps: worstBps, skipped },
    failures: {
      swaps: failures?.swaps ?? 0,
      pools: failures?.pools.length ?? 0,
      signers: failures?.signers.length ?? 0,
    },
  };
}

function executedBody(found: VenueExecutions | undefined) {
  if (found === undefined) return null;
  const { executed, equal, onDeployment, isNewDeployment, isFailing, unproved } = found;
  return {
    sales: executed,
    equal,
    sales_on_deployment: onDeployment,
    is_new_deployment: isNewDeployment,
    answers_executed: isFailing,
    unproved,
  };
}
