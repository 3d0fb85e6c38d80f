import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { eachDatabase, ownTables } from "#test/support/databases/databases.ts";

/** What a column's type is called in TypeScript, by what the databases call it. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  integer: "bigint",
  bigint: "bigint",
  int8: "bigint",
  text: "string",
  real: "number",
  float4: "number",
  "double precision": "number",
  float8: "number",
  blob: "Uint8Array",
  bytea: "Uint8Array",
  timestamptz: "LibraryMoment",
  bool: "LibraryBoolean",
};

/** What a brand is kept as. */
const UNBRANDED: Readonly<Record<string, string>> = { UserId: "string", Address: "string" };

/** On SQLite the sign-in library keeps moments as text and booleans as numbers. */
const AS_ON_SQLITE: Readonly<Record<string, string>> = {
  LibraryMoment: "string",
  LibraryBoolean: "bigint",
};

const OURS_ALONE = ["schema_migrations", "sqlite_sequence"];

test("the typed schema equals the migrated tables in columns, types and nulls", async (t) => {
  const written = writtenColumns();
  assert.ok(written.length > 0);
  await eachDatabase(t, async (_t, database) => {
    const { dialect } = database;
    const tables = await ownTables(database);
    const migrated = tables
      .filter(({ name }) => !OURS_ALONE.includes(name) && !/_y\d{4}m\d{2}d\d{2}$/.test(name))
      .flatMap(({ name, columns }) =>
        columns.map(({ name: column, dataType, isNullable }) => {
          const type = WRITTEN_AS[dataType.toLowerCase()] ?? dataType;
          return `${name}.${column}: ${type}${isNullable ? " | null" : ""}`;
        }),
      );
    const expected = written.map(({ table, column, type }) => {
      const [branded = "", ...rest] = type.split(" | ");
      const plain = UNBRANDED[branded] ?? branded;
      const stored = dialect === "sqlite" ? (AS_ON_SQLITE[plain] ?? plain) : plain;
      return `${table}.${column}: ${[stored, ...rest].join(" | ")}`;
    });
    assert.deepEqual(migrated.sort(), expected.sort());
  });
});

/** The columns as the group files type them: `export type XTables = { table: { column: type; ... } };` */
function writtenColumns() {
  const folder = new URL("./", import.meta.url);
  const files = readdirSync(folder).filter((name) => /^[a-z-]+\.ts$/.test(name));
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, "");
    const groups = [...code.matchAll(/export type \w+Tables = \{([\s\S]*?)\n\};/g)];
    return groups.flatMap(([, group = ""]) =>
      [...group.matchAll(/(\w+): \{([^}]*)\}/g)].flatMap(([, table = "", body = ""]) =>
        [...body.matchAll(/(\w+): ([^;]+);?/g)].map(([, column = "", type = ""]) => ({
          table,
          column,
          type: type.trim().replace(/^Generated<(.*)>$/, "$1"),
        })),
      ),
    );
  });
}
