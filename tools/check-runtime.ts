import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Compares the runtime that `npm ci` installed with the one that nodejs.org publishes: the package that
 * carries it is a third party's. `NODE_DIST` names a mirror. Exit code 1: they differ.
 */

const TIMEOUT_MS = 60_000;
const dist = process.env.NODE_DIST ?? "https://nodejs.org/dist";
const release = `node-${process.version}-${process.platform}-${process.arch}`;
const place = `${dist}/${process.version}`;

const files = await Promise.all([
  read(`${place}/${release}.tar.gz`),
  read(`${place}/SHASUMS256.txt`),
]).catch((error: unknown) => {
  console.log(`the runtime was not compared, ${place} can't be read: ${reasonOf(error)}`);
  return null;
});
if (files !== null)
  compare(await publishedRuntime(...files), sha256(await readFile(process.execPath)));

function compare(published: string, installed: string): void {
  const isSame = published === installed;
  console.log(
    isSame
      ? `${process.execPath} is the runtime of ${release}: sha256 ${installed}`
      : `${process.execPath} is NOT the runtime of ${release}: sha256 ${installed}, published ${published}`,
  );
  if (!isSame) process.exitCode = 1;
}

/**
 * @returns the sha256 of the runtime in the published archive
 * @throws if the archive is not the one in the list of checksums
 */
async function publishedRuntime(archive: Uint8Array, list: Uint8Array): Promise<string> {
  const lines = new TextDecoder().decode(list).split("\n");
  if (!lines.includes(`${sha256(archive)}  ${release}.tar.gz`))
    throw new Error(`${place}/${release}.tar.gz is not the archive of its SHASUMS256.txt`);
  const folder = await mkdtemp(join(tmpdir(), "runtime-"));
  try {
    const file = join(folder, "archive.tar.gz");
    await writeFile(file, archive);
    await promisify(execFile)("tar", ["-xzf", file, "-C", folder, `${release}/bin/node`]);
    return sha256(await readFile(join(folder, release, "bin/node")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function read(url: string): Promise<Uint8Array> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.bytes();
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
