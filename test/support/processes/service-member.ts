import assert from "node:assert/strict";
import { mailedCode } from "./mailed-code.ts";
import type { RunningService } from "./service.ts";

/** A user who signed up at a running service, with session and keys. */
export type Member = { readonly accessToken: string; readonly apiKey: string };

const MINT = "HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump";

/** Registers by mail, signs in, makes a key, watches a token, and asks once with the key. */
export async function signUp(service: RunningService, email: string): Promise<Member> {
  const { url } = service;
  await post(`${url}/api/oracle/register`, { email });
  const code = await mailedCode(service.dataDir, email);
  const { access_token } = await post(`${url}/api/auth/sign-in`, { email, code });
  const accessToken = String(access_token);
  const headers = { authorization: `Bearer ${accessToken}` };
  const { key } = await post(`${url}/api/account/keys`, null, headers);
  await post(`${url}/api/oracle/watchlist`, { mint: MINT }, headers);
  const member = { accessToken, apiKey: String(key) };
  await callsLeft(url, member);
  return member;
}

/** Asks for a token without pools, which counts. @returns how many calls the answer says are left */
export async function callsLeft(url: string, { apiKey }: Member): Promise<number> {
  const response = await fetch(`${url}/api/token/${MINT}/exitability`, {
    headers: { "x-api-key": apiKey },
  });
  assert.equal(response.status, 404, await response.text());
  return Number(response.headers.get("x-ratelimit-remaining"));
}

/** Everything the service keeps about a member, but the moment of the export. */
export async function exported(url: string, { accessToken }: Member): Promise<unknown> {
  const response = await fetch(`${url}/api/account/export`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  assert.equal(response.status, 200);
  const { exported_at: _moment, ...rest } = (await response.json()) as Record<string, unknown>;
  return rest;
}

async function post(url: string, body: object | null, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: body === null ? headers : { "content-type": "application/json", ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${url}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
