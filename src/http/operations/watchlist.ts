import Type, { type TSchema } from "typebox";
import { itemsOf } from "#src/wire/schema/account.ts";
import { WatchlistAddition, WatchlistChange, WatchlistItem } from "#src/wire/schema/watchlist.ts";
import { EXAMPLE_MINT, type Operation } from "./operation.ts";

const mine = { tag: "watchlist", access: "session", path: "/api/oracle/watchlist" } as const;
const WRITE_ERRORS = [
  "unauthorized",
  "forbidden_origin",
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
] as const;

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
    confianza: "alta",
    calidad_dato: "suficiente",
    updated_at: "2026-11-21T12:00:00.000Z",
    token_name: "Three Pools",
    token_symbol: "THREE",
  },
};

/** The tokens that a user watches. API keys are not accepted here. */
export const WATCHLIST: readonly Operation[] = [
  {
    ...mine,
    method: "get",
    id: "listWatchlist",
    summary: "The entries, oldest first, each measured at its own size",
    successes: {
      200: {
        description: "All of them",
        schema: itemsOf(WatchlistItem),
        example: { items: [EXAMPLE_ITEM] },
      },
    },
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "post",
    id: "addToWatchlist",
    summary: "Watch a token",
    body: { schema: WatchlistAddition, example: { mint: EXAMPLE_MINT, size_sol: 5 } },
    successes: done(201, "added", { id: Type.Integer() }, { id: 1 }),
    errors: [...WRITE_ERRORS, "invalid_mint", "invalid_size", "limit_reached", "duplicate"],
  },
  {
    ...mine,
    method: "patch",
    id: "changeWatchlist",
    summary: "Change an entry's size, or whether it alerts",
    body: { schema: WatchlistChange, example: { id: 1, size_sol: 2 } },
    successes: done(200, "updated"),
    errors: [...WRITE_ERRORS, "invalid_size", "no_changes", "not_found"],
  },
  {
    ...mine,
    method: "delete",
    id: "removeFromWatchlist",
    summary: "Watch a token no longer",
    parameters: [
      {
        in: "query",
        name: "id",
        description: "The entry's number",
        schema: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        isRequired: true,
        example: 1,
      },
    ],
    successes: done(200, "deleted"),
    errors: [...WRITE_ERRORS, "not_found"],
  },
];

function done(
  code: 200 | 201,
  status: string,
  more: Record<string, TSchema> = {},
  example: object = {},
) {
  const schema = Type.Object({ status: Type.Literal(status), ...more });
  return { [code]: { description: "Done", schema, example: { status, ...example } } };
}
