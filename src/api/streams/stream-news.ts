import type { ExitabilityBody } from "../measuring/exitability-body.ts";
import { hasMoved } from "./exitability-change.ts";
import type { StreamSubscription } from "./subscriptions.ts";

/** The first change is sent after this time: those of one slot arrive together. */
const SETTLE_MS = 20;
/** After a delivery, changes are collected for this time; then each token's newest answer is sent. */
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
    if (this.#timer === null) this.#flushAfter(SETTLE_MS);
  }

  markSent(body: ExitabilityBody): void {
    this.#sent.set(body.token_id, body);
  }

  flush(): void {
    this.close();
    const bodies = [...this.#gathered.values()].filter((body) => this.#isNews(body));
    this.#gathered.clear();
    for (const body of bodies) this.markSent(body);
    if (bodies.length === 0) return;
    this.#deliver(bodies);
    this.#flushAfter(GATHER_MS);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #flushAfter(ms: number): void {
    this.#timer = setTimeout(() => this.flush(), ms);
    this.#timer.unref();
  }

  #isNews(body: ExitabilityBody): boolean {
    const sent = this.#sent.get(body.token_id);
    if (sent === undefined) return true;
    if (this.#thresholdPct !== null) return hasMoved(sent, body, this.#thresholdPct);
    return sent.updated_at !== body.updated_at || hasMoved(sent, body, 0);
  }
}
