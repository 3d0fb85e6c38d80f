import { sql } from "kysely";
import type { Database } from "#src/store/database.ts";
import { ownTables } from "./databases.ts";

/** What a version of the service may lean on: each column, and each rule that a row has to keep. */
export type SchemaFacts = ReadonlyMap<string, TableFacts>;
export type TableFacts = {
  readonly columns: ReadonlyMap<string, ColumnFacts>;
  /** Uniqueness, references and checks, as text that names them apart. */
  readonly rules: ReadonlySet<string>;
};
export type ColumnFacts = {
  readonly type: string;
  readonly isNullable: boolean;
  /** Filled in where an insertion leaves it out: a default or a number. */
  readonly isFilledIn: boolean;
};

type Rule = { readonly name: string; readonly rule: string };

export async function schemaFacts(database: Database): Promise<SchemaFacts> {
  const tables = await ownTables(database);
  const rules = await rulesOf(database);
  return new Map(
    tables.map(({ name, columns }): [string, TableFacts] => [
      name,
      {
        columns: new Map(
          columns.map((column) => [
            column.name,
            {
              type: column.dataType,
              isNullable: column.isNullable,
              isFilledIn: column.hasDefaultValue || column.isAutoIncrementing,
            },
          ]),
        ),
        rules: new Set(rules.filter((rule) => rule.name === name).map(({ rule }) => rule)),
      },
    ]),
  );
}

async function rulesOf({ db, dialect }: Database): Promise<readonly Rule[]> {
  const query =
    dialect === "postgres"
      ? sql<Rule>`select relname as name, pg_get_indexdef(indexrelid) as rule
          from pg_index join pg_class on pg_class.oid = indrelid
          where indisunique and relnamespace = current_schema()::regnamespace
        union all select relname, pg_get_constraintdef(pg_constraint.oid)
          from pg_constraint join pg_class on pg_class.oid = conrelid
          where contype in ('f', 'c') and relnamespace = current_schema()::regnamespace`
      : sql<Rule>`select m.name, 'unique ' || i.name || ' ' || group_concat(c.name) as rule
          from sqlite_schema m, pragma_index_list(m.name) i, pragma_index_info(i.name) c
          where m.type = 'table' and i."unique" group by m.name, i.name
        union all select m.name, 'references ' || f."table" || ' by ' || f."from"
          from sqlite_schema m, pragma_foreign_key_list(m.name) f where m.type = 'table'`;
  return (await query.execute(db)).rows;
}

/**
 * What a change of the tables does to a version that was written for them before it: nothing, as
 * long as they only grow, and by what an older version may leave out.
 *
 * @returns what breaks it, a line each
 */
export function breaksFor(before: SchemaFacts, after: SchemaFacts): readonly string[] {
  return [...before].flatMap(([table, old]) => {
    const now = after.get(table);
    if (now === undefined) return [`${table} is gone`];
    const columns = [...old.columns].flatMap(([column, facts]) =>
      columnBreaks(`${table}.${column}`, facts, now.columns.get(column)),
    );
    const demanded = [...now.columns]
      .filter(([column, facts]) => !old.columns.has(column) && !canBeLeftOut(facts))
      .map(([column]) => `${table}.${column} is new and has to be given`);
    const rules = [...now.rules]
      .filter((rule) => !old.rules.has(rule))
      .map((rule) => `${table} has a new rule: ${rule}`);
    return [...columns, ...demanded, ...rules];
  });
}

function columnBreaks(
  name: string,
  old: ColumnFacts,
  now: ColumnFacts | undefined,
): readonly string[] {
  if (now === undefined) return [`${name} is gone`];
  const breaks: string[] = [];
  if (now.type !== old.type) breaks.push(`${name} was ${old.type} and is ${now.type}`);
  if (old.isNullable && !now.isNullable) breaks.push(`${name} may not be null any more`);
  if (!old.isNullable && now.isNullable) breaks.push(`${name} may be null now`);
  if (canBeLeftOut(old) && !canBeLeftOut(now)) breaks.push(`${name} has to be given now`);
  return breaks;
}

function canBeLeftOut({ isNullable, isFilledIn }: ColumnFacts): boolean {
  return isNullable || isFilledIn;
}
