import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import { Batcher } from "#src/platform/batcher.ts";

export type SyncedSqliteConfig = {
  readonly database: SqliteDatabase;
  /** Number of rows changed since the connection was opened. */
  readonly changes: () => bigint;
  /** Resolves when everything committed before the call is on the disk. */
  readonly sync: () => Promise<void>;
  readonly closeSync: () => Promise<void>;
};

/**
 * SQLite whose commits are synced to the disk off this thread. A statement or transaction that may write
 * resolves after a sync that began after its own commit and all earlier ones; commits that end during a sync
 * share the next one. SQLite itself would block the process for each sync: 0.2 s on a busy disk.
 */
export function syncedSqlite(config: SyncedSqliteConfig): Dialect {
  const { database } = config;
  const dialect = new SqliteDialect({ database });
  return {
    createAdapter: () => new SyncedAdapter(),
    createDriver: () => new SyncedDriver(config),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/**
 * SyncedDriver admits one caller at a time. Kysely must not do that itself: it would hold the connection
 * until the sync has ended.
 */
class SyncedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SyncedDriver extends SqliteDriver {
  readonly #config: SyncedSqliteConfig;
  readonly #syncs: Batcher<PromiseWithResolvers<void>>;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  /** Whether the present caller ran a statement that may write. */
  #mayWrite = false;
  #changesSeen = 0n;
  /** Commits so far, and those that a sync has covered. */
  #commits = 0;
  #synced = 0;

  constructor(config: SyncedSqliteConfig) {
    const { database } = config;
    const prepare: SqliteDatabase["prepare"] = (sql) => {
      if (!isRead(sql)) this.#mayWrite = true;
      return database.prepare(sql);
    };
    super({ database: { close: () => database.close(), prepare } });
    this.#config = config;
    this.#syncs = new Batcher({ maxActive: 1, flush: (ended) => this.#syncFor(ended) });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    this.#mayWrite = false;
    return super.acquireConnection();
  }

  /**
   * A write that changed no row waits too: the row that it found may belong to a commit that is not synced yet. It
   * does not wait for a commit of another connection, as the tracker's thread has.
   */
  override async releaseConnection(): Promise<void> {
    const mayWrite = this.#mayWrite;
    try {
      if (mayWrite) this.#countCommit();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
    if (!mayWrite || this.#synced === this.#commits) return;
    const ended = Promise.withResolvers<void>();
    this.#syncs.add(ended);
    await ended.promise;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection);
    this.#changesSeen = this.#config.changes();
  }

  /** Waits for all earlier callers and their syncs. */
  override async destroy(): Promise<void> {
    await this.acquireConnection();
    await this.#syncs.close();
    await this.#config.closeSync();
    await super.destroy();
  }

  #countCommit(): void {
    const changes = this.#config.changes();
    if (changes !== this.#changesSeen) this.#commits++;
    this.#changesSeen = changes;
  }

  async #syncFor(ended: readonly PromiseWithResolvers<void>[]): Promise<void> {
    const commits = this.#commits;
    try {
      await this.#config.sync();
      this.#synced = commits;
      for (const { resolve } of ended) resolve();
    } catch (cause) {
      for (const { reject } of ended) reject(cause);
    }
  }
}

function isRead(sql: string): boolean {
  return /^\s*(?:select|pragma|rollback)\b/i.test(sql);
}

/** Syncs the write-ahead log of a database, which is the same file for as long as it is open. */
export class WalFile {
  readonly #path: string;
  /** One handle for all syncs: the process ends if one that was not closed is collected. */
  #opened: Promise<FileHandle> | null = null;
  #failure: Error | null = null;
  readonly #running = new Set<Promise<void>>();

  constructor(databaseFile: string) {
    this.#path = `${databaseFile}-wal`;
  }

  /**
   * Why a sync failed; null: none has failed. The next sync could report the lost bytes as written. So no
   * sync succeeds until the database is opened again, which reads what is on the disk.
   */
  get failure(): Error | null {
    return this.#failure;
  }

  readonly sync = async (): Promise<void> => {
    const running = this.#sync();
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  };

  /** Ends after the syncs under way. */
  readonly close = async (): Promise<void> => {
    await Promise.allSettled(this.#running);
    // A file that could not be opened has nothing to close.
    const file = await this.#opened?.catch(() => null);
    await file?.close();
  };

  async #sync(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const file = await this.#explained(this.#open());
    try {
      await this.#explained(file.datasync());
    } catch (cause) {
      this.#failure = cause as Error;
      throw cause;
    }
  }

  /** Syncs may begin at once; where the file could not be opened, the next one tries again. */
  #open(): Promise<FileHandle> {
    this.#opened ??= openNew(this.#path).catch((cause: unknown) => {
      this.#opened = null;
      throw cause;
    });
    return this.#opened;
  }

  async #explained<Done>(step: Promise<Done>): Promise<Done> {
    try {
      return await step;
    } catch (cause) {
      const { message } = cause as Error;
      throw new Sqlite.SqliteError(`syncing ${this.#path}: ${message}`, "SQLITE_IOERR_FSYNC");
    }
  }
}

/** SQLite has just created the file; its directory entry has to be on the disk as well. */
async function openNew(path: string): Promise<FileHandle> {
  const directory = await open(dirname(path));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  return await open(path, "r+");
}
