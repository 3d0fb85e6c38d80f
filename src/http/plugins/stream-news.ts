import type { ExitabilityBody } from "#src/wire/exitability.ts";
import { hasMoved } from "#src/wire/exitability-change.ts";
import type { Channel } from "./exitability-channels.ts";

/** News are gathered for so long, and each token's newest is sent. */
const GATHER_MS = 500;

/** Gathers one stream's news, and passes on what a reader has not been told yet. */
export class StreamNews {
  readonly #thresholdPct: number | null;
  readonly #deliver: (bodies: readonly ExitabilityBody[]) => void;
  readonly #gathered = new Map<string, ExitabilityBody>();
  readonly #sent = new Map<string, ExitabilityBody>();
  #timer: NodeJS.Timeout | null = null;

  constructor(thresholdPct: number | null, deliver: (bodies: readonly ExitabilityBody[]) => void) {
    this.#thresholdPct = thresholdPct;
    this.#deliver = deliver;
  }

  add({ body }: Channel): void {
    if (body !== null) this.addBody(body);
  }

  addBody(body: ExitabilityBody): void {
    this.#gathered.set(body.token_id, body);
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.flush(), GATHER_MS);
    this.#timer.unref();
  }

  markSent(body: ExitabilityBody): void {
    this.#sent.set(body.token_id, body);
  }

  flush(): void {
    this.close();
    const bodies = [...this.#gathered.values()].filter((body) => this.#isNews(body));
    this.#gathered.clear();
    for (const body of bodies) this.markSent(body);
    if (bodies.length > 0) this.#deliver(bodies);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #isNews(body: ExitabilityBody): boolean {
    const sent = this.#sent.get(body.token_id);
    if (sent === undefined) return true;
    if (this.#thresholdPct !== null) return hasMoved(sent, body, this.#thresholdPct);
    return sent.updated_at !== body.updated_at || hasMoved(sent, body, 0);
  }
}
