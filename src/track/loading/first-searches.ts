import { setTimeout as delay } from "node:timers/promises";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import { isFollowed, noteIncomplete } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";

const MAX_AT_ONCE = 8;
const QUEUE = {
  maxActive: MAX_AT_ONCE,
  maxWaiting: 2_000,
  overloadedMessage: "Too many searches for pools are waiting; try again in a moment.",
};
/** An answer waits so long for the search; afterwards it says that the search is incomplete. */
const LONGEST_WAIT_MS = 1_000;
/** Behind so many searches an answer does not wait for its own, which would not end within that second. */
const MAX_BEFORE_A_WAIT = 2 * MAX_AT_ONCE;
/** While the event loop is busier than this, so few watched tokens are searched at once. */
const BUSY_SHARE = 0.7;
const MAX_WHILE_BUSY = 6;

export type FirstSearchesDeps = {
  readonly state: LiveState;
  readonly background: BackgroundWork;
  /** Searches the token's pools and marks it as searched. Never rejects. */
  readonly search: (token: FollowedToken) => Promise<void>;
  /** How busy the event loop is, 0 to 1. */
  readonly loopLoad: () => number;
};

/**
 * The first searches of tokens that a stream named. A stream contains only pools that trade: an answer
 * needs the others too. At most eight tokens are searched at once: a search is two dozen calls, and where
 * thousands of tokens are asked for at once, the calls of all of them would exceed every deadline.
 */
export class FirstSearches {
  readonly #deps: FirstSearchesDeps;
  readonly #queue = new TaskQueue(QUEUE);
  readonly #running = new SingleFlight<Address, void>();
  /** Tokens that are searched when no answer waits for a search. */
  readonly #later = new Set<Address>();

  constructor(deps: FirstSearchesDeps) {
    this.#deps = deps;
  }

  /** Tokens whose search runs or waits. */
  get waiting(): number {
    return this.#running.size + this.#later.size;
  }

  /** The token is searched when no answer waits for a search. */
  addLater(mint: Address): void {
    this.#later.add(mint);
  }

  /** Begins searches that no answer waits for, as far as there is room. */
  pump(): void {
    // Read each time, since it is the share since the last reading.
    const most = this.#deps.loopLoad() < BUSY_SHARE ? MAX_AT_ONCE : MAX_WHILE_BUSY;
    for (const mint of this.#later) {
      if (this.#running.size >= most) return;
      this.#later.delete(mint);
      const token = this.#deps.state.tokens.get(mint);
      if (token?.isSearched === false)
        this.#deps.background.run("search a watched token", this.#searched(token));
    }
  }

  /**
   * Resolves when the token was searched, or when an answer should not wait any longer: its pools then
   * count as incomplete until the search has ended.
   */
  async inTime(token: FollowedToken): Promise<void> {
    const isRunning = this.#running.has(token.mint);
    if (this.#queue.isFull && !isRunning) {
      noteIncomplete(token);
      this.addLater(token.mint);
      return;
    }
    const isBehind = !isRunning && this.#running.size >= MAX_BEFORE_A_WAIT;
    this.#later.delete(token.mint);
    const searched = this.#searched(token);
    if (!isRunning) this.#deps.background.run("search a token", searched);
    if (isBehind) noteIncomplete(token);
    // The token counts as incomplete already: the answer does not wait.
    if (!token.group.isSearchComplete) return;
    await Promise.race([searched, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
    if (!token.isSearched) noteIncomplete(token);
  }

  idle(): Promise<void> {
    return this.#running.idle();
  }

  #searched(token: FollowedToken): Promise<void> {
    const { state, search } = this.#deps;
    return this.#running.run(token.mint, () =>
      this.#queue.run(async () => {
        if (isFollowed(state, token)) await search(token);
      }),
    );
  }
}
