import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { Admission } from "#src/api/admission.ts";
import type { HttpDeps } from "#src/api/app.ts";
import type { Store } from "#src/store/schema.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { createWatchlist } from "#src/watchlist/watchlist.ts";
import { eachDatabase, sqliteDatabase } from "../databases/databases.ts";
import { SILENT_LOG } from "../failure-loggers.ts";
import { NO_ACCURACY, someMarkets, someSnapshot } from "../markets/assessments.ts";
import { type Alerting, createAlerting } from "../users/alerting.ts";
import { VAPID_KEY } from "../users/push-subscriber.ts";
import { TEST_PUBLIC_URL, type TestUsers, testUsers } from "../users/users.ts";
import { buildCheckedApp } from "./conformance.ts";
import { plainHttpDeps } from "./http-deps.ts";

/** What a signed-in browser sends with a write from the dashboard's own page. */
export type Browser = { readonly cookie: string; readonly origin: string };

export type TestApp = {
  readonly app: FastifyInstance;
  readonly users: TestUsers;
  readonly store: Store;
  readonly alerting: Alerting;
  readonly admission: Admission;
  readonly send: (
    method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE",
    url: string,
    options?: Omit<InjectOptions, "method" | "url">,
  ) => Promise<LightMyRequestResponse>;
  /** Signs in with a code from the mailbox. */
  readonly signIn: (email: string) => Promise<Browser & { readonly accessToken: string }>;
};

/** The whole HTTP surface on each database, with a clock to turn, a mailbox, and a token that sells. */
export async function eachApp(t: TestContext, suite: Suite, setting?: Setting): Promise<void> {
  await eachDatabase(t, (t, store) => onStore(t, store, suite, setting));
}

/** The same on the embedded database alone, for what the database has no part in. */
export async function oneApp(t: TestContext, suite: Suite, setting?: Setting): Promise<void> {
  await onStore(t, await sqliteDatabase(t), suite, setting);
}

type Suite = (app: TestApp, t: TestContext) => Promise<void>;
type Setting = {
  readonly markets?: HttpDeps["markets"];
  readonly accuracy?: HttpDeps["accuracy"];
};

async function onStore(
  t: TestContext,
  store: Store,
  suite: Suite,
  { markets = someMarkets(() => someSnapshot()), accuracy = NO_ACCURACY }: Setting = {},
): Promise<void> {
  const users = await testUsers(t, store);
  const alerting = createAlerting({
    store,
    markets: {
      ...markets,
      market: () => null,
      onReport: () => () => undefined,
      setWatched: () => undefined,
    },
    mailer: users.mailer,
    authSecret: "a secret for tests that is long enough",
    publicUrl: TEST_PUBLIC_URL,
    webhookAllow: ["127.0.0.0/8"],
    telegram: null,
    push: { privateKey: VAPID_KEY, contact: "mailto:operator@example.com" },
    clock: users.clock,
    random: () => 0.5,
    log: SILENT_LOG,
  });
  const watchlist = createWatchlist({
    store,
    markets,
    onChange: (userId) => void alerting.recorder.reload(userId),
    clock: users.clock,
  });
  const admission = new Admission();
  const app = await buildCheckedApp({
    ...plainHttpDeps(),
    accuracy,
    markets,
    users,
    ...alerting,
    watchlist,
    clock: users.clock,
    admission,
  });
  const send: TestApp["send"] = (method, url, options = {}) =>
    app.inject({ method, url, ...options });
  const signIn: TestApp["signIn"] = async (text) => {
    const email = parseEmailAddress(text);
    assert.ok(email);
    await send("POST", "/api/auth/code", { payload: { email } });
    await users.outbox.runDue();
    const payload = { email, code: users.lastCode(email) };
    const response = await send("POST", "/api/auth/sign-in", { payload });
    assert.equal(response.statusCode, 200, response.body);
    const cookie = String(response.headers["set-cookie"]).split(";")[0] ?? "";
    return { cookie, origin: TEST_PUBLIC_URL, accessToken: response.json().access_token };
  };
  try {
    await suite({ app, users, store, alerting, admission, send, signIn }, t);
  } finally {
    await app.close();
    await alerting.close();
  }
}

/** The error's code and status; fails where the body is not the contract's. */
export function refusal(response: { readonly statusCode: number; readonly body: string }) {
  const body = JSON.parse(response.body);
  assert.equal(typeof body.message, "string", response.body);
  assert.ok(body.message.length > 0);
  return [response.statusCode, body.error];
}

/** Bodies other than a JSON object, with the status and code each has to get. */
export const NO_OBJECTS: readonly (readonly [string, string, readonly [number, string]])[] = [
  ["not JSON", "{", [400, "invalid_body"]],
  ["nothing", "", [400, "invalid_body"]],
  ["an array", "[]", [400, "invalid_body"]],
  ["a text", '"text"', [400, "invalid_body"]],
  ["null", "null", [400, "invalid_body"]],
  ["a number", "7", [400, "invalid_body"]],
  ["a byte too much", `{"a":"${"x".repeat(16 * 1024 - 7)}"}`, [413, "body_too_large"]],
];
