import type { ChainSource } from "#src/chain/chain-source.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Database } from "#src/store/connection/database.ts";
import type { Venue, VenueId } from "#src/venues/venue.ts";
import type { AssessDeps } from "./answers/assess-token.ts";
import type { ByExecution } from "./answers/executed-answers.ts";
import { historySeconds } from "./history/series.ts";
import type { StreamedPrograms } from "./loading/new-token-feed.ts";

const NO_SHARES: ReadonlyMap<VenueId, number> = new Map();

export type TrackerDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly clock: WallClock;
  /** Where tokens, samples and alerts are stored; null: nothing survives a restart. */
  readonly database: Database | null;
  /** Samples are kept for this many days, in steps of five minutes after a day or two. */
  readonly historyDays?: number;
  /** Answers are stored for this many days, today included; 0: none are stored. */
  readonly stateDays?: number;
  /** Share of exact replays of the last five minutes or the last hour, or of equal executions: percent, by venue. */
  readonly exactPctByVenue?: () => ReadonlyMap<VenueId, number>;
  /** Venues whose program was deployed just now and is not proved yet. */
  readonly newDeployments?: () => ReadonlySet<VenueId>;
  /** Answers where a venue's model is wrong; absent: the model always answers. */
  readonly byExecution?: ByExecution | null;
  /**
   * Set if the source streams every change of these programs (gRPC): then every new token of theirs is
   * tracked. `transactions` gives the mints of curves whose accounts do not contain them.
   */
  readonly everything?: StreamedPrograms | null;
  /** How busy the event loop is, 0 to 1: background searches give way; absent: they never do. */
  readonly loopLoad?: () => number;
  /** Receives failures that the tracker recovers from, for the log. */
  readonly onFailure?: (what: string, cause: unknown) => void;
};

/** What an assessment needs of them. */
export function assessDepsOf({ source, exactPctByVenue, newDeployments }: TrackerDeps): AssessDeps {
  const isFrozen = source.origin === "recorded";
  return {
    isFrozen,
    isProcessed: source.isProcessed === true,
    // Recorded accounts never change, so there is no history to wait for.
    historySeconds: ({ series }) => (isFrozen ? null : historySeconds(series)),
    exactPctByVenue: exactPctByVenue ?? (() => NO_SHARES),
    ...(newDeployments === undefined ? {} : { newDeployments }),
  };
}
