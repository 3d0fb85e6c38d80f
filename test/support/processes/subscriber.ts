import assert from "node:assert/strict";
import type { DatabasePlace } from "../databases/databases.ts";
import { mailedCode } from "./mailed-code.ts";
import { awaitCommand, type RunningService } from "./service.ts";

export type Subscriber = { readonly apiKey: string; readonly accessToken: string };

/** An account on the highest tier of a running service, made as a person makes one. */
export async function subscribe(
  { url, dataDir }: RunningService,
  place: DatabasePlace,
  email: string,
): Promise<Subscriber> {
  await post(`${url}/api/oracle/register`, { email });
  const code = await mailedCode(dataDir, email);
  const { access_token: accessToken } = await post(`${url}/api/auth/sign-in`, { email, code });
  const { key: apiKey } = await post(`${url}/api/account/keys`, {}, String(accessToken));
  const raised = await awaitCommand(place, ["admin", "user", "tier", email, "pro"]);
  assert.equal(raised.code, 0, raised.err);
  return { apiKey: String(apiKey), accessToken: String(accessToken) };
}

async function post(url: string, body: object, accessToken?: string) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${url}: ${response.status}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
