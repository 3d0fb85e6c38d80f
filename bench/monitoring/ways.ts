import { setTimeout as pause } from "node:timers/promises";
import { STANDARD_SIZES, type StandardSize } from "#src/measure/assessment.ts";
import { type Answered, type Asked, CountedClient, type StreamEvent } from "./counted-client.ts";

/** Figures of a token by one monitoring method. */
export type Told = {
  /** The time of the chain state that it was measured on. */
  readonly updatedAt: string;
  /** Percent by size; null: not sellable. */
  readonly slippage: Readonly<Record<StandardSize, number | null>>;
};

export type WaySetting = {
  readonly url: string;
  readonly mints: readonly string[];
  readonly encoding: Asked["encoding"];
  /** The keys of as many accounts as the way needs; they take turns. */
  readonly keys: readonly string[];
};

/** One monitoring method: a bot's own client, and the answers it received. */
export interface Way {
  readonly client: CountedClient;
  /** The newest of each token. */
  readonly told: ReadonlyMap<string, Told>;
  /** Answers or events received so far. */
  readonly answers: number;
  /** Requests refused for the server's load, and repeated after Retry-After. */
  readonly refused: number;
  /** Resolves when the bot is ready for its first round. */
  open(): Promise<void>;
  /** Asks what has to be asked in one round, spread over so many milliseconds. */
  round(spreadMs: number): Promise<void>;
}

export type WayName = "batch" | "stream" | "stream-all" | "ladder" | "single";

export const MOST_MINTS = 100;
const CONNECTIONS = 16;
/** A caller can keep this many connections busy without asking for more than it is read. */
const LANES = 8;
const OVERLOADED = 503;
const STREAMS_OPEN_WITHIN_MS = 60_000;

/** Opens one of the ways. */
export function wayOf(name: WayName, setting: WaySetting): Way {
  switch (name) {
    case "batch":
      return new BatchWay(setting);
    case "stream":
      return new StreamWay(setting, "");
    case "stream-all":
      return new StreamWay(setting, "&threshold=0");
    case "ladder":
      return new LadderWay(setting);
    case "single":
      return new SingleWay(setting);
    default:
      return name satisfies never;
  }
}

/** Common part of the methods: their keys in turns, and the received answers. */
class Bot {
  readonly client: CountedClient;
  readonly told = new Map<string, Told>();
  readonly mints: readonly string[];
  answers = 0;
  refused = 0;
  readonly #setting: WaySetting;
  #turn = 0;

  constructor(setting: WaySetting) {
    this.#setting = setting;
    this.mints = setting.mints;
    this.client = new CountedClient(setting.url, CONNECTIONS);
  }

  /** As any bot has to: what is refused for the load is asked again when the server says. */
  async patiently<Answer extends Pick<Answered, "status" | "retryAfterSeconds">>(
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    for (;;) {
      const answer = await send();
      const { status, retryAfterSeconds } = answer;
      if (status === 200 || status === 304) return answer;
      if (status !== OVERLOADED) throw new Error(`answered ${status}: ${JSON.stringify(answer)}`);
      this.refused++;
      await pause(1_000 * (retryAfterSeconds ?? 1));
    }
  }

  ask(path: string, more: Partial<Asked> = {}): Promise<Answered> {
    return this.patiently(() => this.client.ask(path, { ...this.asked, ...more }));
  }

  get asked(): Pick<Asked, "apiKey" | "encoding"> {
    const { keys, encoding } = this.#setting;
    const apiKey = keys[this.#turn++ % keys.length] ?? "";
    return { apiKey, encoding };
  }

  async open(): Promise<void> {}

  hear(body: ExitabilityBody): void {
    this.answers++;
    const { updated_at: updatedAt, slippage } = body;
    this.told.set(body.token_id, { updatedAt, slippage: slippage.all });
  }
}

/** POST /api/exitability/batch: a hundred tokens a request, each with its whole ladder. */
class BatchWay extends Bot implements Way {
  async round(spreadMs: number): Promise<void> {
    await paced(chunks(this.mints), spreadMs, async (mints) => {
      const answer = await this.ask("/api/exitability/batch", { body: { mints } });
      for (const { token_id, status, exitability } of JSON.parse(answer.text).items) {
        if (exitability === null) throw new Error(`${token_id} in a batch: ${status}`);
        this.hear(exitability);
      }
    });
  }
}

/** GET /api/stream: a hundred tokens a connection, and nothing asked in any round. */
class StreamWay extends Bot implements Way {
  readonly #query: string;

  constructor(setting: WaySetting, query: string) {
    super(setting);
    this.#query = query;
  }

  override async open(): Promise<void> {
    const opened = Promise.withResolvers<void>();
    const late = setTimeout(
      () => opened.reject(new Error("a stream did not send all its tokens")),
      STREAMS_OPEN_WITHIN_MS,
    );
    for (const mints of chunks(this.mints)) {
      const path = `/api/stream?mints=${mints.join(",")}${this.#query}`;
      const onEvent = ({ event, data }: StreamEvent): void => {
        if (event === "unavailable") opened.reject(new Error(data));
        if (event !== "exitability") return;
        this.hear(JSON.parse(data));
        if (this.told.size === this.mints.length) opened.resolve();
      };
      await this.patiently(() => this.client.follow(path, this.asked, onEvent));
    }
    await opened.promise.finally(() => clearTimeout(late));
  }

  async round(spreadMs: number): Promise<void> {
    await pause(spreadMs);
  }
}

/** GET /api/token/{id}/exitability with If-None-Match: a token a request, all six sizes in it. */
class LadderWay extends Bot implements Way {
  readonly #etags = new Map<string, string>();

  async round(spreadMs: number): Promise<void> {
    await paced(this.mints, spreadMs, async (mint) => {
      const path = `/api/token/${mint}/exitability`;
      const ifNoneMatch = this.#etags.get(mint);
      const { status, etag, text } = await this.ask(path, { ifNoneMatch });
      if (status === 304) {
        this.answers++;
        return;
      }
      if (etag !== undefined) this.#etags.set(mint, etag);
      this.hear(JSON.parse(text));
    });
  }
}

/** GET /api/token/{id}/exitability/at: a size a request. */
class SingleWay extends Bot implements Way {
  async round(spreadMs: number): Promise<void> {
    await paced(this.mints, spreadMs, async (mint) => {
      const slippage: [StandardSize, number | null][] = [];
      const times = new Set<string>();
      for (const size of STANDARD_SIZES) {
        const path = `/api/token/${mint}/exitability/at?size=${size}`;
        const answer = await this.ask(path);
        const quote = JSON.parse(answer.text);
        slippage.push([size, quote.slippage_pct]);
        times.add(quote.updated_at);
        this.answers++;
      }
      this.told.set(mint, {
        updatedAt: [...times].join(" and "),
        slippage: Object.fromEntries(slippage) as Record<StandardSize, number | null>,
      });
    });
  }
}

type ExitabilityBody = {
  readonly token_id: string;
  readonly updated_at: string;
  readonly slippage: { readonly all: Readonly<Record<StandardSize, number | null>> };
};

/** Does the work for each item, evenly over the time, a few at once where they take longer. */
async function paced<Item>(
  items: readonly Item[],
  spreadMs: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const startedMs = performance.now();
  const queue = items.entries();
  async function lane(): Promise<void> {
    for (const [place, item] of queue) {
      const dueMs = startedMs + (place * spreadMs) / items.length;
      if (dueMs > performance.now()) await pause(dueMs - performance.now());
      await work(item);
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane));
}

function chunks(mints: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(mints.length / MOST_MINTS) }, (_, place) =>
    mints.slice(place * MOST_MINTS, (place + 1) * MOST_MINTS),
  );
}
