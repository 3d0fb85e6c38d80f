/** When an action runs that is asked for more often than it may run. */
export type Pace = {
  /** After a first call: others that follow at once are answered by the same run. */
  readonly delayMs: number;
  /** From one run to the next. */
  readonly leastMs: number;
};

export type Paced<Value> = {
  /** Runs the action with this value as soon as the pace permits; a newer value replaces one that waits. */
  readonly ask: (value: Value) => void;
  /** As if the action had just run. */
  readonly delay: () => void;
  /** Drops the value that waits. */
  readonly cancel: () => void;
};

/** Runs an action at a limited pace. The last value that was asked for always gets its run. */
export function paced<Value>(action: (value: Value) => void, pace: Pace): Paced<Value> {
  let lastRunMs = Number.NEGATIVE_INFINITY;
  let waiting: { value: Value; readonly timer: ReturnType<typeof setTimeout> } | null = null;
  function run(): void {
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    lastRunMs = Date.now();
    action(value);
  }
  return {
    ask(value) {
      if (waiting !== null) {
        waiting.value = value;
        return;
      }
      const waitMs = Math.max(pace.delayMs, lastRunMs + pace.leastMs - Date.now());
      waiting = { value, timer: setTimeout(run, waitMs) };
    },
    delay() {
      lastRunMs = Date.now();
    },
    cancel() {
      clearTimeout(waiting?.timer);
      waiting = null;
    },
  };
}
