import type { ServerResponse } from "node:http";

/**
 * A response's head once it is made up: Node's own field, which it sends as it is, and which is what
 * `headersSent` looks at. It is not in the types.
 */
type WithHead = ServerResponse & { _header: string | null };

const REASONS = { 200: "OK", 304: "Not Modified", 503: "Service Unavailable" } as const;
export type ReadyStatus = keyof typeof REASONS;

/** One header's line of a head. The value is ours: nothing here looks for line ends in it. */
export function headerLine(name: string, value: string): string {
  return `${name}: ${value}\r\n`;
}

/** Writes answers whose header lines are text already. */
export class ReadyAnswers {
  readonly #keepAlive: string;
  #date = "";
  #dateSecond = Number.NaN;

  /** @param keepAliveMs for how long the server holds a connection that asks nothing */
  constructor(keepAliveMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;
  }

  /**
   * Ends the response with status, lines and body in one write. `writeHead` looks at every header's
   * name and value and joins them one by one, which costs more than all else in a hot answer. Date and
   * connection stand where Node puts them; a connection that is to be closed is not for here.
   *
   * @param body its bytes as one character each
   */
  send(
    response: ServerResponse,
    answer: { readonly status: ReadyStatus; readonly lines: string; readonly body: string },
    nowMs: number,
  ): void {
    const { status, lines, body } = answer;
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = headerLine("Date", new Date(nowMs).toUTCString());
    }
    const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines}${this.#date}${this.#keepAlive}`;
    response.statusCode = status;
    (response as WithHead)._header = head + body;
    response.end();
  }
}
