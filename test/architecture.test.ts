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
  core: [
    "units",
    "venues",
    "measure",
    "track/pools/build-market.ts",
    "track/pools/chain-clock.ts",
    "track/pools/open-pool.ts",
  ],
  chain: ["units", "platform", "venues/account-set.ts", "venues/venue.ts"],
  store: ["units", "platform", "measure"],
  track: ["units", "platform", "venues", "measure", "chain", "store"],
  users: ["units", "platform", "store"],
  alerts: ["units", "platform", "measure", "store", "users", "track"],
  watchlist: ["units", "platform", "store", "users", "track"],
  api: [
    "units",
    "platform",
    "measure",
    "track",
    "users",
    "watchlist",
    "alerts",
    "accuracy",
    "proof",
  ],
  accuracy: ["units", "platform", "venues", "store", "chain", "track"],
  proof: ["units", "platform", "venues", "measure", "chain", "store"],
  relay: ["units", "platform", "measure", "store", "track", "users"],
  node: ["units", "platform", "venues"],
  metrics: ["units", "platform", "store", "track", "users", "alerts", "accuracy", "api", "export"],
  export: ["units", "platform", "store", "track", "measure"],
  cli: [ANY],
  app: [ANY],
};

/** Subfolders in the order in which they build on each other: each imports only those before it. */
const BUILD_ON: Record<string, readonly string[]> = {
  measure: ["market", "sale", "confidence", "series", "questions"],
  chain: ["rpc", "geyser"],
  track: ["pools", "following", "loading", "answers"],
};

const PURE = ["units", "venues", "measure", "core"];
const PURE_PACKAGES = ["@noble/", "typebox", "zod"];

type Import = { readonly file: string; readonly folder: string; readonly target: string };

const files = typeScriptFiles("src");
const imports = importsOf("src", files);

function typeScriptFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.split("\\").join("/"))
    .filter((file) => file.endsWith(".ts") && !file.includes("node_modules/"));
}

function importsOf(root: string, inRoot: readonly string[]): readonly Import[] {
  return inRoot.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
      (match) => match[1] ?? "",
    );
    return specifiers.map((target) => ({ file, folder: file.split("/")[0] ?? "", target }));
  });
}

/** Where an import leads, from the repository's root; null for a package. */
function pathOf(root: string, { file, target }: Import): string | null {
  if (target.startsWith("#")) return target.slice(1);
  return target.startsWith(".") ? posix.join(root, dirname(file), target) : null;
}

/** Imports of all files but tests, with the folder at the repository's root that each leads to. */
function crossings(root: string): readonly { readonly from: string; readonly to: string }[] {
  return importsOf(root, typeScriptFiles(root)).flatMap((entry) => {
    const path = pathOf(root, entry);
    const to = path?.split("/")[0] ?? root;
    if (path === null || to === root || entry.file.endsWith(".test.ts")) return [];
    return [{ from: `${root}/${entry.file}`, to }];
  });
}

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

test("a subfolder imports only the subfolders that it builds on", () => {
  const places = files.map((file) => file.split("/"));
  for (const [folder, order] of Object.entries(BUILD_ON))
    for (const part of order)
      assert(
        places.some((place) => place[0] === folder && place[1] === part),
        `${folder}/${part} is absent`,
      );
  const broken = imports.filter(({ file, folder, target }) => {
    const order = BUILD_ON[folder] ?? [];
    const from = order.indexOf(file.split("/")[1] ?? "");
    if (from === -1 || file.endsWith(".test.ts") || !target.startsWith(".")) return false;
    const to = order.indexOf(posix.join(dirname(file), target).split("/")[1] ?? "");
    return to > from;
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
  const shared = ["shared"];
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

test("production code imports no tests and no benches, and only src/app imports the demo market", () => {
  const broken = crossings("src").filter(
    ({ from, to }) =>
      to === "test" || to === "bench" || (to === "demo" && !from.startsWith("src/app/")),
  );
  assert.deepEqual(broken, []);
});

test("the demo market imports nothing but src, and of it only node, units, platform and venues", () => {
  const outside = crossings("demo").filter(({ to }) => to !== "src");
  assert.deepEqual(outside, []);
  const folders = importsOf("demo", typeScriptFiles("demo"))
    .filter(({ file, target }) => target.startsWith("#src/") && !file.endsWith(".test.ts"))
    .map(({ target }) => target.split("/")[1] ?? "");
  assert.deepEqual([...new Set(folders)].toSorted(), ["node", "platform", "units", "venues"]);
});

test("the dashboard imports only types, of the service's answers and of measure", () => {
  const sources = readdirSync("web/src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."))
    .map((file) => readFileSync(join("web/src", file), "utf8"));
  const lines = sources.flatMap((text) => text.match(/^.*from "#.*$/gm) ?? []);
  const allowed = /^import type .* from "#(?:client\/openapi\.ts"|src\/measure\/)/;
  assert.ok(lines.length > 0);
  assert.deepEqual(
    lines.filter((line) => !allowed.test(line)),
    [],
  );
});

test("the detection bench imports nothing from the tests", () => {
  const broken = crossings("bench").filter(
    ({ from, to }) => to === "test" && from.startsWith("bench/detection"),
  );
  assert.deepEqual(broken, []);
});

/** Declared in api as aliases of the store's own types, which it may not import. */
const ALIASES = [
  "Channel",
  "ChannelKind",
  "DeadLetter",
  "IssuedApiKey",
  "ProgramReport",
  "Session",
  "User",
];

test("a type name is declared once in src; the programs of venues may each have their own", () => {
  const places = new Map<string, Set<string>>();
  const repeated = new Set<string>();
  for (const file of files) {
    if (file.endsWith(".test.ts")) continue;
    const venue = /^venues\/(?!shared\/)[^/]+\//.exec(file)?.[0];
    const text = readFileSync(join("src", file), "utf8");
    for (const [, name = ""] of text.matchAll(
      /^(?:export )?(?:type|interface|class) (\w+)[ <]/gm,
    )) {
      const known = places.get(name) ?? new Set();
      const isVenuesOwn = venue !== undefined && !known.has(venue) && !known.has("elsewhere");
      if (known.size > 0 && !isVenuesOwn && !ALIASES.includes(name)) repeated.add(name);
      places.set(name, known.add(venue ?? "elsewhere"));
    }
  }
  assert.deepEqual([...repeated], []);
});
