import { chmodSync, closeSync, openSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type SqliteDatabase,
  type SqliteStatement,
} from "kysely";
import pg from "pg";
import { AppError } from "#src/platform/app-error.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { makeDirectory } from "#src/platform/make-directory.ts";
import type { StorageFault } from "#src/platform/storage-fault.ts";
import type { Schema } from "../schema.ts";
import { leaveCheckpoints, startCheckpoints } from "./checkpoint-thread.ts";
import type { Dialect } from "./dialect.ts";
import { lockDirectory } from "./directory-lock.ts";
import { countFailure, type QueryFailures } from "./query-failures.ts";
import { StorageError, StorageWatch, sqliteAdvice } from "./storage-fault.ts";
import { syncedSqlite, WalFile } from "./synced-sqlite.ts";
import { DatabaseUnavailable, isAway, isSilence, WatchedClient } from "./watched-client.ts";

export type Database = {
  readonly db: Kysely<Schema>;
  readonly dialect: Dialect;
  /** Statements that failed since it was opened, without those that a constraint refused. */
  readonly failures: QueryFailures;
  /** Why the last write failed, if the storage is to blame; null once a write succeeded. */
  readonly storageFault: () => StorageFault | null;
  /** Queries waiting for a connection, and how long the oldest has waited, milliseconds. */
  readonly queue: () => DatabaseQueue;
  /** Waits for running queries, closes every connection and releases the directory. */
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
   * `thread` is another thread of the owner, which leaves copying the log to the owner.
   */
  readonly access?: "owner" | "visitor" | "thread";
  /** Whether a thread copies SQLite's log into the database, instead of the commits of the service. */
  readonly hasCheckpointThread?: boolean;
  /** Postgres connections at most. */
  readonly connections?: number;
  /** Logs when Postgres becomes unreachable, and its return: once for all who use this handle. */
  readonly log?: FailureLogger;
  /** Runs on each new Postgres connection; if it throws, the connection is closed. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
};

export const DATABASE_FILE = "exitability.db";
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 5;
/** The longest wait for a connection, new or from the pool. */
const CONNECT_TIMEOUT_MS = 3_000;
/** After an unanswered attempt, further ones fail at once for this long: a request makes several. */
const AWAY_FOR_MS = 500;
/** TCP keep-alive of idle connections. */
const KEEP_ALIVE_MS = 5_000;
/** An outage ends after this long without a failed statement: connections do not all return at once. */
const RECOVERED_AFTER_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Ends the transaction, and its row locks, of a process that lost its connection. */
const IDLE_IN_TRANSACTION_MS = 15_000;
const DEFAULT_CONNECTIONS = 10;
const PG_INT8 = 20;
/** SQLite has no pool. */
const NO_QUEUE: DatabaseQueue = { length: 0, waitedMs: 0 };
const CACHED_STATEMENTS = 500;
const LONGEST_CACHED_SQL = 4_096;

/**
 * Opens the database; `migrate` makes the tables. Integers are read as bigint from both databases.
 *
 * While Postgres is unreachable statements fail with AppError `overloaded`: within three seconds if
 * there is no connection, within six if an open one gets no answer (watched-client.ts).
 *
 * @throws DirectoryInUseError if another process owns the directory
 */
export function openDatabase(settings: DatabaseSettings): Database {
  return settings.databaseUrl === null
    ? openSqlite(settings)
    : openPostgres(settings.databaseUrl, settings);
}

/**
 * Whether a directory holds an embedded database; opening it would create a missing one.
 *
 * @throws the error of the operating system if this user may not look into the directory
 */
export function databaseFileExists(dataDir: string): boolean {
  return statSync(join(dataDir, DATABASE_FILE), { throwIfNoEntry: false }) !== undefined;
}

function openSqlite({ dataDir, access = "owner", ...settings }: DatabaseSettings): Database {
  const file = resolve(dataDir, DATABASE_FILE);
  makeDirectory(dataDir, 0o700);
  closeToOthers(dataDir);
  const lock = access === "owner" ? explained(file, () => lockDirectory(dataDir)) : null;
  try {
    const connection = explained(file, () => openSqliteFile(file, { access }));
    const failures = { reads: 0, writes: 0 };
    const storage = new StorageWatch();
    const wal = new WalFile(file);
    if (access === "thread") {
      leaveCheckpoints(connection);
      // Open from the start: a sync of the owner that fails later is reported to this handle too.
      void wal.sync().catch(() => undefined);
    }
    const checkpoints =
      settings.hasCheckpointThread === true
        ? startCheckpoints(connection, { file, log: settings.log ?? null })
        : null;
    const changes = connection.prepare<[], bigint>("select total_changes()").pluck();
    const db = new Kysely<Schema>({
      dialect: syncedSqlite({
        database: statementCache(connection),
        changes: () => changes.get() ?? 0n,
        sync: wal.sync,
        closeSync: wal.close,
      }),
      log: (event) => {
        countFailure(failures, event);
        storage.note(event);
      },
    });
    return {
      db,
      dialect: "sqlite",
      failures,
      storageFault: () => (wal.failure === null ? storage.fault : "failing"),
      queue: () => NO_QUEUE,
      async close() {
        try {
          await checkpoints?.stop();
          await db.destroy();
        } finally {
          if (connection.open) connection.close();
          lock?.release();
        }
      },
    };
  } catch (cause) {
    lock?.release();
    throw cause;
  }
}

/**
 * Lets no other user in. A directory with files that are not ours is left as it is: closing /tmp to
 * all others would harm the whole machine.
 *
 * @throws StorageError for such a directory if others can enter it
 */
function closeToOthers(dataDir: string): void {
  if ((statSync(dataDir).mode & 0o077) === 0) return;
  const entries = readdirSync(dataDir);
  if (entries.length > 0 && !entries.includes(DATABASE_FILE))
    throw new StorageError(
      `${resolve(dataDir)} has other files, no database, and is open to other users: set DATA_DIR to a directory of its own`,
    );
  chmodSync(dataDir, 0o700);
}

/** @throws StorageError in place of SQLite's error, if it is about the storage */
function explained<Opened>(file: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (cause) {
    const advice = sqliteAdvice(cause);
    throw advice === null ? cause : new StorageError(`${file}: ${advice}`, { cause });
  }
}

function openSqliteFile(
  file: string,
  { access }: Required<Pick<DatabaseSettings, "access">>,
): Sqlite.Database {
  // SQLite gives its log files the permissions of this one. Closing a file ends all locks that the process has
  // on it, the owner's too: a thread, which finds the file, must not.
  if (access !== "thread") closeSync(openSync(file, "a", 0o600));
  const connection = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  connection.defaultSafeIntegers(true);
  beginLog(connection);
  // The log is synced off this thread before a commit is reported (synced-sqlite.ts).
  connection.pragma("synchronous = NORMAL");
  connection.pragma("foreign_keys = ON");
  connection.pragma("trusted_schema = OFF");
  return connection;
}

/**
 * Waits for other processes as a statement does. SQLite fails at once instead where several begin the log of a new
 * database together.
 */
function beginLog(connection: Sqlite.Database): void {
  const startedMs = performance.now();
  for (;;) {
    try {
      connection.pragma("journal_mode = WAL");
      return;
    } catch (cause) {
      const isBusy = cause instanceof Sqlite.SqliteError && cause.code === "SQLITE_BUSY";
      if (!isBusy || performance.now() - startedMs >= BUSY_TIMEOUT_MS) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
    }
  }
}

/**
 * Caches prepared statements, which saves more than half of a short query's time. Transactions begin
 * as writers, because SQLite refuses to wait when a reading transaction becomes a writer.
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
    // The pool awaits it, although its types return void.
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
  const outage = new FailureLog({
    log: settings.log ?? null,
    what: "reach the database",
    next: "requests that need it get 503, background work is retried",
    context: { host: URL.parse(databaseUrl)?.host ?? null },
    endsAfterMs: RECOVERED_AFTER_MS,
  });
  // An idle connection broke: the pool opens another when it needs one.
  pool.on("error", () => undefined);
  // A connection that breaks between two queries of a transaction: the next query fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const failures = { reads: 0, writes: 0 };
  const storage = new StorageWatch();
  const waits = new Set<Wait>();
  const silence: Unreachable = { untilMs: 0 };
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: recordedPool(pool, { waits, silence, outage }) }),
    log: (event) => {
      countFailure(failures, event);
      storage.note(event);
      if (event.level !== "error") {
        outage.succeeded();
        return;
      }
      removeRowValues(event.error);
      if (event.error instanceof AppError) outage.failed(event.error.cause);
      if (isSilence(event.error)) noteUnreachable(silence);
    },
  });
  return {
    db,
    dialect: "postgres",
    failures,
    storageFault: () => storage.fault,
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

/** Until when, on the clock of `performance.now()`, connection attempts fail at once. */
type Unreachable = { untilMs: number };

function noteUnreachable(silence: Unreachable): void {
  silence.untilMs = performance.now() + AWAY_FOR_MS;
}

type PoolState = {
  readonly waits: Set<Wait>;
  readonly silence: Unreachable;
  readonly outage: FailureLog;
};

/** The pool, with its waits for a connection recorded in order, and attempts stopped after a failed one. */
function recordedPool(pool: pg.Pool, { waits, silence, outage }: PoolState): PostgresPool {
  return {
    async connect() {
      const wait = { sinceMs: performance.now() };
      if (wait.sinceMs < silence.untilMs)
        throw new DatabaseUnavailable("the server did not answer a moment ago");
      waits.add(wait);
      try {
        return await pool.connect();
      } catch (cause) {
        if (!isAway(cause)) throw cause;
        noteUnreachable(silence);
        outage.failed(cause);
        throw new DatabaseUnavailable(cause);
      } finally {
        waits.delete(wait);
      }
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** Removes the row values that Postgres quotes in errors: they may hold e-mail addresses. */
function removeRowValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  error.detail = undefined;
  error.where = undefined;
}
