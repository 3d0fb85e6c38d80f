import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { UserCaller } from "#src/users/caller.ts";
import { tierLimits } from "#src/users/tiers.ts";
import type { Users } from "#src/users/users.ts";
import { accountBody, exportBody, sessionBody } from "#src/wire/account.ts";
import type { Callers } from "../plugins/callers.ts";
import { sessionRequired } from "../plugins/session.ts";

export type AccountDeps = {
  readonly users: Users;
  readonly callers: Callers;
  readonly nowMs: NowMs;
};

/** What a user may see, take along and delete of what is kept about them: /api/account. */
export function accountRoutes(app: FastifyInstance, deps: AccountDeps): void {
  const { users, callers, nowMs } = deps;
  const onRequest = sessionRequired(callers);

  app.get("/api/account/me", { onRequest }, async (request, reply) => {
    const caller = await callers.signedIn(request);
    const user = (await users.accounts.find(caller.userId)) ?? gone();
    const standing = await users.quotas.peek(caller, nowMs());
    const limits = tierLimits(caller.tier);
    return reply.header("cache-control", "no-store").send(accountBody({ user, limits, standing }));
  });

  app.get("/api/account/export", { onRequest }, async (request, reply) => {
    const caller = await callers.signedIn(request);
    const data = (await users.accounts.read(caller.userId)) ?? gone();
    return reply
      .header("cache-control", "no-store")
      .header("content-disposition", 'attachment; filename="exitability-account.json"')
      .send(exportBody(data, nowMs()));
  });

  app.delete("/api/account", { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    await users.accounts.remove(userId);
    return reply.header("set-cookie", users.signIn.forgetCookie).send({ status: "deleted" });
  });

  sessionRoutes(app, deps);
}

function sessionRoutes(app: FastifyInstance, { users, callers }: AccountDeps): void {
  const onRequest = sessionRequired(callers);
  app.get("/api/account/sessions", { onRequest }, async (request, reply) => {
    const caller = await callers.signedIn(request);
    const items = await users.accounts.sessions(caller.userId);
    return reply
      .header("cache-control", "no-store")
      .send({ items: items.map((session) => sessionBody(session, sessionIdOf(caller))) });
  });

  app.delete("/api/account/sessions", { onRequest }, async (request, reply) => {
    const caller = await callers.signedIn(request);
    const ended = await users.signIn.endOtherSessions(caller.userId, sessionIdOf(caller));
    return reply.send({ status: "ended", ended });
  });

  app.delete<{ Params: { readonly id: string } }>(
    "/api/account/sessions/:id",
    { onRequest },
    async (request, reply) => {
      const { userId } = await callers.signedIn(request);
      if (!(await users.signIn.endSession(userId, request.params.id)))
        throw new AppError("not_found", { publicMessage: "No such session." });
      return reply.send({ status: "ended" });
    },
  );
}

function sessionIdOf({ via }: UserCaller): string | null {
  return via.kind === "cookie" || via.kind === "bearer" ? via.sessionId : null;
}

/** The account was deleted while the request was under way. */
function gone(): never {
  throw new AppError("unauthorized", { publicMessage: "This account is no longer there." });
}
