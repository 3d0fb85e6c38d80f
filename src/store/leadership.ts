import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import type pg from "pg";
import { type Database, openDatabase } from "./database.ts";
import type { Schema } from "./schema.ts";
import { WatchedClient } from "./watched-client.ts";

/** One row for each duty that one process at a time has. */
export type LeadershipTables = {
  leadership: { duty: string; deployment: string; term: bigint; beat_at_ms: bigint };
};

const DUTY = "tracker";
const TRY_EVERY_MS = 500;
const BEAT_EVERY_MS = 1_000;
/** A leader whose beat is older is taken for dead, frozen or cut off, and its connections are ended. */
const DEAD_AFTER_MS = 5_000;
/** A leader that could not beat for so long steps down: before another one may take it for dead. */
const STEP_DOWN_AFTER_MS = 4_000;
const CONNECT_TIMEOUT_MS = 3_000;
const EVICT_TRIES = 20;

const DB_NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::int8";
/** Advisory locks are the database's; ours are told apart by schema. Positive, as pg_locks shows them. */
const LEADER_LOCK = `hashtext('exitability.leader.' || current_schema()) & 2147483647`;
const WRITER_LOCK = `hashtext('exitability.writer.' || current_schema()) & 2147483647`;

export type LeadershipSettings = {
  /** Postgres. */
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly nowMs: () => number;
  /** Ends the standing by. */
  readonly signal: AbortSignal;
  /** Told of failures that standing by survives. */
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** One process's time as the one that tracks. */
export type Leadership = {
  /** Counts leaders: whatever a lower term says is out of date. */
  readonly term: bigint;
  /**
   * The database for what only the leader writes. The database itself refuses it to every earlier
   * term: a new leader ends the old one's connections before it begins, and none can be made anew.
   */
  readonly database: Database;
  /** Resolves when this process leads no more, whoever's doing it was. */
  readonly lost: Promise<void>;
  /** Gives the duty back, at once to whoever stands by. */
  readonly resign: () => Promise<void>;
};

/** The name of all processes that share this database, the same for each. */
export async function deploymentName(db: Kysely<Schema>): Promise<string> {
  await db
    .insertInto("leadership")
    .values({ duty: DUTY, deployment: randomUUID(), term: 0n, beat_at_ms: 0n })
    .onConflict((conflict) => conflict.column("duty").doNothing())
    .execute();
  const { deployment } = await db
    .selectFrom("leadership")
    .select("deployment")
    .where("duty", "=", DUTY)
    .executeTakeFirstOrThrow();
  return deployment;
}

/**
 * Stands by until this process leads. A leader holds an advisory lock and writes down each second
 * that it lives; one that does not for five seconds is put out by whoever stands by.
 *
 * @returns null where the signal ended it
 */
export async function standForLeadership(settings: LeadershipSettings): Promise<Leadership | null> {
  const { signal, onFailure } = settings;
  let contender: Contender | null = null;
  while (!signal.aborted) {
    try {
      contender ??= await Contender.connect(settings);
      const term = await contender.tryToLead();
      if (term !== null) return leadership(contender, term, settings);
    } catch (cause) {
      onFailure("stand by as the tracker", cause);
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
  { databaseUrl, dataDir, nowMs, onFailure }: LeadershipSettings,
): Leadership {
  const lost = Promise.withResolvers<void>();
  let beatenAtMs = nowMs();
  let isBeating = false;
  const beat = async () => {
    if (nowMs() - beatenAtMs > STEP_DOWN_AFTER_MS) stepDown();
    if (isBeating) return;
    isBeating = true;
    try {
      if (await contender.beat(term)) beatenAtMs = nowMs();
      else stepDown();
    } catch (cause) {
      onFailure("say that the tracker lives", cause);
    } finally {
      isBeating = false;
    }
  };
  const beating = setInterval(() => void beat(), BEAT_EVERY_MS);
  const stepDown = () => {
    clearInterval(beating);
    lost.resolve();
    void contender.end();
  };
  contender.onEnd(stepDown);
  const database = openDatabase({
    databaseUrl,
    dataDir,
    onConnect: (client) => enterTerm(client, term),
  });
  return {
    term,
    database,
    lost: lost.promise,
    async resign() {
      clearInterval(beating);
      lost.resolve();
      await contender.end();
    },
  };
}

/**
 * Marks a connection as one of this term's. The mark is set before the term is read: a new leader
 * raises the term before it looks for marks, so that one of the two sees the other.
 */
export async function enterTerm(client: pg.ClientBase, term: bigint): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${WRITER_LOCK}, ${term}::int4)`);
  const { rows } = await client.query<{ term: bigint }>(
    "select term from leadership where duty = $1",
    [DUTY],
  );
  if (rows[0]?.term !== term) throw new Error(`term ${term} of the tracker is over`);
}

/** The connection by which a process stands by and leads: it is the leader for as long as this lives. */
class Contender {
  readonly #client: WatchedClient;
  readonly #nowMs: () => number;
  /** The leader's last beat, and since when it is that. */
  #watched: { readonly beat: string; readonly sinceMs: number } | null = null;
  #isEnded = false;
  #onEnd: () => void = () => {};

  constructor(client: WatchedClient, nowMs: () => number) {
    this.#client = client;
    this.#nowMs = nowMs;
    client.on("error", () => this.#ended());
    client.on("end", () => this.#ended());
  }

  static async connect({ databaseUrl, nowMs }: LeadershipSettings): Promise<Contender> {
    const contender = new Contender(
      new WatchedClient({
        connectionString: databaseUrl,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        application_name: "exitability tracker",
      }),
      nowMs,
    );
    try {
      await contender.#client.connect();
    } catch (cause) {
      await contender.end();
      throw cause;
    }
    return contender;
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener;
    if (this.#isEnded) listener();
  }

  /** The new term where nobody else leads; null where somebody does. */
  async tryToLead(): Promise<bigint | null> {
    const [won] = await this.#rows(`select pg_try_advisory_lock(${LEADER_LOCK}, 0) as won`);
    if (won?.["won"] !== true) {
      await this.#putOutTheDead();
      return null;
    }
    const [raised] = await this.#rows(
      `update leadership set term = term + 1, beat_at_ms = ${DB_NOW_MS}
       where duty = '${DUTY}' returning term::text`,
    );
    if (raised === undefined) throw new Error("nobody has named this deployment yet");
    const term = BigInt(String(raised["term"]));
    await this.#endWritersBefore(term);
    return term;
  }

  /** Whether this is still the newest term. */
  async beat(term: bigint): Promise<boolean> {
    const rows = await this.#rows(
      `update leadership set beat_at_ms = ${DB_NOW_MS}
       where duty = '${DUTY}' and term = ${term} returning 1 as one`,
    );
    return rows.length === 1;
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => undefined);
    this.#ended();
  }

  /** Ends the leader's connection where its beat has stood still for as long as this process watched. */
  async #putOutTheDead(): Promise<void> {
    const [row] = await this.#rows(
      `select term::text || ' ' || beat_at_ms::text as beat from leadership where duty = '${DUTY}'`,
    );
    const beat = String(row?.["beat"]);
    if (this.#watched?.beat !== beat) this.#watched = { beat, sinceMs: this.#nowMs() };
    if (this.#nowMs() - this.#watched.sinceMs < DEAD_AFTER_MS) return;
    await this.#rows(
      `select pg_terminate_backend(held.pid)
       from pg_locks held where ${heldLocks(LEADER_LOCK)} and held.objid = 0`,
    );
  }

  async #endWritersBefore(term: bigint): Promise<void> {
    for (let tries = 0; tries < EVICT_TRIES; tries++) {
      const ended = await this.#rows(
        `select pg_terminate_backend(held.pid)
         from pg_locks held where ${heldLocks(WRITER_LOCK)} and held.objid::int8 < ${term}`,
      );
      if (ended.length === 0) return;
      await delay(50);
    }
    throw new Error("connections of an earlier tracker could not be ended");
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
