import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabasePlace } from "./databases.ts";
import { awaitCommand, type RunningService } from "./service.ts";

const PATIENCE_MS = 10_000;

export type Subscriber = { readonly apiKey: string; readonly accessToken: string };

/** An account on the highest tier of a running service, made as a person makes one. */
export async function subscribe(
  { url, dataDir }: RunningService,
  place: DatabasePlace,
  email: string,
): Promise<Subscriber> {
  await post(`${url}/api/oracle/register`, { email });
  const code = await mailedCode(join(dataDir, "mail"), email);
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

async function mailedCode(directory: string, email: string): Promise<string> {
  const untilMs = Date.now() + PATIENCE_MS;
  while (Date.now() < untilMs) {
    for (const name of readdirSync(directory)) {
      const mail = name.endsWith(".eml") ? readFileSync(join(directory, name), "utf8") : "";
      const code = mail.includes(email) ? /code is (\d{6})/.exec(mail)?.[1] : undefined;
      if (code !== undefined) return code;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no mail came to ${email}`);
}
