import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { AppError } from "#src/platform/app-error.ts";

/** After this long without an answer, another connection checks on the statement. */
const SILENT_MS = 3_000;
const CHECK_TIMEOUT_MS = 2_000;
/** Grace for an answer that was in transit during the check. */
const IN_TRANSIT_MS = 500;
/** Time for the server to answer a close. */
const END_WITHIN_MS = 1_000;

/** SQLSTATE classes and codes of a server that accepts no connection at the moment. */
const AWAY_CODES = [/^08/, /^57P0/, /^53300$/];
const TOO_MANY_CONNECTIONS = "53300";
/** The library's messages for a closed connection, for a connect timeout, and for a server without TLS. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Client (was closed|has enc)|Query read t|timeout e|The server does not support SSL)/;
/** Node's codes for a certificate that is not trusted, has expired or is of another host. */
const CERTIFICATE_CODES = /CERT|LEAF_SIGNATURE/;

/** The server answers neither on this connection nor on another. */
class Silence extends Error {}

/**
 * A connection to Postgres that detects an unreachable server. If a statement has no answer, another
 * connection asks whether the server still works on it. If it does not, or that connection gets no
 * answer either, this connection is closed and its statements fail with `DatabaseUnavailable`. A
 * statement may take as long as it needs; neither TCP nor `statement_timeout` detects dropped packets.
 */
export class WatchedClient extends pg.Client {
  readonly #config: pg.ClientConfig;
  readonly #socket: Socket;
  /** The server's process of this connection; null before it is known. */
  #pid: number | null = null;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#config = config;
    this.#socket = socket;
    // The library's method has many overloads; all of them are wrapped alike.
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => this.#watch(query(...args))) as pg.Client["query"];
    const end = this.end.bind(this) as (...args: unknown[]) => unknown;
    this.end = ((...args: unknown[]) => {
      const late = setTimeout(() => socket.destroy(), END_WITHIN_MS);
      if (socket.closed) clearTimeout(late);
      socket.once("close", () => clearTimeout(late));
      return end(...args);
    }) as pg.Client["end"];
  }

  /** Reads the server's process id. Call it once connected: until then silence counts as an unreachable server. */
  async introduce(): Promise<void> {
    const { rows } = await this.query<{ pid: number }>("select pg_backend_pid() as pid");
    this.#pid = rows[0]?.pid ?? null;
  }

  /** Destroys the connection: its statements fail at once. */
  giveUp(): void {
    this.#socket.destroy();
  }

  #watch(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    let isOver = false;
    let isGivenUp = false;
    let timer: NodeJS.Timeout;
    const check = async () => {
      if (await isAtWork(this.#config, this.#pid)) {
        if (!isOver) timer = setTimeout(() => void check(), SILENT_MS);
        return;
      }
      await delay(IN_TRANSIT_MS);
      if (isOver) return;
      isGivenUp = true;
      this.giveUp();
    };
    timer = setTimeout(() => void check(), SILENT_MS);
    return answer
      .catch((cause: unknown) => {
        if (!isAway(cause)) throw cause;
        // The pool must not hand it out again, although its end event has not arrived.
        this.end().catch(() => undefined);
        throw new DatabaseUnavailable(
          isGivenUp ? new Silence("the server does not answer", { cause }) : cause,
        );
      })
      .finally(() => {
        isOver = true;
        clearTimeout(timer);
      });
  }
}

/** The server is unreachable. The request was not at fault and can be repeated. */
export class DatabaseUnavailable extends AppError {
  constructor(cause: unknown) {
    super("overloaded", {
      publicMessage: "The database can't be reached just now. Try again in some seconds.",
      isLoggedAtSource: true,
      cause,
    });
  }
}

/** Whether a statement failed because the server answered neither on its connection nor on another. */
export function isSilence(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof Silence;
}

/** Whether the connection failed, rather than the statement. */
export function isAway(cause: unknown): boolean {
  if (cause instanceof pg.DatabaseError)
    return AWAY_CODES.some((code) => code.test(cause.code ?? ""));
  if (!(cause instanceof Error)) return false;
  if ("syscall" in cause || CONNECTION_MESSAGES.test(cause.message)) return true;
  return "code" in cause && CERTIFICATE_CODES.test(String(cause.code));
}

/** Whether the server is reachable and works on a statement of the connection `pid`. */
async function isAtWork(config: pg.ClientConfig, pid: number | null): Promise<boolean> {
  const socket = new Socket();
  const late = setTimeout(() => socket.destroy(), CHECK_TIMEOUT_MS);
  const client = new pg.Client({ ...config, stream: () => socket });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ state: string }>(
      "select state from pg_stat_activity where pid = $1",
      [pid],
    );
    return rows[0]?.state === "active";
  } catch (cause) {
    // A server with too many connections is reachable and busy.
    return cause instanceof pg.DatabaseError && cause.code === TOO_MANY_CONNECTIONS;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}
