import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { StorageError } from "#src/store/connection/storage-fault.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { loadAuthSecret, secretFor } from "./auth-secret.ts";

test("without a configured secret one is generated once and readable only by its owner", (t) => {
  const { dataDir } = sqlitePlace(t);
  const settings = { authSecret: null, dataDir };
  const made = loadAuthSecret(settings);
  assert.ok(made.length >= 43);
  assert.equal(loadAuthSecret(settings), made);
  assert.equal(statSync(join(dataDir, "auth-secret")).mode & 0o777, 0o600);
  const { dataDir: elsewhere } = sqlitePlace(t);
  assert.notEqual(loadAuthSecret({ ...settings, dataDir: elsewhere }), made);
});

test("a file without a whole secret is refused: nothing is signed with a known one", (t) => {
  const { dataDir } = sqlitePlace(t);
  const settings = { authSecret: null, dataDir };
  for (const text of ["", "s".repeat(31)]) {
    writeFileSync(join(dataDir, "auth-secret"), text);
    assert.throws(() => loadAuthSecret(settings), /auth-secret holds no whole secret/);
    assert.throws(() => loadAuthSecret(settings), StorageError, "what to do is printed, no stack");
  }
});

test("a configured secret is used unchanged", () => {
  const authSecret = "s".repeat(32);
  assert.equal(loadAuthSecret({ authSecret, dataDir: "unused" }), authSecret);
});

test("each purpose has its own secret", () => {
  assert.notEqual(secretFor("sessions", "secret"), secretFor("codes", "secret"));
  assert.notEqual(secretFor("sessions", "secret"), secretFor("sessions", "other"));
});
