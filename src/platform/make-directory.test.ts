import assert from "node:assert/strict";
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { makeDirectory } from "./make-directory.ts";

test("missing parents are created with the mode, and an existing directory is not changed", (t) => {
  const directory = join(temporaryDirectory(t), "a", "b");
  makeDirectory(directory, 0o700);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  assert.equal(statSync(join(directory, "..")).mode & 0o777, 0o700);
  makeDirectory(directory, 0o755);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
});

test("a file in the way is an error, at the end of the path or within it", (t) => {
  const file = join(temporaryDirectory(t), "file");
  writeFileSync(file, "");
  assert.throws(() => makeDirectory(file), { code: "EEXIST", syscall: "mkdir" });
  assert.throws(() => makeDirectory(join(file, "a")), { code: "ENOTDIR", syscall: "mkdir" });
});

test("a link without a target is an error", (t) => {
  const link = join(temporaryDirectory(t), "link");
  symlinkSync(join(link, "..", "absent"), link);
  assert.throws(() => makeDirectory(link), { code: "EEXIST" });
});

test("a file system that creates no directories is an error, never an endless loop", (t) => {
  if (!existsSync("/proc/self")) return t.skip("needs /proc");
  assert.throws(() => makeDirectory("/proc/exitability/data"), {
    code: "ENOENT",
    syscall: "mkdir",
  });
});
