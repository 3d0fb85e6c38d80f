import { createHmac, randomUUID } from "node:crypto";
import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { betterAuth } from "better-auth/minimal";
import { bearer } from "better-auth/plugins/bearer";
import { emailOTP } from "better-auth/plugins/email-otp";
import type { Kysely, KyselyPlugin, RootOperationNode, UnknownRow } from "kysely";
import type { Schema, Store } from "#src/store/schema.ts";
import { secretFor } from "./auth-secret.ts";

export const CODE_DIGITS = 6;
export const CODE_VALID_SECONDS = 600;
const WRONG_GUESSES_ALLOWED = 5;
export const SESSION_VALID_SECONDS = 30 * 86_400;

export type SignInLibrary = ReturnType<typeof createSignInLibrary>;

/**
 * The sign-in library on our database: it creates and checks codes and sessions. Its HTTP endpoints
 * are not served. A stolen database contains no usable credential: codes are stored as an HMAC under
 * our secret, and session tokens are valid only with a signature.
 */
export function createSignInLibrary(deps: {
  readonly store: Store;
  readonly authSecret: string;
  readonly publicUrl: string;
}) {
  const { store, authSecret, publicUrl } = deps;
  const codeSecret = secretFor("sign-in-codes", authSecret);
  return betterAuth({
    appName: "Exitability",
    secret: secretFor("sessions", authSecret),
    baseURL: publicUrl,
    database: kyselyAdapter(handleFor(store), { type: store.dialect }),
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false }, // Our limits count across processes.
    advanced: {
      cookiePrefix: "exitability",
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
    verification: {
      modelName: "sign_in_codes",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    plugins: [
      emailOTP({
        otpLength: CODE_DIGITS,
        expiresIn: CODE_VALID_SECONDS,
        allowedAttempts: WRONG_GUESSES_ALLOWED,
        disableSignUp: true, // The sign-in outbox creates users.
        storeOTP: {
          hash: async (code) => createHmac("sha256", codeSecret).update(code).digest("base64url"),
        },
        sendVerificationOTP: async () => {
          throw new Error("codes are sent from the outbox");
        },
      }),
      bearer({ requireSignature: true }),
    ],
  });
}

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
