import { AbortWaiters } from "./abort-waiters.ts";
import { AppError } from "./app-error.ts";

export type TaskQueueOptions = {
  readonly maxActive: number;
  /** Infinity: the queue never refuses a task. */
  readonly maxWaiting: number;
  /** The most that wait of one group; unlimited if left out. */
  readonly maxWaitingOfGroup?: number;
  /** A group that `maxWaiting` does not apply to, so that others can't keep it out; `maxWaitingOfGroup` does. */
  readonly reservedGroup?: string;
  /** The public message of a refusal. */
  readonly overloadedMessage: string;
};

/**
 * Runs at most `maxActive` tasks at once; further ones wait, up to `maxWaiting` of them. The
 * tasks of a group run in order; groups take turns.
 * Our own, because p-queue bounds neither the waiting nor what an aborted task leaves behind.
 */
export class TaskQueue {
  readonly #waiters = new AbortWaiters();
  readonly #options: TaskQueueOptions;
  /** By group, in the order of their turns. */
  readonly #waiting = new Map<string, Set<PromiseWithResolvers<void>>>();
  #active = 0;
  #isClosed = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: TaskQueueOptions) {
    this.#options = options;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, turns) => sum + turns.size, 0);
  }

  /** Whether `run` would refuse a task now. */
  get isFull(): boolean {
    const { maxActive, maxWaiting } = this.#options;
    return this.#active >= maxActive && this.waiting >= maxWaiting;
  }

  /**
   * The task's own result. A task that is refused or aborted before its turn never starts.
   *
   * @throws AppError("overloaded") if too many tasks wait already; QueueClosed; the signal's reason if
   *   it aborts while the task waits
   */
  async run<Result>(
    task: () => Promise<Result>,
    signal?: AbortSignal,
    group = "",
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new QueueClosed();
    const isRefused = this.isFull && group !== this.#options.reservedGroup;
    if (isRefused || this.#isGroupFull(group)) {
      throw new AppError("overloaded", {
        publicMessage: this.#options.overloadedMessage,
        context: { active: this.#active, waiting: this.waiting },
      });
    }
    if (this.#active < this.#options.maxActive) this.#active++;
    else await this.#turn(group, signal);
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves when no task runs or waits. */
  async idle(): Promise<void> {
    while (this.#active > 0) await this.#idle.promise;
  }

  /** Refuses the tasks that wait and every later one; resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const turns of this.#waiting.values())
      for (const turn of turns) turn.reject(new QueueClosed());
    this.#waiting.clear();
    await this.idle();
  }

  #isGroupFull(group: string): boolean {
    const { maxActive, maxWaitingOfGroup = Number.POSITIVE_INFINITY } = this.#options;
    const waiting = this.#waiting.get(group)?.size ?? 0;
    return this.#active >= maxActive && waiting >= maxWaitingOfGroup;
  }

  async #turn(group: string, signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const giveUp = () => {
      // A turn that was granted in the same round is used; the task checks the signal itself.
      if (this.#waiting.get(group)?.delete(turn) === true) turn.reject(signal?.reason);
    };
    const turns = this.#waiting.get(group) ?? new Set();
    this.#waiting.set(group, turns.add(turn));
    const takeBack = this.#waiters.add(signal, giveUp);
    try {
      await turn.promise;
    } finally {
      takeBack();
    }
  }

  /** The place goes to the next task without being given back, so that no newcomer overtakes it. */
  #passOn(): void {
    for (const [group, turns] of this.#waiting) {
      const [next] = turns;
      // The group goes behind the others.
      this.#waiting.delete(group);
      if (next === undefined) continue;
      turns.delete(next);
      if (turns.size > 0) this.#waiting.set(group, turns);
      next.resolve();
      return;
    }
    this.#active--;
    if (this.#active > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }
}

/** The queue was closed before the task's turn came. */
export class QueueClosed extends Error {
  constructor() {
    super("the queue was closed");
    this.name = "QueueClosed";
  }
}
