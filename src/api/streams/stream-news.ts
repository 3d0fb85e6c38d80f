import type { ExitabilityBody } from "../measuring/exitability-body.ts";
import { hasMoved } from "./exitability-change.ts";
import type { StreamSubscription } from "./subscriptions.ts";

/** Changes are collected for this time; then each token's newest answer is sent. */
const GATHER_MS = 500;

/** Collects the answers of one stream and delivers those that changed since the last delivery. */
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

  add({ body }: StreamSubscription): void {
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
