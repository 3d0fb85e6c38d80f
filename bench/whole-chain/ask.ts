import { Agent, get } from "node:http";
import type { AnswerFigures } from "./check-answer.ts";

export type Asked = {
  readonly status: number;
  /** The slot that the answer claims; null: none. */
  readonly slot: number | null;
  readonly body: AnswerFigures & {
    readonly state: string;
    readonly updated_at: string;
    /** Instead of the figures, unless the status is 200. */
    readonly error?: string;
    readonly message?: string;
  };
  readonly atMs: number;
};

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Asks for a token's answer by a key. Rejects if the connection fails. */
export function ask(url: string, mint: string, key: string): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const options = { agent, headers: { "x-api-key": key } };
    get(`${url}/api/token/${mint}/exitability`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const slot = response.headers["x-state-slot"];
        resolve({
          status: response.statusCode ?? 0,
          slot: slot === undefined ? null : Number(slot),
          body: JSON.parse(text),
          atMs: performance.timeOrigin + performance.now(),
        });
      });
      response.on("error", reject);
    }).on("error", reject);
  });
}

/** Keys in turns: each has a limit of its own. */
export class KeyRing {
  readonly #keys: readonly string[];
  #turn = 0;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  next(): string {
    return this.#keys[this.#turn++ % this.#keys.length] ?? "";
  }
}
