import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type TestContext, test } from "node:test";
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { createUserForEmail } from "#src/store/users.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { testUsers } from "#test/support/users/users.ts";
import { createForeignTokens } from "./foreign-tokens.ts";

const ISSUER = "https://id.example";
const AUDIENCE = "exitability";
const NOW = 1_800_000_000_000;

async function provider(t: TestContext) {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" };
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfter(t, () => server.close());
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  return { publicKey, privateKey, jwksUrl };
}

const claims = { iss: ISSUER, aud: AUDIENCE, sub: "user-1", exp: NOW / 1000 + 600 };

function signed(
  privateKey: CryptoKey,
  change: object = {},
  header: { readonly kid?: string; readonly typ?: string } = {},
): Promise<string> {
  return new SignJWT({ ...claims, ...change })
    .setProtectedHeader({ alg: "ES256", kid: "one", ...header })
    .sign(privateKey);
}

test("a valid token is the identity (iss, sub), and an invalid one has none", async (t) => {
  const { publicKey, privateKey, jwksUrl } = await provider(t);
  const tokens = createForeignTokens({ issuer: ISSUER, audience: AUDIENCE, jwksUrl });
  assert.deepEqual(await tokens.verify(await signed(privateKey), NOW), {
    issuer: ISSUER,
    subject: "user-1",
    expiresAtMs: NOW + 600_000,
    sinceMs: null,
  });
  const dated = await tokens.verify(await signed(privateKey, { iat: NOW / 1000 - 5 }), NOW);
  assert.equal(dated?.sinceMs, NOW - 5_000);
  const stranger = await generateKeyPair("ES256");
  const spki = new TextEncoder().encode(await exportSPKI(publicKey));
  const refused = {
    "another audience": await signed(privateKey, { aud: "else" }),
    "another issuer": await signed(privateKey, { iss: "https://evil.example" }),
    expired: await signed(privateKey, { exp: NOW / 1000 - 60 }),
    "no expiry": await signed(privateKey, { exp: undefined }),
    "no subject": await signed(privateKey, { sub: undefined }),
    "an empty subject": await signed(privateKey, { sub: "" }),
    "a number for a subject": await signed(privateKey, { sub: 7 as unknown as string }),
    "not valid yet": await signed(privateKey, { nbf: NOW / 1000 + 60 }),
    "a foreign key": await signed(stranger.privateKey),
    "an unknown key": await signed(privateKey, {}, { kid: "two" }),
    unsigned: new UnsecuredJWT(claims).encode(),
    "the public key as a secret": await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .sign(spki),
    garbage: "a.b.c",
    "absurdly long": `${"a".repeat(10_000)}.b.c`,
  };
  for (const [what, token] of Object.entries(refused))
    assert.equal(await tokens.verify(token, NOW), null, what);
});

test("M5: a token for something else than access has no identity", async (t) => {
  const { privateKey, jwksUrl } = await provider(t);
  const tokens = createForeignTokens({ issuer: ISSUER, audience: AUDIENCE, jwksUrl });
  for (const typ of ["JWT", "at+jwt"])
    assert.notEqual(await tokens.verify(await signed(privateKey, {}, { typ }), NOW), null, typ);
  for (const typ of ["logout+jwt", "dpop+jwt", "id+jwt"])
    assert.equal(await tokens.verify(await signed(privateKey, {}, { typ }), NOW), null, typ);
  for (const idToken of [{ nonce: "n" }, { at_hash: "h" }, { typ: "ID" }]) {
    const token = await signed(privateKey, idToken);
    assert.equal(await tokens.verify(token, NOW), null, JSON.stringify(idToken));
  }
});

test("M5: keys without an end, and a provider that fails, are answered 503, and little of them is read", async (t) => {
  const { privateKey } = await provider(t);
  let sent = 0;
  const endless = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    const chunks = function* () {
      for (; ; sent += 65_536) yield " ".repeat(65_536);
    };
    pipeline(Readable.from(chunks()), response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  closeAfter(t, () => endless.close());
  const { port } = endless.address() as AddressInfo;
  for (const jwksUrl of [`http://127.0.0.1:${port}/jwks`, "http://127.0.0.1:9/jwks"]) {
    const tokens = createForeignTokens({ issuer: ISSUER, audience: AUDIENCE, jwksUrl });
    await assert.rejects(tokens.verify(await signed(privateKey), NOW), { code: "overloaded" });
  }
  assert.ok(sent < 64 * 1_024 * 1_024, `${sent} bytes were sent`);
});

test("an unreachable provider is an error, not an invalid token", async (t) => {
  const { privateKey } = await provider(t);
  const tokens = createForeignTokens({
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksUrl: "http://127.0.0.1:9/jwks",
  });
  await assert.rejects(tokens.verify(await signed(privateKey), NOW));
});

test("a token's e-mail claim never joins it to the user of that address", async (t) => {
  const { privateKey, jwksUrl } = await provider(t);
  await eachDatabase(t, async (t, store) => {
    await createUserForEmail(store, "ana@example.com", NOW);
    const foreignIdentity = { issuer: ISSUER, audience: AUDIENCE, jwksUrl };
    const users = await testUsers(t, store, { foreignIdentity });
    users.setNow(NOW);
    const token = await signed(privateKey, { email: "ana@example.com", email_verified: true });
    const caller = await users.sessions.ofBearer(token, NOW);
    assert.equal(caller?.via.kind, "foreign-token");
    const [ana] = await store.db
      .selectFrom("users")
      .select("id")
      .where("email", "=", "ana@example.com")
      .execute();
    assert.ok(caller && ana);
    assert.notEqual(caller.userId, ana.id);
    const again = await users.sessions.ofBearer(await signed(privateKey, { jti: "2" }), NOW);
    assert.equal(again?.userId, caller.userId, "the same identity is the same account");
    assert.equal(await users.sessions.ofBearer(token, NOW + 700_000), null, "until it expires");
  });
});

test("without a provider configured a foreign token has no identity", async (t) => {
  const { privateKey } = await provider(t);
  await eachDatabase(t, async (t, store) => {
    const users = await testUsers(t, store);
    assert.equal(await users.sessions.ofBearer(await signed(privateKey), NOW), null);
  });
});
