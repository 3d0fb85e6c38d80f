import type { FastifyInstance } from "fastify";
import type { Profile } from "#src/measure/assessment.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import { stepOf } from "#src/track/history.ts";
import type { Markets, Sale } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { parseUnits } from "#src/wire/size.ts";
import { stressedBody } from "#src/wire/stressed.ts";
import { exitAtBody, historyBody, poolsBody, tokenBody } from "#src/wire/token-data.ts";
import type { Metering } from "../plugins/metering.ts";
import { prepareAboutToken, readProfile } from "./token-question.ts";

const DAY_MS = 86_400_000;
const LONGEST_HISTORY_MS = 31 * DAY_MS;
const SHORTEST_STEP_MS = 10_000;
const SOL_DECIMALS = 9;
const LARGEST_SIZE_LAMPORTS = 1_000_000_000_000n;
const SMALLEST_SIZE_LAMPORTS = 10_000_000n;
/** A year, month and day, or these and a time: what else a date may be read from is guessing. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const LONGEST_STEP_SECONDS = 999_999;
const BLOCKED = { kind: "unsellable", reason: "blocked" } as const;

export type TokenDataDeps = {
  readonly markets: Pick<
    Markets,
    "snapshot" | "latest" | "exit" | "stressed" | "history" | "alerts"
  >;
  readonly metering: Metering;
  readonly nowMs: NowMs;
};

type Route<Query> = { Params: { readonly id: string }; Querystring: Query };

/** What is known of a token beside its exitability: its name, pools, any size, its past. */
export function tokenDataRoutes(app: FastifyInstance, deps: TokenDataDeps): void {
  const { markets, metering, nowMs } = deps;
  const about = (id: string) => ({
    id,
    profile: "retail" as Profile,
    snapshotOf: async (mint: Address) => markets.latest(mint) ?? (await markets.snapshot(mint)),
  });

  app.get<Route<NowQuery>>("/api/token/:id", (request, reply) =>
    metering(request, reply, () => {
      refuseSlot(request.query.at_slot);
      return prepareAboutToken({ ...about(request.params.id), answer: tokenBody });
    }),
  );

  app.get<Route<NowQuery>>("/api/token/:id/pools", (request, reply) =>
    metering(request, reply, () => {
      refuseSlot(request.query.at_slot);
      return prepareAboutToken({
        ...about(request.params.id),
        answer: ({ assessment }) => poolsBody(assessment),
      });
    }),
  );

  app.get<Route<AtQuery>>("/api/token/:id/exitability/at", (request, reply) =>
    metering(request, reply, () => {
      const profile = readProfile(request.query.profile);
      refuseSlot(request.query.at_slot);
      const saleOf = readSale(request.query, profile);
      return prepareAboutToken({
        ...about(request.params.id),
        profile,
        answer: async ({ assessment }, mint) => {
          const sale = saleOf(assessment.decimals);
          const exit = sale === null ? null : await markets.exit(mint, sale);
          return exitAtBody({ assessment, profile, exit: exit ?? BLOCKED, nowMs: nowMs() });
        },
      });
    }),
  );

  app.get<Route<StressedQuery>>("/api/token/:id/exitability/stressed", (request, reply) =>
    metering(request, reply, () => {
      const profile = readProfile(request.query.profile);
      refuseSlot(request.query.at_slot);
      return prepareAboutToken({
        ...about(request.params.id),
        profile,
        answer: async ({ assessment }, mint) => {
          const exit = await markets.stressed(mint);
          return stressedBody({ assessment, exit, profile, nowMs: nowMs() });
        },
      });
    }),
  );

  app.get<Route<HistoryQuery>>("/api/token/:id/history", (request, reply) =>
    metering(request, reply, () => {
      const query = readHistoryQuery(request.query, nowMs());
      return prepareAboutToken({
        ...about(request.params.id),
        answer: async (_snapshot, mint) => {
          const { fromMs, toMs } = query;
          const points = await markets.history(mint, query);
          const alerts = await markets.alerts(mint, { fromMs, toMs });
          return historyBody({ mint, stepMs: stepOf(query), points, alerts });
        },
      });
    }),
  );
}

/** What is answered of now alone. */
type NowQuery = { readonly at_slot?: unknown };

type StressedQuery = NowQuery & { readonly profile?: unknown };

type AtQuery = StressedQuery & { readonly size?: unknown; readonly unit?: unknown };

/** Answers of past slots are stored, what they were made of is not: what is now must not pass for then. */
function refuseSlot(slot: unknown): void {
  if (slot === undefined) return;
  throw new AppError("invalid_body", {
    publicMessage:
      "at_slot is for /exitability: of a past slot its answer at the standard sizes is stored, and no other. Leave it out here.",
  });
}

/**
 * A size in SOL, or with unit=token an amount of whole tokens, in plain digits. The sale needs the
 * token's decimals: null where they are not known.
 *
 * @throws AppError invalid_size, by what it returns too: where the amount is finer than the decimals
 */
function readSale(
  { size, unit = "sol" }: AtQuery,
  profile: Profile,
): (decimals: number | null) => Sale | null {
  if (unit === "sol") {
    const sizeLamports = typeof size === "string" ? parseUnits(size, SOL_DECIMALS) : null;
    if (
      sizeLamports !== null &&
      sizeLamports >= SMALLEST_SIZE_LAMPORTS &&
      sizeLamports <= LARGEST_SIZE_LAMPORTS
    ) {
      return () => ({ profile, sizeLamports });
    }
    throw invalidSize(
      "size must be a number of SOL from 0.01 to 1000, in plain digits, 9 of them after the point at most.",
    );
  }
  if (unit !== "token") throw invalidSize("unit must be sol or token.");
  if (typeof size !== "string" || !/^\d{1,20}(?:\.\d{1,18})?$/.test(size) || !/[1-9]/.test(size)) {
    throw invalidSize("size must be a number of whole tokens above 0, in plain digits.");
  }
  return (decimals) => {
    if (decimals === null) return null;
    const baseUnits = parseUnits(size, decimals);
    if (baseUnits !== null) return { profile, baseUnits };
    throw invalidSize(
      `size is finer than this token's smallest unit: it has ${decimals} decimals.`,
    );
  };
}

function invalidSize(publicMessage: string): AppError {
  return new AppError("invalid_size", { publicMessage });
}

type HistoryQuery = { readonly from?: unknown; readonly to?: unknown; readonly step?: unknown };

/** The last day in steps of a minute, unless asked otherwise. */
function readHistoryQuery({ from, to, step }: HistoryQuery, nowMs: number) {
  const toMs = to === undefined ? nowMs : readTime(to, "to");
  const fromMs = from === undefined ? toMs - DAY_MS : readTime(from, "from");
  const stepMs = step === undefined ? 60_000 : readStep(step);
  if (fromMs >= toMs || toMs - fromMs > LONGEST_HISTORY_MS) {
    throw new AppError("invalid_body", {
      publicMessage: "from must lie before to, by 31 days at the most.",
    });
  }
  return { fromMs, toMs, stepMs };
}

function readTime(text: unknown, name: string): number {
  const timeMs = typeof text === "string" && ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(timeMs)) return timeMs;
  throw new AppError("invalid_body", {
    publicMessage: `${name} must be a time in ISO 8601, such as 2026-11-21T01:10:00Z.`,
  });
}

function readStep(text: unknown): number {
  const stepMs = typeof text === "string" && /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : 0;
  if (stepMs >= SHORTEST_STEP_MS) return stepMs;
  throw new AppError("invalid_body", {
    publicMessage: `step must be whole seconds from ${SHORTEST_STEP_MS / 1_000} to ${LONGEST_STEP_SECONDS}.`,
  });
}
