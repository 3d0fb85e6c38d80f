import Type, { type TSchema } from "typebox";
import { EMAIL_PATTERN } from "#src/users/email-address.ts";
import { EVENT_NAMES } from "#src/users/funnel.ts";
import {
  AccountBody,
  ApiKeyItem,
  ExportBody,
  IssuedKeyBody,
  itemsOf,
  SessionItem,
} from "#src/wire/schema/account.ts";
import { Timestamp } from "#src/wire/schema/value.ts";
import type { HeaderName } from "./headers.ts";
import type { Operation, Parameter, Success } from "./operation.ts";

const EMAIL = Type.String({
  format: "email",
  pattern: EMAIL_PATTERN,
  maxLength: 254,
  description: "Plain ASCII; a domain in another script in its xn-- form",
});
const NO_CONTROL_CHARACTER = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";
const EXAMPLE_EMAIL = "someone@example.com";
const NOON = "2026-11-21T12:00:00.000Z";
const USER = {
  user_id: "0190a6c4-7b5e-7000-8000-000000000001",
  email: EXAMPLE_EMAIL,
  tier: "free",
  created_at: NOON,
};
const KEY_ITEM = {
  id: "k1",
  hint: "exi_ab…9z",
  status: "active",
  created_at: NOON,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  used_today: 3,
};
const SESSION_ITEM = {
  id: "s1",
  is_current: true,
  created_at: NOON,
  expires_at: "2026-12-21T12:00:00.000Z",
  user_agent: "curl/8",
};
const ISSUED = { status: "created", id: "k1", key: "exi_…", hint: "exi_ab…9z" };

const BODY_ERRORS = ["invalid_body", "body_too_large", "unsupported_media_type"] as const;
const PUBLIC_ERRORS = [...BODY_ERRORS, "invalid_email", "rate_limit_exceeded"] as const;
const WRITE_ERRORS = ["unauthorized", "forbidden_origin"] as const;
const anyone = { method: "post", tag: "accounts", access: "anyone" } as const;
const mine = { tag: "accounts", access: "session" } as const;

/** Registration, signing in, and what a user may do with an account. */
export const ACCOUNTS: readonly Operation[] = [
  {
    ...anyone,
    path: "/api/oracle/register",
    id: "register",
    summary: "Make a free account and mail it a sign-in code",
    description: "The same answer whether or not the address was known. It never holds a key.",
    body: body({ email: EMAIL }, { email: EXAMPLE_EMAIL }),
    successes: statusOf(200, "registered", { message: Type.String() }, { message: "…" }),
    errors: PUBLIC_ERRORS,
  },
  {
    ...anyone,
    path: "/api/oracle/waitlist",
    id: "joinWaitlist",
    summary: "Hear when a tier without a daily limit opens",
    body: body(
      {
        email: EMAIL,
        origen: Type.Optional(
          Type.String({ maxLength: 64, pattern: NO_CONTROL_CHARACTER, default: "api" }),
        ),
      },
      { email: EXAMPLE_EMAIL },
    ),
    successes: statusOf(201, "waitlisted", { message: Type.String() }, { message: "…" }),
    errors: PUBLIC_ERRORS,
  },
  {
    ...anyone,
    path: "/api/oracle/event",
    id: "recordEvent",
    summary: "A step on the way from a first visit to a payment",
    body: body(
      {
        event_name: Type.Enum([...EVENT_NAMES]),
        email: Type.Optional(EMAIL),
        payload: Type.Optional(
          Type.Object({}, { additionalProperties: true, description: "At most 8 KiB" }),
        ),
        utm_source: utm(),
        utm_medium: utm(),
        utm_campaign: utm(),
      },
      { event_name: "watchlist_add", utm_source: "docs" },
    ),
    successes: statusOf(
      201,
      "recorded",
      { event_name: Type.String() },
      { event_name: "watchlist_add" },
    ),
    errors: [...PUBLIC_ERRORS, "missing_event_name", "invalid_event_name"],
  },
  {
    ...anyone,
    path: "/api/auth/code",
    id: "requestCode",
    summary: "Have a sign-in code mailed",
    body: body({ email: EMAIL }, { email: EXAMPLE_EMAIL }),
    successes: statusOf(200, "code_sent", { message: Type.String() }, { message: "…" }),
    errors: PUBLIC_ERRORS,
  },
  {
    ...anyone,
    path: "/api/auth/sign-in",
    id: "signIn",
    summary: "Sign in with the code",
    description: "Sets the dashboard's cookie too. Another site may not do it: forbidden_origin.",
    body: body({ email: EMAIL, code: Type.String() }, { email: EXAMPLE_EMAIL, code: "123456" }),
    successes: withHeader(
      "Set-Cookie",
      statusOf(
        200,
        "signed_in",
        { access_token: Type.String(), expires_at: Timestamp },
        { access_token: "…", expires_at: NOON },
      ),
    ),
    errors: [...PUBLIC_ERRORS, ...WRITE_ERRORS],
  },
  {
    ...mine,
    method: "post",
    path: "/api/auth/sign-out",
    id: "signOut",
    summary: "End this session",
    successes: withHeader("Set-Cookie", statusOf(200, "signed_out")),
    errors: [...WRITE_ERRORS, ...BODY_ERRORS],
  },
  {
    ...mine,
    method: "get",
    path: "/api/account/me",
    id: "getAccount",
    summary: "The account, its limits, and what is used of them",
    successes: {
      200: {
        description: "The account",
        schema: AccountBody,
        example: {
          ...USER,
          limits: { daily_queries: 10, watchlist_tokens: 1, fair_use_per_minute: 10 },
          usage: { policy: "day", limit: 10, used: 3, remaining: 7, resets_at: NOON },
        },
      },
    },
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "get",
    path: "/api/account/export",
    id: "exportAccount",
    summary: "Everything kept about the account",
    successes: {
      200: {
        description: "To take along",
        headers: ["Content-Disposition"],
        schema: ExportBody,
        example: {
          exported_at: NOON,
          user: USER,
          identities: [],
          sessions: [SESSION_ITEM],
          api_keys: [KEY_ITEM],
          daily_usage: [{ day: "2026-11-21", used: 3 }],
          waitlist: null,
          events: [],
          watchlist: [],
          channels: [],
          alerts: [],
        },
      },
    },
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "delete",
    path: "/api/account",
    id: "deleteAccount",
    summary: "Delete the account and everything kept about it",
    successes: withHeader("Set-Cookie", statusOf(200, "deleted")),
    errors: [...WRITE_ERRORS, ...BODY_ERRORS],
  },
  {
    ...mine,
    method: "get",
    path: "/api/account/sessions",
    id: "listSessions",
    summary: "Where the account is signed in",
    successes: list(SessionItem, SESSION_ITEM),
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "delete",
    path: "/api/account/sessions",
    id: "endOtherSessions",
    summary: "End every other session",
    successes: statusOf(200, "ended", { ended: Type.Integer() }, { ended: 2 }),
    errors: [...WRITE_ERRORS, ...BODY_ERRORS],
  },
  {
    ...mine,
    method: "delete",
    path: "/api/account/sessions/{id}",
    id: "endSession",
    summary: "End one session",
    parameters: [idParameter("The session's id")],
    successes: statusOf(200, "ended"),
    errors: [...WRITE_ERRORS, ...BODY_ERRORS, "not_found"],
  },
  {
    ...mine,
    method: "get",
    path: "/api/account/keys",
    id: "listKeys",
    summary: "The account's API keys, without their text",
    successes: list(ApiKeyItem, KEY_ITEM),
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "post",
    path: "/api/account/keys",
    id: "createKey",
    summary: "Activate access: make the first API key",
    successes: { 201: { description: "Shown this once", schema: IssuedKeyBody, example: ISSUED } },
    errors: [...WRITE_ERRORS, ...BODY_ERRORS, "duplicate"],
  },
  {
    ...mine,
    method: "post",
    path: "/api/account/keys/rotate",
    id: "rotateKey",
    summary: "Make another key; the old one works 24 hours more",
    successes: { 201: { description: "Shown this once", schema: IssuedKeyBody, example: ISSUED } },
    errors: [...WRITE_ERRORS, ...BODY_ERRORS, "not_found"],
  },
  {
    ...mine,
    method: "delete",
    path: "/api/account/keys/{id}",
    id: "revokeKey",
    summary: "Revoke a key at once",
    parameters: [idParameter("The key's id, not its text")],
    successes: statusOf(200, "revoked"),
    errors: [...WRITE_ERRORS, ...BODY_ERRORS, "not_found"],
  },
];

function body(properties: Record<string, TSchema>, example: unknown) {
  return { schema: Type.Object(properties), example };
}

function statusOf(
  code: 200 | 201,
  status: string,
  more: Record<string, TSchema> = {},
  example: object = {},
) {
  const schema = Type.Object({ status: Type.Literal(status), ...more });
  return { [code]: { description: "Done", schema, example: { status, ...example } } };
}

function withHeader(header: HeaderName, successes: Record<number, Success>) {
  return Object.fromEntries(
    Object.entries(successes).map(([status, success]) => [
      status,
      { ...success, headers: [header] },
    ]),
  );
}

function list(item: TSchema, example: unknown) {
  return {
    200: { description: "All of them", schema: itemsOf(item), example: { items: [example] } },
  };
}

function idParameter(description: string): Parameter {
  return {
    in: "path",
    name: "id",
    description,
    schema: Type.String({ minLength: 1 }),
    isRequired: true,
  };
}

function utm() {
  return Type.Optional(Type.String({ maxLength: 256, pattern: NO_CONTROL_CHARACTER }));
}
