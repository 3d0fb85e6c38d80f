import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from "kysely";
import pg from "pg";
import type { Dialect } from "./dialect.ts";
import { lockDirectory } from "./directory-lock.ts";
import { countFailure, type QueryFailures } from "./query-failures.ts";
import type { Schema } from "./schema.ts";
import { databaseUnavailable, isAway, isSilence, WatchedClient } from "./watched-client.ts";

export type Database = {
  readonly db: Kysely<Schema>;
  readonly dialect: Dialect;
  /** Statements that failed since it was opened, but for those that a constraint refused. */
  readonly failures: QueryFailures;
  /** Queries that wait for a connection, and for how long the first of them has, milliseconds. */
  readonly queue: () => DatabaseQueue;
  /** Waits for running queries, closes every connection, and gives the directory back. */
  readonly close: () => Promise<void>;
};

export type DatabaseQueue = { readonly length: number; readonly waitedMs: number };

export type DatabaseSettings = {
  /** Postgres; null for the embedded database in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /**
   * `owner` (the service) holds the directory alone. `visitor` (a command of the operator's) opens
   * the embedded database beside a running service: SQLite keeps the two from harming each other.
   */
  readonly access?: "owner" | "visitor";
  /** Postgres connections at most. */
  readonly connections?: number;
  /** Told of a connection that broke while nobody used it; the pool opens another one when needed. */
  readonly onIdleError?: (error: Error) => void;
  /** Run on each new Postgres connection; one for which it throws is closed unused. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
};

const DATABASE_FILE = "exitability.db";
const BUSY_TIMEOUT_MS = 5_000;
/** For a connection, a new one or one that others use now: a caller waits no longer to hear that there is none. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Right after nobody answered, nobody else waits for an answer: a request asks several times. */
const AWAY_FOR_MS = 500;
/** Idle connections are asked so often by the kernel whether anybody is there. */
const KEEP_ALIVE_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A transaction whose process was cut off keeps its rows locked for no longer. */
const IDLE_IN_TRANSACTION_MS = 15_000;
const DEFAULT_CONNECTIONS = 10;
const PG_INT8 = 20;
/** SQLite answers at once. */
const NO_QUEUE: DatabaseQueue = { length: 0, waitedMs: 0 };
const CACHED_STATEMENTS = 500;
const LONGEST_CACHED_SQL = 4_096;

/**
 * Opens the database; the tables are `migrate`'s business. Integers come back as bigint from both.
 *
 * Statements fail with AppError `overloaded` while Postgres can't be reached: within three seconds
 * where there is no connection, within six where one fell silent (watched-client.ts).
 *
 * @throws DirectoryInUseError where another process owns the directory
 */
export function openDatabase(settings: DatabaseSettings): Database {
  return settings.databaseUrl === null
    ? openSqlite(settings.dataDir, settings.access ?? "owner")
    : openPostgres(settings.databaseUrl, settings);
}

/** Whether a directory holds an embedded database: opening one makes it where it is missing. */
export function databaseFileExists(dataDir: string): boolean {
  return existsSync(join(dataDir, DATABASE_FILE));
}

function openSqlite(dataDir: string, access: "owner" | "visitor"): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const lock = access === "owner" ? lockDirectory(dataDir) : null;
  try {
    const connection = openSqliteFile(join(dataDir, DATABASE_FILE));
    const failures = { reads: 0, writes: 0 };
    const db = new Kysely<Schema>({
      dialect: new SqliteDialect({ database: statementCache(connection) }),
      log: (event) => countFailure(failures, event),
    });
    return {
      db,
      dialect: "sqlite",
      failures,
      queue: () => NO_QUEUE,
      async close() {
        await db.destroy();
        if (connection.open) connection.close();
        lock?.release();
      },
    };
  } catch (cause) {
    lock?.release();
    throw cause;
  }
}

function openSqliteFile(file: string): Sqlite.Database {
  closeSync(openSync(file, "a", 0o600)); // SQLite gives its log files the permissions of this one.
  const connection = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  connection.defaultSafeIntegers(true);
  connection.pragma("journal_mode = WAL");
  connection.pragma("synchronous = FULL");
  connection.pragma("foreign_keys = ON");
  connection.pragma("trusted_schema = OFF");
  return connection;
}

/**
 * Keeps prepared statements, which saves more than half of a short query's time; and begins
 * transactions as writers, because one that turns into a writer half-way can't wait for its turn.
 */
function statementCache(connection: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const cached = statements.get(sql);
      if (cached !== undefined) return cached;
      const statement = connection.prepare(sql === "begin" ? "begin immediate" : sql);
      if (sql.length > LONGEST_CACHED_SQL) return statement;
      if (statements.size >= CACHED_STATEMENTS) statements.clear();
      statements.set(sql, statement);
      return statement;
    },
  };
}

function openPostgres(databaseUrl: string, settings: DatabaseSettings): Database {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: settings.connections ?? DEFAULT_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: "exitability",
    Client: WatchedClient,
    // The pool awaits it; its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => {
      if (client instanceof WatchedClient) await client.introduce();
      await settings.onConnect?.(client);
    },
    types: {
      getTypeParser: (oid, format) =>
        oid === PG_INT8 && format !== "binary" ? BigInt : pg.types.getTypeParser(oid, format),
    },
  });
  pool.on("error", (error) => settings.onIdleError?.(error));
  // A connection that breaks between two queries of a transaction tells nobody else: the next one fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const failures = { reads: 0, writes: 0 };
  const waits = new Set<Wait>();
  const silence: Silence = { untilMs: 0 };
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: watchedPool(pool, { waits, silence }) }),
    log: (event) => {
      countFailure(failures, event);
      if (event.level !== "error") return;
      forgetRowValues(event.error);
      if (isSilence(event.error)) nobodyAnswered(silence);
    },
  });
  return {
    db,
    dialect: "postgres",
    failures,
    queue() {
      const [first] = waits;
      const length = pool.waitingCount;
      return first === undefined || length === 0
        ? NO_QUEUE
        : { length, waitedMs: performance.now() - first.sinceMs };
    },
    async close() {
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

type Wait = { readonly sinceMs: number };

/** Until when, on the clock of `performance.now()`, nobody is there to be asked. */
type Silence = { untilMs: number };

function nobodyAnswered(silence: Silence): void {
  silence.untilMs = performance.now() + AWAY_FOR_MS;
}

type PoolWatch = { readonly waits: Set<Wait>; readonly silence: Silence };

/** The pool, which notes who waits for a connection, in the order in which they get one, and that none came. */
function watchedPool(pool: pg.Pool, { waits, silence }: PoolWatch): PostgresPool {
  return {
    async connect() {
      const wait = { sinceMs: performance.now() };
      if (wait.sinceMs < silence.untilMs) throw databaseUnavailable("nobody answered just now");
      waits.add(wait);
      try {
        return await pool.connect();
      } catch (cause) {
        if (!isAway(cause)) throw cause;
        nobodyAnswered(silence);
        throw databaseUnavailable(cause);
      } finally {
        waits.delete(wait);
      }
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** Postgres quotes the values of the row at fault, e-mail addresses among them: not for our log. */
function forgetRowValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  error.detail = undefined;
  error.where = undefined;
}
