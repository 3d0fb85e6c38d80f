/** One contender of a scenario. `run` does the whole operation once and keeps nothing. */
export type Contender = {
  readonly run: () => void;
  /** What the operation came to, as decimal text, in an order that both contenders share. */
  readonly outputs: () => readonly string[];
};

/** One row of performance.md section 7. */
export type Scenario = {
  /** The row's number, with a letter where a row has several figures: "9a". */
  readonly goal: string;
  readonly name: string;
  /** The ratio that must be reached, and the one we would like. */
  readonly bar: number;
  readonly ambition: number;
  /** `speedup`: theirs / ours, the more the better. `share`: ours / theirs, the less the better. */
  readonly ratio: "speedup" | "share";
  /** What is compared: how long an operation takes, or how much it allocates. */
  readonly unit: "nanoseconds" | "heap bytes";
  /** Builds both on the same bytes; null where a package is not installed. */
  readonly prepare: () => Promise<{ readonly ours: Contender; readonly theirs: Contender } | null>;
};
