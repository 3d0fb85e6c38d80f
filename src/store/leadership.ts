import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import type pg from "pg";
import type { WallClock } from "#src/platform/clock.ts";
import type { FailureLogger } from "#src/platform/failure-log.ts";
import { type Database, openDatabase } from "./connection/database.ts";
import { DatabaseUnavailable, isAway, WatchedClient } from "./connection/watched-client.ts";
import type { Schema } from "./schema.ts";

/** One row per role that one process at a time holds. */
export type LeadershipTables = {
  leadership: { role: string; deployment: string; term: bigint; heartbeat_at_ms: bigint };
};

const ROLE = "tracker";
const TRY_EVERY_MS = 500;
const HEARTBEAT_EVERY_MS = 1_000;
/** A leader whose heartbeat is older is dead, frozen or cut off: its connections are terminated. */
const DEAD_AFTER_MS = 5_000;
/** A leader without a successful heartbeat for this long steps down, before a standby terminates it. */
const STEP_DOWN_AFTER_MS = 4_000;
const CONNECT_TIMEOUT_MS = 3_000;
const EVICT_TRIES = 20;

const DB_NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::int8";
/** Advisory locks belong to the database, so the name includes the schema. Positive, as in pg_locks. */
const LEADER_LOCK = `hashtext('exitability.leader.' || current_schema()) & 2147483647`;
const WRITER_LOCK = `hashtext('exitability.writer.' || current_schema()) & 2147483647`;

export type LeadershipSettings = {
  /** Postgres. */
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly clock: WallClock;
  /** Stops the wait for leadership. */
  readonly signal: AbortSignal;
  /** Called for failures after which the wait or the leadership goes on. */
  readonly onFailure: (what: string, cause: unknown) => void;
  /** For the outages of `Leadership.database`. */
  readonly log?: FailureLogger;
};

/** One process's term as the leader. */
export type Leadership = {
  /** Increases with each leader: data of a lower term is out of date. */
  readonly term: bigint;
  /**
   * Connections for what only the leader writes. Postgres itself refuses writes of earlier terms: a
   * new leader terminates the connections of the previous one before it starts, and a connection
   * with an earlier term cannot be opened again.
   */
  readonly database: Database;
  /** Resolves when leadership is lost, for any reason. */
  readonly lost: Promise<void>;
  /** Releases leadership; a standby can take it at once. */
  readonly resign: () => Promise<void>;
};

/** The name of the deployment: the same for all processes that share this database. */
export async function deploymentName(db: Kysely<Schema>): Promise<string> {
  await db
    .insertInto("leadership")
    .values({ role: ROLE, deployment: randomUUID(), term: 0n, heartbeat_at_ms: 0n })
    .onConflict((conflict) => conflict.column("role").doNothing())
    .execute();
  const { deployment } = await db
    .selectFrom("leadership")
    .select("deployment")
    .where("role", "=", ROLE)
    .executeTakeFirstOrThrow();
  return deployment;
}

/**
 * Waits until this process leads. A leader holds an advisory lock and writes a heartbeat each second;
 * a standby terminates a leader without a heartbeat for five seconds.
 *
 * @returns null if the signal ended the wait
 */
export async function waitForLeadership(settings: LeadershipSettings): Promise<Leadership | null> {
  const { signal, onFailure } = settings;
  let contender: Contender | null = null;
  while (!signal.aborted) {
    try {
      contender ??= await Contender.connect(settings);
      const term = await contender.tryToLead();
      if (term !== null) return leadership(contender, term, settings);
    } catch (cause) {
      onFailure("wait for the tracker role", cause);
      await contender?.end();
      contender = null;
    }
    await delay(TRY_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  await contender?.end();
  return null;
}

function leadership(
  contender: Contender,
  term: bigint,
  { databaseUrl, dataDir, clock, onFailure, log }: LeadershipSettings,
): Leadership {
  const lost = Promise.withResolvers<void>();
  let lastHeartbeatMs = clock.nowMs();
  let isWriting = false;
  const heartbeat = async () => {
    if (clock.nowMs() - lastHeartbeatMs > STEP_DOWN_AFTER_MS) stepDown();
    if (isWriting) return;
    isWriting = true;
    try {
      if (await contender.heartbeat(term)) lastHeartbeatMs = clock.nowMs();
      else stepDown();
    } catch (cause) {
      onFailure("write the tracker's heartbeat", cause);
    } finally {
      isWriting = false;
    }
  };
  const heartbeats = setInterval(() => void heartbeat(), HEARTBEAT_EVERY_MS);
  const stepDown = () => {
    clearInterval(heartbeats);
    lost.resolve();
    void contender.end();
  };
  contender.onEnd(stepDown);
  const database = openDatabase({
    databaseUrl,
    dataDir,
    ...(log === undefined ? {} : { log }),
    onConnect: (client) => enterTerm(client, term),
  });
  return {
    term,
    database,
    lost: lost.promise,
    async resign() {
      clearInterval(heartbeats);
      lost.resolve();
      await contender.end();
    },
  };
}

/**
 * Marks a connection with this term, by a shared advisory lock. The lock is taken before the term is
 * read, and a new leader raises the term before it reads the locks: one of the two sees the other.
 *
 * @throws if a later term has begun
 */
export async function enterTerm(client: pg.ClientBase, term: bigint): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${WRITER_LOCK}, ${term}::int4)`);
  const { rows } = await client.query<{ term: bigint }>(
    "select term from leadership where role = $1",
    [ROLE],
  );
  if (rows[0]?.term !== term) throw new Error(`term ${term} of the tracker is over`);
}

/** The connection by which a process waits and leads. The process leads while this connection lives. */
class Contender {
  readonly #client: WatchedClient;
  readonly #clock: WallClock;
  /** The leader's last heartbeat, and when this process first read it. */
  #watched: { readonly heartbeat: string; readonly sinceMs: number } | null = null;
  #isEnded = false;
  #onEnd: () => void = () => {};

  constructor(client: WatchedClient, clock: WallClock) {
    this.#client = client;
    this.#clock = clock;
    client.on("error", () => this.#ended());
    client.on("end", () => this.#ended());
  }

  static async connect({ databaseUrl, clock }: LeadershipSettings): Promise<Contender> {
    const contender = new Contender(
      new WatchedClient({
        connectionString: databaseUrl,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        application_name: "exitability tracker",
      }),
      clock,
    );
    try {
      await contender.#client.connect();
    } catch (cause) {
      await contender.end();
      throw isAway(cause) ? new DatabaseUnavailable(cause) : cause;
    }
    return contender;
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener;
    if (this.#isEnded) listener();
  }

  /** The new term; null if another process leads. */
  async tryToLead(): Promise<bigint | null> {
    const [won] = await this.#rows(`select pg_try_advisory_lock(${LEADER_LOCK}, 0) as won`);
    if (won?.["won"] !== true) {
      await this.#terminateStaleLeader();
      return null;
    }
    const [raised] = await this.#rows(
      `update leadership set term = term + 1, heartbeat_at_ms = ${DB_NOW_MS}
       where role = '${ROLE}' returning term::text`,
    );
    if (raised === undefined) throw new Error("the deployment has no name yet");
    const term = BigInt(String(raised["term"]));
    await this.#terminateWritersBefore(term);
    return term;
  }

  /** @returns whether this is still the newest term */
  async heartbeat(term: bigint): Promise<boolean> {
    const rows = await this.#rows(
      `update leadership set heartbeat_at_ms = ${DB_NOW_MS}
       where role = '${ROLE}' and term = ${term} returning 1 as one`,
    );
    return rows.length === 1;
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => undefined);
    this.#ended();
  }

  /** Terminates the leader's connection if this process has seen no new heartbeat for DEAD_AFTER_MS. */
  async #terminateStaleLeader(): Promise<void> {
    const [row] = await this.#rows(
      `select term::text || ' ' || heartbeat_at_ms::text as heartbeat from leadership where role = '${ROLE}'`,
    );
    const heartbeat = String(row?.["heartbeat"]);
    if (this.#watched?.heartbeat !== heartbeat)
      this.#watched = { heartbeat, sinceMs: this.#clock.nowMs() };
    if (this.#clock.nowMs() - this.#watched.sinceMs < DEAD_AFTER_MS) return;
    await this.#rows(
      `select pg_terminate_backend(held.pid)
       from pg_locks held where ${heldLocks(LEADER_LOCK)} and held.objid = 0`,
    );
  }

  async #terminateWritersBefore(term: bigint): Promise<void> {
    for (let tries = 0; tries < EVICT_TRIES; tries++) {
      const ended = await this.#rows(
        `select pg_terminate_backend(held.pid)
         from pg_locks held where ${heldLocks(WRITER_LOCK)} and held.objid::int8 < ${term}`,
      );
      if (ended.length === 0) return;
      await delay(50);
    }
    throw new Error("connections of an earlier tracker could not be terminated");
  }

  async #rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#client.query(text)).rows;
  }

  #ended(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd();
  }
}

function heldLocks(lock: string): string {
  return `held.locktype = 'advisory' and held.granted and held.pid <> pg_backend_pid()
    and held.database = (select oid from pg_database where datname = current_database())
    and held.classid::int8 = (${lock})`;
}
