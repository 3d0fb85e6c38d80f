import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { sharedPath } from "#test/support/pools/executions.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { run } from "./main.ts";

async function verify(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(["verify", ...args], {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
  });
  return { code, out, err };
}

/** The first recorded sale of a pump curve with its set line, and what was paid for it. */
function recordedCase(
  t: TestContext,
): { readonly folder: string; readonly lines: readonly string[] } | null {
  const path = sharedPath(t, "executions", "pump-curve.jsonl.gz");
  if (path === null) return null;
  const folder = temporaryDirectory(t);
  const lines = gunzipSync(readFileSync(path)).toString("utf8").split("\n").slice(0, 2);
  return { folder, lines };
}

test("an exact case is counted as exact, gzipped or not, and ends with 0", async (t) => {
  const recorded = recordedCase(t);
  if (recorded === null) return;
  const text = recorded.lines.join("\n");
  writeFileSync(join(recorded.folder, "a.jsonl"), text);
  writeFileSync(join(recorded.folder, "a.jsonl.gz"), gzipSync(text));
  for (const name of ["a.jsonl", "a.jsonl.gz"]) {
    const { code, out } = await verify("--json", join(recorded.folder, name));
    assert.equal(code, 0);
    const [row] = out.map((line) => JSON.parse(line));
    assert.deepEqual(row, {
      line: 2,
      file: name,
      venue: "pump-curve",
      expected: "259942898",
      modelled: "259942898",
      exact: true,
    });
  }
});

test("a result one lamport off, or an unreadable line, is printed and ends with 1", async (t) => {
  const recorded = recordedCase(t);
  if (recorded === null) return;
  const path = join(recorded.folder, "b.jsonl");
  const [set = "", execution = ""] = recorded.lines;
  const off = JSON.parse(execution.replace("259942898", "259942899"));
  const known = JSON.stringify({ deployedSlot: 431_172_301, ...off });
  writeFileSync(path, [set, JSON.stringify(off), "{", known].join("\n"));
  const { code, out, err } = await verify(path);
  assert.equal(code, 1);
  assert.match(err.join("\n"), /b\.jsonl:2 .*executed 259942899, modelled 259942898/);
  assert.match(err.join("\n"), /b\.jsonl:3 .*unreadable: not JSON/);
  assert.match(err.join("\n"), /b\.jsonl:4 .*\(code of slot 431172301\): executed/);
  assert.match(out.join("\n"), /pump-curve +2 +0 +0 +0\.00 %/);
});

test("damaged gzip data is a sentence that names the file and the line, after the results of the lines before", async (t) => {
  const folder = temporaryDirectory(t);
  const whole = gzipSync(readFileSync("examples/executions.jsonl"));
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, whole.length / 2, whole.length / 2 + 20);
  for (const [name, bytes] of [
    ["cut.gz", whole.subarray(0, -20)],
    ["damaged.gz", damaged],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const { code, err } = await verify("--json", path);
    assert.equal(code, 1);
    assert.match(
      err.at(-1) ?? "",
      /^exitability verify: .*\.gz: the gzip data is cut off or damag/,
    );
  }
  const { out } = await verify("--json", join(folder, "cut.gz"));
  assert.ok(out.length > 0);
});

test("a pipe is read like a file", (t) => {
  if (process.platform !== "linux") {
    t.skip("/dev/stdin is a pipe's on Linux only");
    return;
  }
  const input = readFileSync("examples/executions.jsonl");
  for (const bytes of [input, gzipSync(input)]) {
    const command = `cat | "${process.execPath}" bin/exitability.mjs verify /dev/stdin`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { input: bytes });
    assert.equal(status, 0, String(stderr));
    assert.match(String(stdout), /100\.00 %/);
  }
});

test("without a file it prints its usage", async () => {
  const { code, err } = await verify();
  assert.equal(code, 2);
  assert.match(err.join("\n"), /exitability verify FILE/);
});

test("a file without executions is reported in six lines, however long it is", async (t) => {
  const path = join(temporaryDirectory(t), "notes.txt");
  writeFileSync(path, "not an execution\n".repeat(200));
  const { code, err } = await verify(path);
  assert.equal(code, 1);
  assert.equal(err.length, 6);
  assert.equal(err.at(-1), "notes.txt: 200 lines are not recorded executions");
});

test("the executions in examples/ are exact, a refusal among them", async () => {
  const { code, out } = await verify("examples/executions.jsonl");
  assert.equal(code, 0);
  assert.match(out.join("\n"), /^raydium-cpmm +4 +1 +4 +100\.00 %$/m);
});
