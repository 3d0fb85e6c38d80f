import assert from "node:assert/strict";
import { test } from "node:test";
import { revokeApiKey, userOfApiKey } from "#src/store/api-keys.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { eachDatabasePlace, sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { mailedCode } from "#test/support/processes/mailed-code.ts";
import { runCommand, startTestService } from "#test/support/processes/service.ts";

const MINT = "HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump";
const EMAIL = "ana@example.com";

async function post(url: string, body: object | null, headers: Record<string, string> = {}) {
  const json = { "content-type": "application/json" };
  return fetch(url, {
    method: "POST",
    headers: body === null ? headers : { ...json, ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
}

test("register, mail, sign-in, key, query, and a revocation from another process within a second", async (t) => {
  await eachDatabasePlace(t, async (t, place) => {
    const service = await startTestService(t, place);
    const { url } = service;
    const registered = await post(`${url}/api/oracle/register`, { email: EMAIL });
    assert.equal(registered.status, 200);
    const code = await mailedCode(service.dataDir, EMAIL);
    const signedIn = await post(`${url}/api/auth/sign-in`, { email: EMAIL, code });
    const { access_token } = (await signedIn.json()) as { access_token: string };
    const bearer = { authorization: `Bearer ${access_token}` };
    const made = await post(`${url}/api/account/keys`, null, bearer);
    const { id, key } = (await made.json()) as { id: string; key: string };
    const ask = async () => {
      const path = `${url}/api/token/${MINT}/exitability`;
      const response = await fetch(path, { headers: { "x-api-key": key } });
      await response.arrayBuffer();
      return response.status;
    };
    assert.equal(await ask(), 404);

    const raised = runCommand(place, ["admin", "user", "tier", EMAIL, "pro", "--json"]);
    assert.equal(raised.code, 0, raised.err);
    const database = openDatabase({ ...place, access: "visitor" });
    closeAfter(t, () => database.close());
    const userId = await userOfApiKey(database.db, id);
    assert.ok(userId);
    await revokeApiKey(database.db, { userId, keyId: id }, Date.now());
    const revokedAtMs = performance.now();
    let lastAcceptedMs = 0;
    await eventually("the key stops working", async () => {
      const sentAfterMs = performance.now() - revokedAtMs;
      const status = await ask();
      if (status === 404) lastAcceptedMs = sentAfterMs;
      return status === 401 || null;
    });
    t.diagnostic(`last accepted when sent ${lastAcceptedMs.toFixed(0)} ms after the revocation`);
    assert.ok(lastAcceptedMs < 1_000, `${lastAcceptedMs} ms`);

    const log = service.lines.join("\n");
    assert.ok(!log.includes(EMAIL), "no e-mail address in the log");
    assert.ok(!log.includes(key) && !log.includes(code), "no secret in the log");
    assert.match(log, /\.eml/, "the path of the mail is in the log");
    assert.equal(await service.stop(), 0);
  });
});

test("a second service on one directory is refused, and names the first", async (t) => {
  const place = sqlitePlace(t);
  const first = await startTestService(t, place);
  await assert.rejects(startTestService(t, place), /is in use by process \d+/);
  await first.stop();
});
