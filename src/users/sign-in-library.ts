import { randomUUID } from "node:crypto";
import { kyselyAdapter } from "@better-auth/kysely-adapter";
import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { betterAuth } from "better-auth/minimal";
import { bearer } from "better-auth/plugins/bearer";
import type { Kysely, KyselyPlugin, RootOperationNode, UnknownRow } from "kysely";
import { z } from "zod";
import type { Schema, Store } from "#src/store/schema.ts";
import { secretFor } from "./auth-secret.ts";
import { sessionCookie } from "./own-cookie.ts";

export const SESSION_VALID_SECONDS = 30 * 86_400;

export type SignInLibrary = ReturnType<typeof createSignInLibrary>;

/**
 * The sign-in library on our database: it creates and checks sessions. Its HTTP endpoints are not
 * served. A stolen database contains no usable credential: session tokens are valid only with a
 * signature.
 */
export function createSignInLibrary(deps: {
  readonly store: Store;
  readonly authSecret: string;
  readonly publicUrl: string;
}) {
  const { store, authSecret, publicUrl } = deps;
  const isSecure = publicUrl.startsWith("https:");
  return betterAuth({
    appName: "Exitability",
    secret: secretFor("sessions", authSecret),
    baseURL: publicUrl,
    database: kyselyAdapter(handleFor(store), { type: store.dialect }),
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false }, // Our limits count across processes.
    advanced: {
      // The prefix makes browsers refuse the cookie from any other host, and without TLS. The library
      // would add the weaker __Secure-.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure },
      cookies: { session_token: { name: sessionCookie(publicUrl).name } },
      database: { generateId: () => randomUUID(), validateSchema: false },
    },
    user: {
      modelName: "users",
      fields: {
        emailVerified: "email_verified",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    session: {
      modelName: "sessions",
      expiresIn: SESSION_VALID_SECONDS,
      disableSessionRefresh: true,
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        createdAt: "created_at",
        updatedAt: "updated_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
      },
    },
    account: {
      modelName: "library_accounts",
      fields: {
        userId: "user_id",
        accountId: "account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    plugins: [sessionsOfUsers, bearer({ requireSignature: true })],
  });
}

/** Begins a session of a user whose code was right; called in this process only. */
const sessionsOfUsers = {
  id: "sessions-of-users",
  endpoints: {
    beginSession: createAuthEndpoint(
      "/begin-session",
      { method: "POST", body: z.object({ userId: z.string() }) },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.userId);
        if (user === null) return context.json(null);
        const session = await internalAdapter.createSession(user.id);
        await setSessionCookie(context, { session, user });
        return context.json({ sessionId: session.id });
      },
    ),
  },
} satisfies BetterAuthPlugin;

/** The library compares numbers; SQLite returns ours as bigint. */
function handleFor({ db, dialect }: Store): Kysely<Schema> {
  return dialect === "sqlite" ? db.withPlugin(bigintsAsNumbers) : db;
}

const bigintsAsNumbers: KyselyPlugin = {
  transformQuery: ({ node }): RootOperationNode => node,
  transformResult: async ({ result }) => ({ ...result, rows: result.rows.map(withNumbers) }),
};

function withNumbers(row: UnknownRow): UnknownRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  );
}
