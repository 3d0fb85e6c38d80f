import type { ExitAt, ExitQuery } from "#src/measure/questions/exit-at.ts";
import type { ExitCurve } from "#src/measure/questions/exit-curve.ts";
import type { ExitAnswer, ExitQuestion } from "#src/measure/questions/exit-question.ts";
import type { HoldersFirst } from "#src/measure/questions/holders-first.ts";
import type { StressedExit } from "#src/measure/questions/stress.ts";
import type { StoredAlert, TimeRange } from "#src/store/alerts.ts";
import type { Address } from "#src/units/address.ts";
import type { HistoryGrid, HistoryPoint } from "./history/history.ts";
import type { PastDay } from "./history/past-day.ts";
import type { AnswerAt } from "./history/stored-answers.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";
import type { TrackerHealth } from "./tracker-health.ts";

/** Answers about tokens: from the tracker in this process, or from another process through Redis. */
export interface Markets {
  /**
   * The token's answer. Loads and tracks the token first if it is not tracked yet; loads of different
   * askers take turns.
   */
  snapshot(mint: Address, asker?: string): Promise<MarketSnapshot>;
  /** The newest snapshot in this process, synchronously; null if there is none yet. */
  latest(mint: Address): MarketSnapshot | null;
  /** Marks the token as asked for, without measuring it. False if it has to be loaded first. */
  touch(mint: Address): boolean;
  /**
   * The exit on the market behind the newest answer; null if the token is not tracked.
   *
   * @throws AppError chain_unavailable if the tracker is in another process and can't be reached
   */
  exit(mint: Address, query: ExitQuery): Promise<ExitAt | null>;
  /**
   * The same for a question by cost or in USD, and with the bound and the round trip where asked for.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  answerExit(mint: Address, question: ExitQuestion): Promise<ExitAnswer | null>;
  /**
   * The slippage of twenty sizes on the market behind the newest answer; null if the token is not tracked.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  curve(mint: Address): Promise<ExitCurve | null>;
  /**
   * The exits now and after the largest withdrawal known to be possible, on the market behind the
   * newest answer; null if the token is not tracked. Holders of pool shares are read again if the
   * last read is older than a minute. That takes some seconds at most; then they are unknown.
   *
   * @throws AppError chain_unavailable as `exit`; overloaded if too many such requests wait
   */
  stressed(mint: Address): Promise<StressedExit | null>;
  /**
   * The exits after the largest holders have sold, on the market behind the newest answer; null if the
   * token is not tracked. Holders are read at most once a minute, with three calls.
   *
   * @throws AppError chain_unavailable as `exit`; overloaded if too many such requests wait
   */
  holdersFirst(mint: Address): Promise<HoldersFirst | null>;
  /**
   * The token's history on a grid of `gridOf`; empty if it was never tracked.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  history(mint: Address, grid: HistoryGrid): Promise<readonly HistoryPoint[]>;
  /**
   * What waiting cost over the token's last day, from its samples; null if none are kept.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  pastDay(mint: Address): Promise<PastDay | null>;
  /**
   * The token's alerts that began within a time range, newest first; only the newest if there are
   * very many.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]>;
  /** The answer stored for the token at or before a slot; read from the database, tracked or not. */
  answerAt(mint: Address, slot: bigint): Promise<AnswerAt>;
  /** Called with each new answer of an active token. Returns a function that stops the calls. */
  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void;
  health(): TrackerHealth;
}
