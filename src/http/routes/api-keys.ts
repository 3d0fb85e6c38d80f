import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { ApiKeys } from "#src/users/api-keys.ts";
import { apiKeyBody, issuedKeyBody } from "#src/wire/account.ts";
import type { Callers } from "../plugins/callers.ts";
import { sessionRequired } from "../plugins/session.ts";

export type ApiKeysDeps = {
  readonly apiKeys: ApiKeys;
  readonly callers: Callers;
  readonly nowMs: NowMs;
};

/** The dashboard's API page: /api/account/keys. A key's text is in the answer that makes it alone. */
export function apiKeyRoutes(app: FastifyInstance, deps: ApiKeysDeps): void {
  const { apiKeys, callers, nowMs } = deps;
  const onRequest = sessionRequired(callers);

  app.get("/api/account/keys", { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const items = await apiKeys.list(userId);
    return reply
      .header("cache-control", "no-store")
      .send({ items: items.map((key) => apiKeyBody(key, nowMs())) });
  });

  app.post("/api/account/keys", { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const issued = await apiKeys.activate(userId);
    if (issued === null)
      throw new AppError("duplicate", {
        publicMessage: "You have a key already; rotate it to get another.",
      });
    return reply.code(201).header("cache-control", "no-store").send(issuedKeyBody(issued));
  });

  app.post("/api/account/keys/rotate", { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const issued = await apiKeys.rotate(userId);
    if (issued === null) throw noSuchKey("You have no key to rotate; activate access first.");
    return reply.code(201).header("cache-control", "no-store").send(issuedKeyBody(issued));
  });

  app.delete<{ Params: { readonly id: string } }>(
    "/api/account/keys/:id",
    { onRequest },
    async (request, reply) => {
      const { userId } = await callers.signedIn(request);
      if (!(await apiKeys.revoke(userId, request.params.id))) throw noSuchKey("No such key.");
      return reply.send({ status: "revoked" });
    },
  );
}

function noSuchKey(publicMessage: string): AppError {
  return new AppError("not_found", { publicMessage });
}
