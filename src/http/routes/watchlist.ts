import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import type { Watchlist } from "#src/watchlist/watchlist.ts";
import { DEFAULT_SIZE_LAMPORTS, sizeLamportsOf, watchlistItem } from "#src/wire/watchlist.ts";
import type { Callers } from "../plugins/callers.ts";
import { bodyObject, invalid, type JsonObject } from "../plugins/json-body.ts";
import { sessionRequired } from "../plugins/session.ts";

const PATH = "/api/oracle/watchlist";
const ID_TEXT = /^\d{1,16}$/;

export type WatchlistRouteDeps = { readonly watchlist: Watchlist; readonly callers: Callers };

/** A user's watchlist (contract.md section 5). */
export function watchlistRoutes(app: FastifyInstance, deps: WatchlistRouteDeps): void {
  const { watchlist, callers } = deps;
  const onRequest = sessionRequired(callers);

  app.get(PATH, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const entries = await watchlist.list(userId);
    return reply.header("cache-control", "no-store").send({ items: entries.map(watchlistItem) });
  });

  app.post(PATH, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const body = bodyObject(request);
    const mint = mintIn(body);
    const sizeLamports = sizeIn(body) ?? DEFAULT_SIZE_LAMPORTS;
    const added = await watchlist.add({ userId, mint, sizeLamports });
    switch (added.kind) {
      case "added":
        return reply.code(201).send({ status: "added", id: Number(added.id) });
      case "duplicate":
        throw new AppError("duplicate", { publicMessage: "You watch this token already." });
      case "limit-reached":
        throw limitReached(added.limit);
      case "no-user":
        throw new AppError("unauthorized", { publicMessage: "This account is no longer there." });
      default:
        return assertNever(added);
    }
  });

  app.patch(PATH, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const body = bodyObject(request);
    const id = idIn(body);
    const sizeLamports = sizeIn(body);
    const areAlertsEnabled = alertsEnabledIn(body);
    if (sizeLamports === null && areAlertsEnabled === null)
      throw invalid("no_changes", "Name size_sol, alerts_enabled or both: nothing would change.");
    if (!(await watchlist.change(userId, id, { sizeLamports, areAlertsEnabled }))) throw noEntry();
    return reply.send({ status: "updated" });
  });

  app.delete<{ Querystring: { readonly id?: unknown } }>(
    PATH,
    { onRequest },
    async (request, reply) => {
      const { userId } = await callers.signedIn(request);
      const { id } = request.query;
      const entryId = idIn({ id: typeof id === "string" && ID_TEXT.test(id) ? Number(id) : null });
      if (!(await watchlist.remove(userId, entryId))) throw noEntry();
      return reply.send({ status: "deleted" });
    },
  );
}

function mintIn({ mint }: JsonObject): Address {
  const parsed = typeof mint === "string" ? parseAddress(mint) : null;
  if (parsed !== null) return parsed;
  throw invalid("invalid_mint", "mint has to be a Solana address: 32 bytes in base58.");
}

/** Null where the body names none. */
function sizeIn(body: JsonObject): bigint | null {
  if (!Object.hasOwn(body, "size_sol")) return null;
  const size = sizeLamportsOf(body["size_sol"]);
  if (size !== null) return size;
  throw invalid("invalid_size", "size_sol has to be a number of SOL from 0.01 to 1000.");
}

function idIn({ id }: JsonObject): bigint {
  if (typeof id === "number" && Number.isSafeInteger(id)) return BigInt(id);
  throw invalid("invalid_body", "id has to be the number of an entry.");
}

function alertsEnabledIn(body: JsonObject): boolean | null {
  if (!Object.hasOwn(body, "alerts_enabled")) return null;
  const { alerts_enabled: value } = body;
  if (typeof value === "boolean") return value;
  throw invalid("invalid_body", "alerts_enabled has to be true or false.");
}

/** Of an entry that another user has, too. */
function noEntry(): AppError {
  return new AppError("not_found", { publicMessage: "Your watchlist has no such entry." });
}

function limitReached(limit: number): AppError {
  const tokens = limit === 1 ? "1 token" : `${limit} tokens`;
  return new AppError("limit_reached", {
    publicMessage: `Your tier watches ${tokens} at most; remove an entry or change your tier.`,
  });
}
