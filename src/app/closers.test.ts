import assert from "node:assert/strict";
import { test } from "node:test";
import { Closers } from "./closers.ts";

test("parts are closed once, last opened first", async () => {
  const closers = new Closers();
  const closed: string[] = [];
  for (const part of ["database", "users", "server"]) closers.push(() => void closed.push(part));
  await closers.close();
  await closers.close();
  assert.deepEqual(closed, ["server", "users", "database"]);
});

test("a part that fails to close does not keep the others open, and its failure is thrown", async () => {
  const closers = new Closers();
  const closed: string[] = [];
  closers.push(() => void closed.push("database"));
  closers.push(() => Promise.reject(new Error("users")));
  closers.push(() => {
    throw new Error("server");
  });
  await assert.rejects(closers.close(), /server/);
  assert.deepEqual(closed, ["database"]);
});

test("failures can be reported instead", async () => {
  const closers = new Closers();
  closers.push(() => Promise.reject(new Error("first")));
  closers.push(() => Promise.reject(new Error("second")));
  const failures: unknown[] = [];
  await closers.closeReporting((error) => failures.push(error));
  assert.deepEqual(failures.map(String), ["Error: second", "Error: first"]);
});
