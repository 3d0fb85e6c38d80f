import assert from "node:assert/strict";
import { test } from "node:test";
import { VENUES } from "#src/venues/all.ts";
import { ConfigError, readConfig } from "./config.ts";

const GEYSER = { SOLANA_RPC_URL: "http://x", GEYSER_URL: "https://geyser.example" };
const SHARED = {
  DATABASE_URL: "postgres://x/y",
  REDIS_URL: "redis://x",
  AUTH_SECRET: "a secret that is long enough to be one",
};

test("an empty environment runs the whole service on the demo market", () => {
  const config = readConfig({});
  assert.equal(config.port, 8080);
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.publicUrl, "http://127.0.0.1:8080");
  assert.deepEqual(config.chain, { kind: "demo" });
  assert.equal(config.databaseUrl, null);
  assert.equal(config.role, "all");
});

test("a WebSocket address follows from the RPC address", () => {
  assert.deepEqual(readConfig({ SOLANA_RPC_URL: "https://rpc.example/x" }).chain, {
    kind: "rpc",
    httpUrl: "https://rpc.example/x",
    wsUrl: "wss://rpc.example/x",
  });
});

test("links begin with the host and port that the service listens on, or with PUBLIC_URL", () => {
  for (const [environment, publicUrl] of [
    [{ HOST: "::1", PORT: "81" }, "http://[::1]:81"],
    [{ HOST: "0.0.0.0" }, "http://0.0.0.0:8080"],
    [{ HOST: "my_exit-1" }, "http://my_exit-1:8080"],
    [{ HOST: "4f2c9a1b7d3e" }, "http://4f2c9a1b7d3e:8080"],
    [{ PUBLIC_URL: "https://exit.example/path/" }, "https://exit.example/path"],
    [{ HOST: "fe80::1%eth0", PUBLIC_URL: "https://exit.example" }, "https://exit.example"],
  ] as const)
    assert.equal(readConfig(environment).publicUrl, publicUrl);
});

test("a wrong PUBLIC_URL is refused without printing a password in it", () => {
  assert.throws(
    () => readConfig({ PUBLIC_URL: "https://user:hunter2@exit.example" }),
    (error) => error instanceof ConfigError && !error.message.includes("hunter2"),
  );
});

test("a sender is an address, alone or after a name", () => {
  for (const sender of [
    "no-reply@example.com",
    "no-reply@localhost",
    "Exitability <no-reply@example.com>",
    '"Exitability, Inc." <no-reply@example.com>',
  ]) {
    assert.equal(readConfig({ MAIL_FROM: sender }).mailFrom, sender);
  }
});

test("several RPC addresses are one node and those used while it does not answer", () => {
  const { chain, accuracy } = readConfig({
    SOLANA_RPC_URL: "https://a.example, https://b.example",
  });
  assert.deepEqual(chain, {
    kind: "rpc",
    httpUrl: "https://a.example",
    wsUrl: "wss://a.example",
    fallbackUrls: ["https://b.example"],
  });
  assert.equal(accuracy, "sample");
  assert.equal(readConfig({}).accuracy, "full");
});

test("the stream delivers every program whole, or those that are named", () => {
  const programsOf = (named: Readonly<Record<string, string>>) =>
    readConfig({ ...GEYSER, ...named }).geyser?.programs;
  assert.equal(programsOf({})?.length, VENUES.length);
  assert.deepEqual(programsOf({ GEYSER_PROGRAMS: "none" }), []);
  assert.deepEqual(programsOf({ GEYSER_PROGRAMS: "pumpswap, raydium-cpmm" }), [
    "pumpswap",
    "raydium-cpmm",
  ]);
});

test("the API has a thread where whole programs are followed, unless other processes answer requests", () => {
  const hasThread = (environment: Readonly<Record<string, string>>) =>
    readConfig(environment).hasApiThread;
  assert.equal(hasThread(GEYSER), true);
  assert.equal(hasThread({}), false);
  assert.equal(hasThread({ API_THREAD: "on" }), true);
  assert.equal(hasThread({ ...GEYSER, API_THREAD: "off" }), false);
  assert.equal(hasThread({ ...GEYSER, GEYSER_PROGRAMS: "none" }), false);
  assert.equal(hasThread({ ...GEYSER, ...SHARED }), false);
});

test("paths are appended to Telegram's address, so a slash at its end is left out", () => {
  const { telegram } = readConfig({
    ...{ TELEGRAM_BOT_TOKEN: "x", TELEGRAM_API_URL: "https://telegram.example/" },
  });
  assert.equal(telegram?.apiUrl, "https://telegram.example");
});

test("a wrong value is refused, and the message names the variable", () => {
  const wrong: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["PORT", { PORT: "80a" }],
    ["VAPID_PRIVATE_KEY", { VAPID_PRIVATE_KEY: "a key" }],
    ["PORT", { PORT: "65536" }],
    ["METRICS_PORT", { METRICS_PORT: "8080" }],
    ["METRICS_PORT", { METRICS_PORT: "off" }],
    ["TRUST_PROXY", { TRUST_PROXY: "-1" }],
    ["HISTORY_DAYS", { HISTORY_DAYS: "366" }],
    ["STATE_DAYS", { STATE_DAYS: "366" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://x" }],
    ["DATABASE_URL", { ...SHARED, DATABASE_URL: "postgres:127.0.0.1/y" }],
    ["SMTP_URL", { SMTP_URL: "smtp:mail.example.com:587" }],
    ["SMTP_URL", { SMTP_URL: "smtp://" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https:exit.example" }],
    ["REDIS_URL must be a URL", { ...SHARED, REDIS_URL: "redis:127.0.0.1:6379" }],
    ["AUTH_SECRET", { DATABASE_URL: "postgres://x/y" }],
    ["AUTH_SECRET", { AUTH_SECRET: "short" }],
    ["ACCURACY", { ACCURACY: "most" }],
    ["SOLANA_RPC_URL", { SOLANA_RPC_URL: "https://a.example,ftp://x" }],
    ["ROLE", { ROLE: "boss" }],
    ["ROLE", { ROLE: "api" }],
    ["API_THREAD", { API_THREAD: "yes" }],
    ["API_THREAD", { ...SHARED, API_THREAD: "on" }],
    ["SOLANA_RPC_URL", { SOLANA_RPC_URL: "ftp://x" }],
    ["ACCOUNTS_DIR", { SOLANA_RPC_URL: "http://x", ACCOUNTS_DIR: "y" }],
    ["SOLANA_RPC_URL", { GEYSER_URL: "https://geyser.example" }],
    ["SOLANA_RPC_URL", { GEYSER_URL: "https://geyser.example", ACCOUNTS_DIR: "y" }],
    ["GEYSER_URL", { SOLANA_RPC_URL: "http://x", GEYSER_TOKEN: "y" }],
    ["GEYSER_PROGRAMS", { ...GEYSER, GEYSER_PROGRAMS: "pump-curve,nothing" }],
    ["GEYSER_URL", { SOLANA_RPC_URL: "http://x", GEYSER_PROGRAMS: "none" }],
    ["REDIS_URL", { ...SHARED, REDIS_URL: "redis://x/first" }],
    ["REDIS_URL", { ...SHARED, REDIS_URL: "redis://:a%b@x" }],
    ["SOLANA_RPC_URL", { SOLANA_RPC_URL: "https://a.example,https://ana:100%@b.example" }],
    ["TELEGRAM_API_URL", { TELEGRAM_BOT_TOKEN: "x", TELEGRAM_API_URL: "https://t.example?a=b" }],
    ["TELEGRAM_BOT_TOKEN", { TELEGRAM_API_URL: "https://telegram.example" }],
    ["COMMITMENT", { COMMITMENT: "finalized" }],
    ["MAIL_FROM", { MAIL_FROM: "not an address" }],
    ["MAIL_FROM", { MAIL_FROM: '"Exitability <no-reply@example.com>"' }],
    ["AUTH_ISSUER", { AUTH_ISSUER: "x" }],
    ["KEY_PREFIX", { KEY_PREFIX: "Exi_" }],
    ["HOST", { HOST: "not a host" }],
    ["HOST", { HOST: "1.2.3" }],
    ["HOST", { HOST: "[::1]" }],
    ["HOST", { HOST: "localhost:8080" }],
    ["PUBLIC_URL", { HOST: "fe80::1%eth0" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https://user@exit.example" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https://exit.example/?a=b" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https://exit.example/#top" }],
  ];
  for (const [name, environment] of wrong) {
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof ConfigError && error.message.includes(name),
      name,
    );
  }
});
