import type { Assessment } from "#src/measure/assessment.ts";
import type { Trend } from "#src/measure/trend.ts";
import type { Address } from "#src/units/address.ts";

/** What is known of a token's market at one moment. Plain data: it crosses processes as it is. */
export type MarketSnapshot =
  | {
      readonly kind: "assessed";
      readonly assessment: Assessment;
      readonly trend: Trend;
      readonly isDeteriorating: boolean;
      /** The token's own words: untrusted text. Null where no metadata was found. */
      readonly name: string | null;
      readonly symbol: string | null;
    }
  /** A complete search has never found a pool or curve of this mint. */
  | { readonly kind: "not-found"; readonly mint: Address }
  /** The chain can't be reached, and nothing was ever stored for this mint. */
  | { readonly kind: "unavailable"; readonly mint: Address };

/** Where answers come from: the tracker in this process, or another one through Redis. */
export interface MarketSource {
  /** Loads the market where it is not tracked yet, and tracks it from then on. */
  snapshot(mint: Address): Promise<MarketSnapshot>;
  /** The newest snapshot held in this process, synchronously; null where there is none yet. */
  latest(mint: Address): MarketSnapshot | null;
  /**
   * Counts the token as asked for, without measuring it. False where `latest` would know nothing of
   * it: it has to be loaded.
   */
  touch(mint: Address): boolean;
}
