import type { WallClock } from "./clock.ts";
import { Poller } from "./poller.ts";

export type SilenceWatchOptions = {
  readonly silentAfterMs: number;
  /** When something last arrived from the other side. */
  readonly aliveAtMs: () => number;
  readonly onSilent: () => void;
  readonly clock: WallClock;
};

const CHECKS_PER_SILENCE = 10;
/** A check that is later than this many intervals follows a blocked process or a clock that jumped. */
const LATE_INTERVALS = 2;
/** At most this many late checks in a row are skipped, so that a process that is blocked often reports silence too. */
const MOST_SKIPPED = 3;

/**
 * Reports a connection that is open but delivers nothing. A late check is skipped, because data that arrived
 * while the process was blocked is handled before the next check.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #everyMs: number;
  readonly #poller: Poller;
  #checkedAtMs = 0;
  /** Late checks in a row. */
  #skipped = 0;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#everyMs = options.silentAfterMs / CHECKS_PER_SILENCE;
    this.#poller = new Poller({
      run: () => this.#check(),
      everyMs: this.#everyMs,
      failures: null,
    });
  }

  start(): void {
    this.#checkedAtMs = this.#options.clock.nowMs();
    this.#poller.start();
  }

  stop(): void {
    this.#poller.stop();
  }

  #check(): void {
    const { clock, silentAfterMs, aliveAtMs, onSilent } = this.#options;
    const nowMs = clock.nowMs();
    const isLate = nowMs - this.#checkedAtMs > LATE_INTERVALS * this.#everyMs;
    this.#checkedAtMs = nowMs;
    this.#skipped = isLate ? this.#skipped + 1 : 0;
    if (isLate && this.#skipped <= MOST_SKIPPED) return;
    if (nowMs - aliveAtMs() > silentAfterMs) onSilent();
  }
}
