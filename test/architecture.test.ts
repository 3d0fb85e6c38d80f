import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";

const ANY = "*";

/** Who may import whom: CONTRIBUTING.md says why. A file's own folder is always allowed. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  units: [],
  platform: [],
  venues: ["units"],
  measure: ["units", "venues/venue.ts", "venues/quotable-pool.ts"],
  wire: ["units", "measure"],
  chain: ["units", "platform", "venues/account-set.ts", "venues/venue.ts"],
  store: ["units", "platform", "measure"],
  track: ["units", "platform", "venues", "measure", "chain", "store"],
  users: ["units", "platform", "store"],
  watchlist: ["units", "platform", "measure", "wire", "store", "users", "track"],
  http: ["units", "platform", "measure", "wire", "track", "users", "watchlist", "accuracy"],
  accuracy: ["units", "platform", "venues", "store", "chain", "track"],
  relay: ["units", "platform", "measure", "store", "track", "users"],
  "local-node": ["units", "platform", "venues"],
  metrics: ["units", "platform", "store", "track", "users", "watchlist", "accuracy", "http"],
  cli: [ANY],
  "main.ts": [ANY],
  "open-chain.ts": [ANY],
  "open-tracking.ts": [ANY],
  "tracker-duty.ts": [ANY],
  "config.ts": ["platform", "units"],
};

const PURE = ["units", "venues", "measure", "wire"];
const PURE_PACKAGES = ["@noble/", "typebox", "zod"];

type Import = { readonly file: string; readonly folder: string; readonly target: string };

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => file.split("\\").join("/"))
  .filter((file) => file.endsWith(".ts"));

const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join("src", file), "utf8");
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  return specifiers.map((target) => ({ file, folder: file.split("/")[0] ?? "", target }));
});

test("no folder imports another that the table does not allow", () => {
  const broken = imports.filter(({ file, folder, target }) => {
    if (file.endsWith(".test.ts")) return false;
    const path = target.startsWith("#src/")
      ? target.slice("#src/".length)
      : target.startsWith(".")
        ? posix.join(dirname(file), target)
        : null;
    if (path === null || path.split("/")[0] === folder) return false;
    const allowed = MAY_IMPORT[folder] ?? [];
    return !allowed.some(
      (entry) => entry === ANY || path === entry || path.startsWith(`${entry}/`),
    );
  });
  assert.deepEqual(
    broken.map(({ file, target }) => `${file} may not import ${target}`),
    [],
  );
});

test("pure folders import no node: module and no package that does IO", () => {
  const broken = imports.filter(
    ({ file, folder, target }) =>
      PURE.includes(folder) &&
      !file.endsWith(".test.ts") &&
      !target.startsWith("#") &&
      !target.startsWith(".") &&
      !PURE_PACKAGES.some((name) => target.startsWith(name)),
  );
  assert.deepEqual(
    broken.map(({ file, target }) => `${file} may not import ${target}`),
    [],
  );
});

test("pure folders read no clock, randomness or environment", () => {
  const broken = files.filter((file) => {
    if (!PURE.includes(file.split("/")[0] ?? "") || file.endsWith(".test.ts")) return false;
    return /\b(?:Date\.now|new Date\(\)|Math\.random|process\.|performance\.now)/.test(
      readFileSync(join("src", file), "utf8"),
    );
  });
  assert.deepEqual(broken, []);
});

test("no venue imports another venue", () => {
  const shared = ["token", "curves", "pump-fees"];
  const broken = imports.filter(({ file, target }) => {
    const own = /^venues\/([^/]+)\//.exec(file)?.[1];
    if (own === undefined || file.endsWith(".test.ts")) return false;
    const path = target.startsWith("#src/") ? target.slice(5) : posix.join(dirname(file), target);
    const other = /^venues\/([^/]+)\//.exec(path)?.[1];
    return other !== undefined && other !== own && !shared.includes(other);
  });
  assert.deepEqual(
    broken.map(({ file, target }) => `${file} may not import ${target}`),
    [],
  );
});
