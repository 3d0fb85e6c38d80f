import Type from "typebox";
import { type Ladder, STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import { lamportsToSol } from "#src/units/to-number.ts";
import type { WatchedExit } from "#src/watchlist/watchlist.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { exitabilityBody } from "../measuring/exitability-body.ts";
import { defineOperation } from "../operation.ts";
import { listResponse } from "../operation-parts.ts";
import { AddressText, NullableNumber, nullable, Timestamp, timestamp } from "../values.ts";
import { CONFIDENCE_WORD, QUALITY_WORD, STATE_WORD, wordsOf } from "../words.ts";

/** An entry and what is known of its token, at the entry's own size (contract.md section 5). */
const WatchlistItem = Type.Object(
  {
    id: Type.Integer(),
    user_id: Type.String({ format: "uuid" }),
    mint: AddressText,
    size_sol: Type.Number(),
    alerts_enabled: Type.Boolean(),
    created_at: Timestamp,
    exitability: Type.Object({
      state: nullable(
        Type.Enum([...wordsOf(STATE_WORD), "not_found"]),
        "Null also where it is not known now whether this size can be sold: then slippage_pct is null, and the rest is filled",
      ),
      score: NullableNumber,
      depth_sol: NullableNumber,
      exit_max_sol: NullableNumber,
      slippage_pct: nullable(
        Type.Number(),
        "At the entry's own size; null where state is ok: it can't be sold whole",
      ),
      trend: nullable(Type.Enum(["improving", "stable", "deteriorating"])),
      alerta_deterioro: nullable(Type.Boolean()),
      confianza: nullable(Type.Enum(wordsOf(CONFIDENCE_WORD))),
      calidad_dato: nullable(Type.Enum(wordsOf(QUALITY_WORD))),
      updated_at: nullable(Timestamp),
      token_name: nullable(Type.String()),
      token_symbol: nullable(Type.String()),
    }),
  },
  { $id: "WatchlistItem" },
);

const EXAMPLE_ITEM = {
  id: 1,
  user_id: "0190a6c4-7b5e-7000-8000-000000000001",
  mint: EXAMPLE_MINT,
  size_sol: 5,
  alerts_enabled: true,
  created_at: "2026-11-21T12:00:00.000Z",
  exitability: {
    state: "ok",
    score: 99.4,
    depth_sol: 329.8,
    exit_max_sol: 10,
    slippage_pct: 1.4946,
    trend: "stable",
    alerta_deterioro: false,
    confianza: CONFIDENCE_WORD.high,
    calidad_dato: QUALITY_WORD.sufficient,
    updated_at: "2026-11-21T12:00:00.000Z",
    token_name: "Three Pools",
    token_symbol: "THREE",
  },
};

export const listWatchlist = defineOperation({
  method: "get",
  path: "/api/oracle/watchlist",
  id: "listWatchlist",
  tag: "watchlist",
  summary: "The entries, oldest first, each measured at its own size",
  access: "session",
  responses: { 200: listResponse(WatchlistItem, EXAMPLE_ITEM) },
  errors: ["unauthorized"],
  async handler({ caller: { userId } }, { watchlist }) {
    const entries = await watchlist.list(userId);
    return { body: { items: entries.map(watchlistItem) } };
  },
});

const UNKNOWN = {
  state: null,
  score: null,
  depth_sol: null,
  exit_max_sol: null,
  slippage_pct: null,
  trend: null,
  alerta_deterioro: null,
  confianza: null,
  calidad_dato: null,
  updated_at: null,
  token_name: null,
  token_symbol: null,
} as const;

/** An item of the watchlist (contract.md section 5). */
function watchlistItem(shown: WatchedExit) {
  const { entry } = shown;
  return {
    id: Number(entry.id),
    user_id: entry.userId,
    mint: entry.mint,
    size_sol: lamportsToSol(entry.sizeLamports),
    alerts_enabled: entry.areAlertsEnabled,
    created_at: timestamp(entry.createdAtMs),
    exitability: entryExitability(shown),
  };
}

/**
 * At the entry's own size. While the sale can't be asked for, as without a tracker, or is of a market that is
 * blocked or of another family since, the ladder still has the standard sizes. Null: it can't be sold whole;
 * undefined: not known.
 */
function ownSlippage(
  { entry, exit }: Pick<WatchedExit, "entry" | "exit">,
  ladder: Ladder,
): number | null | undefined {
  if (exit?.kind === "sold") return exit.slippagePct;
  const isUnknown =
    exit === null || exit.reason === "blocked" || exit.reason === "size-not-allowed";
  if (!isUnknown) return null;
  const size = STANDARD_SIZES.find((each) => STANDARD_SIZE_LAMPORTS[each] === entry.sizeLamports);
  return size && slippageAtSize(ladder, size);
}

/** Measured with profile retail, at the entry's own size; what is not known is null. */
function entryExitability({ entry, snapshot, exit }: WatchedExit) {
  if (snapshot === null || snapshot.kind === "unavailable") return UNKNOWN;
  if (snapshot.kind === "not-found") return { ...UNKNOWN, state: "not_found" as const };
  const { assessment, name, symbol } = snapshot;
  const { measurement } = assessment;
  // The standard size is not used: the slippage is at the entry's own size.
  const size = { requested: lamportsToSol(entry.sizeLamports), used: "1" } as const;
  const body = exitabilityBody({ ...snapshot, profile: "retail", size, language: "en" });
  const slippage =
    body.state === STATE_WORD.ok && measurement !== null
      ? ownSlippage({ entry, exit }, measurement.retail)
      : null;
  return {
    state: slippage === undefined ? null : body.state,
    score: body.score,
    depth_sol: body.depth_sol,
    exit_max_sol: body.exit_max_sol,
    slippage_pct: slippage ?? null,
    trend: body.trend,
    alerta_deterioro: body.alerta_deterioro,
    confianza: body.confianza,
    calidad_dato: body.calidad_dato,
    updated_at: body.updated_at,
    token_name: name,
    token_symbol: symbol,
  };
}
