import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { configWarnings } from "./config-warnings.ts";

const warningsFor = (environment: Record<string, string>) =>
  configWarnings(environment, readConfig(environment));

test("a variable with nearly the right name is named, with the right one", () => {
  assert.deepEqual(
    warningsFor({ SOLANA_RPC: "x", DATABASE: "x", LOGLEVEL: "x", SMPT_URL: "x", SOLANA_KEY: "x" }),
    [
      "SOLANA_RPC is not read: did you mean SOLANA_RPC_URL?",
      "DATABASE is not read: did you mean DATABASE_URL?",
      "LOGLEVEL is not read: did you mean LOG_LEVEL?",
      "SOLANA_KEY is not read: no variable has this name",
    ],
  );
  const clients = { EXITABILITY_API_KEY: "x", EXITABILITY_ACCESS_TOKEN: "x" };
  const ordinary = { PATH: "x", HOME: "x", NODE_ENV: "x", ...clients, PORT: "8081" };
  assert.deepEqual(warningsFor(ordinary), []);
});

test("the demo market at a public https address is named", () => {
  assert.match(warningsFor({ PUBLIC_URL: "https://exit.example" })[0] ?? "", /demo market/);
  assert.deepEqual(warningsFor({ PUBLIC_URL: "http://127.0.0.1:8080" }), []);
});

test("links that lead to port 0 are named", () => {
  assert.match(warningsFor({ PORT: "0" })[0] ?? "", /^PORT=0 .*set PORT, or PUBLIC_URL$/);
  assert.deepEqual(warningsFor({ PORT: "0", PUBLIC_URL: "http://exit.example" }), []);
});

test("links that lead to every address are named", () => {
  for (const HOST of ["0.0.0.0", "::"]) {
    assert.match(warningsFor({ HOST })[0] ?? "", /^HOST is every address .*set PUBLIC_URL$/);
    assert.deepEqual(warningsFor({ HOST, PUBLIC_URL: "http://exit.example" }), []);
  }
});

test("a range in WEBHOOK_ALLOW that is not one is refused by name", () => {
  assert.throws(() => readConfig({ WEBHOOK_ALLOW: "foo" }), /WEBHOOK_ALLOW: "foo" is not/);
});

test("private ranges that webhooks may reach are named", () => {
  assert.deepEqual(warningsFor({ WEBHOOK_ALLOW: "10.0.0.0/8, 192.168.1.0/24" }), [
    "WEBHOOK_ALLOW lets webhooks reach these private addresses: 10.0.0.0/8, 192.168.1.0/24",
  ]);
});

test("keys of the identity provider that come over plain http are named, except on this machine", () => {
  const provider = { AUTH_ISSUER: "i", AUTH_AUDIENCE: "a" };
  const [warning = ""] = warningsFor({ ...provider, AUTH_JWKS_URL: "http://id.example/keys" });
  assert.match(warning, /^AUTH_JWKS_URL is read over plain http/);
  for (const url of ["https://id.example/keys", "http://127.0.0.1:9/keys", "http://[::1]:9/keys"])
    assert.deepEqual(warningsFor({ ...provider, AUTH_JWKS_URL: url }), []);
});
