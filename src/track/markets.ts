import type { Profile } from "#src/measure/assessment.ts";
import { type ExitAt, exitAt, exitOfBaseUnits } from "#src/measure/exit-at.ts";
import type { Market } from "#src/measure/market.ts";
import type { StressedExit } from "#src/measure/stress.ts";
import type { StoredAlert, TimeRange } from "#src/store/alerts.ts";
import type { Address } from "#src/units/address.ts";
import type { HistoryPoint, HistoryQuery } from "./history.ts";
import type { MarketSource } from "./market-snapshot.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";
import type { StateAt } from "./token-states.ts";
import type { TrackerHealth } from "./tracker-health.ts";

/** What is to be sold: the position worth so many lamports at the mid, or so many base units. */
export type Sale = { readonly profile: Profile } & (
  | { readonly sizeLamports: bigint }
  | { readonly baseUnits: bigint }
);

/** The sale on this market; null where there is none. */
export function exitOn(market: Market | null, sale: Sale): ExitAt | null {
  if (market === null) return null;
  return "baseUnits" in sale
    ? exitOfBaseUnits(market, sale.baseUnits, sale.profile)
    : exitAt(market, sale.sizeLamports, sale.profile);
}

/** Everything that is answered about tokens: by the tracker in this process, or by another's. */
export interface Markets extends MarketSource {
  /**
   * The sale on the market behind the newest answer; null where the token is not tracked.
   *
   * @throws AppError chain_unavailable where the tracker is another process and can't be asked
   */
  exit(mint: Address, sale: Sale): Promise<ExitAt | null>;
  /**
   * The exits now and after the largest withdrawal that is known to be possible, on the market behind
   * the newest answer; null where the token is not tracked. Who holds the pools' shares is read where
   * it has not been for a minute: some seconds at the most, and unknown after that.
   *
   * @throws AppError chain_unavailable as `exit`, overloaded where too many such questions wait
   */
  stressed(mint: Address): Promise<StressedExit | null>;
  /**
   * The token's past on an even grid, up to 2,000 points; empty where it was never tracked.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  history(mint: Address, query: HistoryQuery): Promise<readonly HistoryPoint[]>;
  /**
   * The token's alerts that began within a time, the last one first, and of very many the last ones.
   *
   * @throws AppError chain_unavailable as `exit`
   */
  alerts(mint: Address, begun: TimeRange): Promise<readonly StoredAlert[]>;
  /** The answer that was stored of the token at or before a slot; from the database, tracked or not. */
  stateAt(mint: Address, slot: bigint): Promise<StateAt>;
  /** Called with each new answer of a token that is asked for. Returns what ends it. */
  onSnapshot(listener: (snapshot: AssessedSnapshot) => void): () => void;
  health(): TrackerHealth;
}
