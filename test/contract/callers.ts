import assert from "node:assert/strict";
import { openDatabase } from "#src/store/connection/database.ts";
import { findUserByEmail, setUserTier } from "#src/store/users.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { demoMint } from "#test/support/processes/dashboard.ts";
import { mailedCode } from "#test/support/processes/mailed-code.ts";
import { exchange } from "./exchange.ts";
import type { ProxiedService } from "./proxied-service.ts";
import { type CallerName, type ContractRequest, OWN_ID } from "./requests.ts";

/** Accounts for operations apart; what ends a session or an account uses one up each time. */
const SPARE_ACCOUNTS = 64;
const ENDS_AN_ACCOUNT = ["signOut", "deleteAccount", "endSession"];
/** Operations with an account of their own, by its name: what they do would disturb the others. */
const APART: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ENDS_AN_ACCOUNT.map((id) => [id, id])),
  createKey: "keys",
  rotateKey: "keys",
  revokeKey: "keys",
  addChannel: "additions",
  switchChannel: "switched",
  removeChannel: "removed",
  verifyChannel: "verified",
  testChannel: "tested",
};
/** Some sixty sign-ins on a busy machine. */
const PATIENCE_MS = 60_000;

type Account = {
  readonly email: string;
  readonly cookie: string;
  readonly accessToken: string;
  readonly apiKey: string | null;
};

/** The callers: anonymous ones with an address each, one whose daily limit is used up, and users. */
export type Callers = {
  /** The request as this caller sends it: with an address, credentials, and ids of things of theirs. */
  readonly dress: (request: ContractRequest, operationId: string) => Promise<ContractRequest>;
  /** Must be called with each answer: a spare user that was deleted is not used again. */
  readonly told: (operationId: string, statusCode: number) => void;
};

export async function openCallers(proxied: ProxiedService): Promise<Callers> {
  const { service, place } = proxied;
  const emails = [
    "member",
    ...Array.from({ length: SPARE_ACCOUNTS }, (_, index) => `spare${index}`),
  ];
  const accounts = await signIn(
    proxied,
    emails.map((name) => `${name}@example.com`),
  );
  const [member, last, ...spares] = accounts;
  assert.ok(member && last);
  await raiseToPro(place, member.email);
  const apiKey = await makeKey(service.url, member);
  let addresses = 0;
  const nextAddress = () => `203.0.${113 + (++addresses >> 8)}.${addresses & 255}`;
  const apart = new Map<string, Account>();
  const accountFor = (operationId: string): Account => {
    const name = APART[operationId];
    if (name === undefined) return { ...member, apiKey };
    const account = apart.get(name) ?? spares.shift() ?? last;
    apart.set(name, account);
    return account;
  };
  return {
    async dress(request, operationId) {
      const account = accountFor(operationId);
      const address = request.caller === "spent" ? "192.0.2.1" : nextAddress();
      const headers = {
        "x-forwarded-for": address,
        ...credentialsOf(request.caller, account, service.url),
        ...request.headers,
      };
      return await withOwnIds({ ...request, headers }, service.url, account);
    },
    told(operationId, statusCode) {
      if (ENDS_AN_ACCOUNT.includes(operationId) && statusCode === 200) apart.delete(operationId);
    },
  };
}

function credentialsOf(
  caller: CallerName,
  { cookie, accessToken, apiKey }: Account,
  url: string,
): Record<string, string> {
  switch (caller) {
    case "anonymous":
    case "spent":
      return {};
    case "key":
      return apiKey === null ? {} : { "x-api-key": apiKey };
    case "bearer":
      return { authorization: `Bearer ${accessToken}` };
    case "cookie":
      return { cookie, origin: url, "sec-fetch-site": "same-origin" };
    default: {
      const unreachable: never = caller;
      return unreachable;
    }
  }
}

/** Puts the id of the newest thing in the list that the path belongs to where one is meant; where there
 * is none, one is made. */
async function withOwnIds(
  request: ContractRequest,
  url: string,
  { accessToken }: Account,
): Promise<ContractRequest> {
  const { target, body } = request;
  if (!target.includes(OWN_ID) && body?.includes(OWN_ID) !== true) return request;
  const list = target.split("?")[0]?.split(`/${OWN_ID}`)[0] ?? "";
  const authorization = `Bearer ${accessToken}`;
  const look = { method: "GET", target: list, headers: { authorization }, body: null };
  const { body: text } = await exchange(url, look);
  const { items = [] } = JSON.parse(text) as { items?: readonly { id: string | number }[] };
  const id = items.at(-1)?.id ?? (await makeOne(url, list, authorization)) ?? "1";
  return {
    ...request,
    target: target.replaceAll(OWN_ID, () => encodeURIComponent(id)),
    body: body === null ? null : body.replaceAll(`"${OWN_ID}"`, () => JSON.stringify(id)),
  };
}

const MAKES_ONE: Readonly<Record<string, object>> = {
  "/api/oracle/watchlist": { mint: demoMint("Steady") },
  "/api/account/channels": { kind: "email", target: "watcher@example.com" },
};

async function makeOne(
  url: string,
  list: string,
  authorization: string,
): Promise<string | number | null> {
  const body = MAKES_ONE[list];
  if (body === undefined) return null;
  const made = await exchange(url, {
    method: "POST",
    target: list,
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { id = null } = JSON.parse(made.body) as { id?: string | number };
  return id;
}

/** Accounts made as people make them: a code by mail, and a session for it. */
async function signIn(
  { service }: ProxiedService,
  emails: readonly string[],
): Promise<readonly Account[]> {
  const post = (path: string, body: object, place: number) =>
    exchange(service.url, {
      method: "POST",
      target: path,
      headers: { "content-type": "application/json", "x-forwarded-for": `198.51.100.${place + 1}` },
      body: JSON.stringify(body),
    });
  for (const [place, email] of emails.entries()) await post("/api/auth/code", { email }, place);
  const accounts: Account[] = [];
  for (const [place, email] of emails.entries()) {
    const code = await mailedCode(service.dataDir, email, { withinMs: PATIENCE_MS });
    const answer = await post("/api/auth/sign-in", { email, code }, place);
    assert.equal(answer.statusCode, 200, answer.body);
    const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
    const { access_token: accessToken } = JSON.parse(answer.body) as { access_token: string };
    accounts.push({ email, cookie, accessToken, apiKey: null });
  }
  return accounts;
}

async function raiseToPro(place: ProxiedService["place"], text: string): Promise<void> {
  const database = openDatabase({ ...place, access: "visitor" });
  const email = parseEmailAddress(text);
  assert.ok(email);
  const user = await findUserByEmail(database.db, email);
  assert.ok(user);
  await setUserTier(database.db, { userId: user.id, tier: "pro" }, Date.now());
  await database.close();
}

async function makeKey(url: string, { accessToken }: Account): Promise<string> {
  const { body } = await exchange(url, {
    method: "POST",
    target: "/api/account/keys",
    headers: { authorization: `Bearer ${accessToken}` },
    body: null,
  });
  const { key } = JSON.parse(body) as { key?: string };
  assert.ok(key, body);
  return key;
}
