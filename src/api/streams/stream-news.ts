import type { ExitabilityBody } from "../measuring/exitability-body.ts";
import { hasMoved, isNewer } from "./exitability-change.ts";
import type { StreamSubscription } from "./subscriptions.ts";

/** The first change is sent after this time: those of one slot arrive together. */
const SETTLE_MS = 20;
/** After a delivery, changes are collected for this time; then each token's newest answer is sent. */
const GATHER_MS = 500;

/** By token, the last answer that was sent, and the number of its delivery; 0: on an earlier stream. */
export type SentAnswers = Map<
  string,
  { readonly body: ExitabilityBody; readonly delivery: number }
>;

/** Collects the answers of one stream and delivers those that changed since the last delivery. */
export class StreamNews {
  readonly #thresholdPct: number | null;
  readonly #deliver: (bodies: readonly ExitabilityBody[], delivery: number) => void;
  readonly #gathered = new Map<string, ExitabilityBody>();
  readonly #sent: SentAnswers = new Map();
  #deliveries = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    thresholdPct: number | null,
    deliver: (bodies: readonly ExitabilityBody[], delivery: number) => void,
  ) {
    this.#thresholdPct = thresholdPct;
    this.#deliver = deliver;
  }

  get sent(): SentAnswers {
    return this.#sent;
  }

  add({ body }: StreamSubscription): void {
    if (body !== null) this.addBody(body);
  }

  addBody(body: ExitabilityBody): void {
    this.#gathered.set(body.token_id, body);
    if (this.#timer === null) this.#flushAfter(SETTLE_MS);
  }

  /** The reader has this answer: later ones are compared with it. */
  markSent(body: ExitabilityBody, delivery = 0): void {
    this.#sent.set(body.token_id, { body, delivery });
  }

  flush(): void {
    this.close();
    const bodies = [...this.#gathered.values()].filter((body) => this.#isNews(body));
    this.#gathered.clear();
    if (bodies.length === 0) return;
    const delivery = ++this.#deliveries;
    for (const body of bodies) this.markSent(body, delivery);
    this.#deliver(bodies, delivery);
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
    const sent = this.#sent.get(body.token_id)?.body;
    if (sent === undefined) return true;
    return this.#thresholdPct === null
      ? isNewer(sent, body)
      : hasMoved(sent, body, this.#thresholdPct);
  }
}
