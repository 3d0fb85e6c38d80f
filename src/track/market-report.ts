import type { Market } from "#src/measure/market/market.ts";
import type { Deterioration } from "#src/measure/series/deterioration.ts";
import type { Address } from "#src/units/address.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";

/** A token's alert turned on or off. The tracker reports it; alerts/ records it. */
export type AlertChange = {
  readonly kind: "on" | "off";
  readonly mint: Address;
  readonly deterioration: Deterioration;
  readonly slot: bigint;
  readonly atMs: number;
  /** At the level before the fall; null: not known, as after a fall in steps. */
  readonly depthBeforeSol: number | null;
  readonly depthAfterSol: number | null;
};

/** A token that was just measured, or whose answer was carried on. */
export type MarketReport = {
  /** The newest block time: what alerts are timed by. */
  readonly chainMs: number;
  readonly snapshot: AssessedSnapshot;
  /** Builds the market, as it is when this is called: few rules need it. Null: none can be built at that moment. */
  readonly market: () => Market | null;
  /** The change that this measurement caused. */
  readonly alertChange: AlertChange | null;
  /** A slot was dropped: what was reported of the token since this slot is void. Absent: none was. */
  readonly takenBackSince?: bigint;
};
