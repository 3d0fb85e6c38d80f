import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { AppError } from "#src/platform/app-error.ts";

/** A statement without an answer for so long is asked after, on another connection. */
const SILENT_MS = 3_000;
const ASKED_AFTER_WITHIN_MS = 2_000;
/** An answer that was on its way while it was asked after. */
const ON_ITS_WAY_MS = 500;
/** A goodbye that nobody returns. */
const END_WITHIN_MS = 1_000;

/** SQLSTATE classes and codes by which a server says that it is not there for anybody just now. */
const AWAY_CODES = [/^08/, /^57P0/, /^53300$/];
const TOO_MANY_CONNECTIONS = "53300";
/** How the library words the end of a connection, and the wait for one. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Client (was closed|has enc)|Query read t|timeout e)/;

/** Nobody answers on this connection, nor on another. */
class Silence extends Error {}

/**
 * A connection to Postgres that never waits for a server that is not there: where a statement has no
 * answer, another connection asks whether the server is still at it, and if not, or if nobody answers
 * there either, this one is given up and what waits for it fails. Statements may take as long as they
 * need; neither TCP nor `statement_timeout` notices packets that are dropped in between.
 *
 * Statements fail with `databaseUnavailable` where the server can't be reached.
 */
export class WatchedClient extends pg.Client {
  readonly #config: pg.ClientConfig;
  readonly #socket: Socket;
  /** The server's process for this connection; null: not known yet. */
  #pid: number | null = null;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#config = config;
    this.#socket = socket;
    // The library's methods have many shapes: what is added to them is the same for each.
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

  /** Asks who answers here: before it, silence counts as the server's end. To be called once connected. */
  async introduce(): Promise<void> {
    const { rows } = await this.query<{ pid: number }>("select pg_backend_pid() as pid");
    this.#pid = rows[0]?.pid ?? null;
  }

  /** Breaks the connection off: what waits for it fails at once. */
  giveUp(): void {
    this.#socket.destroy();
  }

  #watch(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    let isOver = false;
    let isGivenUp = false;
    let timer: NodeJS.Timeout;
    const look = async () => {
      if (await isAtWork(this.#config, this.#pid)) {
        if (!isOver) timer = setTimeout(() => void look(), SILENT_MS);
        return;
      }
      await delay(ON_ITS_WAY_MS);
      if (isOver) return;
      isGivenUp = true;
      this.giveUp();
    };
    timer = setTimeout(() => void look(), SILENT_MS);
    return answer
      .catch((cause: unknown) => {
        if (!isAway(cause)) throw cause;
        // The pool gives it to nobody any more, though its end has not been heard of yet.
        this.end().catch(() => undefined);
        throw databaseUnavailable(isGivenUp ? new Silence("nobody answers", { cause }) : cause);
      })
      .finally(() => {
        isOver = true;
        clearTimeout(timer);
      });
  }
}

/** The server can't be reached, which says nothing about what was asked: it can be asked again. */
export function databaseUnavailable(cause: unknown): AppError {
  return new AppError("overloaded", {
    publicMessage: "The database can't be reached just now. Try again in some seconds.",
    retryable: true,
    cause,
  });
}

/** Whether a statement failed because its connection fell silent, and nobody answered on another. */
export function isSilence(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof Silence;
}

/** Whether a failure is the connection's, and not a refusal of what was asked. */
export function isAway(cause: unknown): boolean {
  if (cause instanceof pg.DatabaseError)
    return AWAY_CODES.some((code) => code.test(cause.code ?? ""));
  if (!(cause instanceof Error)) return false;
  return "syscall" in cause || CONNECTION_MESSAGES.test(cause.message);
}

/** Whether the server can be reached and works on something for the connection `pid`. */
async function isAtWork(config: pg.ClientConfig, pid: number | null): Promise<boolean> {
  const socket = new Socket();
  const late = setTimeout(() => socket.destroy(), ASKED_AFTER_WITHIN_MS);
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
    // A server that has too many connections is there, and busy.
    return cause instanceof pg.DatabaseError && cause.code === TOO_MANY_CONNECTIONS;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}
