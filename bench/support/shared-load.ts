import { createClient } from "@redis/client";
import pg from "pg";

type Client = ReturnType<typeof openClient>;

type Counts = {
  readonly atMs: number;
  readonly redisCommands: number;
  readonly redisScripts: number;
  readonly redisPublishes: number;
  readonly redisInBytes: number;
  readonly redisOutBytes: number;
  readonly postgresCommits: number;
  readonly postgresRows: number;
};

/** What Redis and the Postgres database do for a deployment, from their own counters. */
export class SharedLoad {
  readonly #redis: Client;
  readonly #postgres: pg.Client;
  #last: Counts | null = null;

  private constructor(redis: Client, postgres: pg.Client) {
    this.#redis = redis;
    this.#postgres = postgres;
  }

  static async open(place: {
    readonly redisUrl: string;
    readonly databaseUrl: string;
  }): Promise<SharedLoad> {
    const redis = openClient(place.redisUrl);
    redis.on("error", () => undefined);
    await redis.connect();
    const postgres = new pg.Client({ connectionString: place.databaseUrl });
    await postgres.connect();
    const load = new SharedLoad(redis, postgres);
    load.#last = await load.#read();
    return load;
  }

  /** Since the last call. Other users of the same Postgres database are counted too. */
  async perSecond(): Promise<Readonly<Record<Exclude<keyof Counts, "atMs">, number>> | null> {
    const before = this.#last;
    const now = await this.#read();
    this.#last = now;
    if (before === null) return null;
    const seconds = (now.atMs - before.atMs) / 1_000;
    const rate = (which: keyof Counts) =>
      Number(((now[which] - before[which]) / seconds).toPrecision(3));
    return {
      redisCommands: rate("redisCommands"),
      redisScripts: rate("redisScripts"),
      redisPublishes: rate("redisPublishes"),
      redisInBytes: rate("redisInBytes"),
      redisOutBytes: rate("redisOutBytes"),
      postgresCommits: rate("postgresCommits"),
      postgresRows: rate("postgresRows"),
    };
  }

  async close(): Promise<void> {
    this.#redis.destroy();
    await this.#postgres.end();
  }

  async #read(): Promise<Counts> {
    const info = `${await this.#redis.info("stats")}${await this.#redis.info("commandstats")}`;
    const field = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0);
    const { rows } = await this.#postgres.query<{ commits: string; rows: string }>(
      `select xact_commit as commits, tup_inserted + tup_updated + tup_deleted as rows
       from pg_stat_database where datname = current_database()`,
    );
    return {
      atMs: performance.now(),
      redisCommands: field(/total_commands_processed:(\d+)/),
      redisScripts: field(/cmdstat_eval:calls=(\d+)/),
      redisPublishes: field(/cmdstat_publish:calls=(\d+)/),
      redisInBytes: field(/total_net_input_bytes:(\d+)/),
      redisOutBytes: field(/total_net_output_bytes:(\d+)/),
      postgresCommits: Number(rows[0]?.commits ?? 0),
      postgresRows: Number(rows[0]?.rows ?? 0),
    };
  }
}

function openClient(url: string) {
  return createClient({ url });
}
