/** A refused subscription is asked for again after so long. */
const ASK_AGAIN_MS = 30_000;

type OfKind = { readonly wanted: { readonly kind: string } };

/**
 * The subscriptions that a node refused on one connection, until they are asked for again. Of a kind that it has never
 * accepted one is asked for, and all once that is accepted: a plan may lack the kind, and a service wants hundreds.
 */
export class RefusedSubscriptions<Refused extends OfKind> {
  readonly #askAgain: (refused: readonly Refused[]) => void;
  readonly #refused = new Set<Refused>();
  readonly #acceptedKinds = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(askAgain: (refused: readonly Refused[]) => void) {
    this.#askAgain = askAgain;
  }

  add(refused: Refused): void {
    this.#refused.add(refused);
    this.#startTimer();
  }

  delete(refused: Refused): void {
    this.#refused.delete(refused);
  }

  /** All are asked for again otherwise. */
  clear(): void {
    this.#refused.clear();
  }

  /** The node accepted a subscription of this kind. */
  noteAccepted(kind: string): void {
    if (this.#acceptedKinds.has(kind)) return;
    this.#acceptedKinds.add(kind);
    this.#take([...this.#refused].filter(({ wanted }) => wanted.kind === kind));
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.clear();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#take(this.#due());
      if (this.#refused.size > 0) this.#startTimer();
    }, ASK_AGAIN_MS);
  }

  #due(): readonly Refused[] {
    const tried = new Set<string>();
    return [...this.#refused].filter(({ wanted: { kind } }) => {
      if (tried.has(kind)) return false;
      if (!this.#acceptedKinds.has(kind)) tried.add(kind);
      return true;
    });
  }

  #take(refused: readonly Refused[]): void {
    for (const one of refused) this.#refused.delete(one);
    if (refused.length > 0) this.#askAgain(refused);
  }
}
