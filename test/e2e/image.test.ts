import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eachDatabasePlace } from "#test/support/databases/databases.ts";
import { buildImage } from "#test/support/processes/build-image.ts";
import { CAN_CONFINE, startConfined } from "#test/support/processes/confined.ts";
import {
  filledIn,
  readCompose,
  readExample,
  serviceEnvironment,
} from "#test/support/processes/deployment.ts";
import { type ImageFile, readImageFile } from "#test/support/processes/image-file.ts";
import { whenListening } from "#test/support/processes/service.ts";
import { publicTemporaryDirectory } from "#test/support/temporary-directory.ts";

test("the image's command serves from nothing but what the image holds, and writes to its data alone", async (t) => {
  const image = readImageFile(readFileSync("Dockerfile", "utf8"));
  const directory = publicTemporaryDirectory(t);
  const { root, workingDirectory } = buildImage(image, join(directory, "stages"));
  const application = join(root, workingDirectory);
  await eachDatabasePlace(t, async (t, { databaseUrl }) => {
    const dataDir = join(publicTemporaryDirectory(t), "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const composed =
      databaseUrl === null
        ? {}
        : {
            ...serviceEnvironment(readCompose(), filledIn(readExample())),
            DATABASE_URL: databaseUrl,
            REDIS_URL: "",
          };
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
