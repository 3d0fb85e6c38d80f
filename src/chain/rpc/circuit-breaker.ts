const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 500;
const LONGEST_OPEN_MS = 4_000;

/**
 * Refuses calls while a node does not answer, so that they fail at once instead of each waiting for its
 * timeout. After a pause one call is let through: its success closes the breaker again.
 */
export class CircuitBreaker {
  #failures = 0;
  #openUntilMs = 0;
  #openMs = FIRST_OPEN_MS;
  #isProbing = false;

  /** Whether a call may be sent now. */
  admits(): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true;
    if (this.#isProbing || performance.now() < this.#openUntilMs) return false;
    this.#isProbing = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openMs = FIRST_OPEN_MS;
    this.#isProbing = false;
  }

  /** A call got no answer. */
  failed(): void {
    this.#failures++;
    this.#isProbing = false;
    if (this.#failures < FAILURES_TO_OPEN) return;
    this.#openUntilMs = performance.now() + this.#openMs;
    this.#openMs = Math.min(this.#openMs * 2, LONGEST_OPEN_MS);
  }

  /** A call ended without saying anything about the node. */
  abandoned(): void {
    this.#isProbing = false;
  }
}
