import type { Assessment } from "#src/measure/assessment.ts";
import type { Trend } from "#src/measure/series/trend.ts";
import type { Address } from "#src/units/address.ts";

/** What is known of a token's market at one moment. Plain data: it is sent between processes unchanged. */
export type MarketSnapshot =
  | {
      readonly kind: "assessed";
      readonly assessment: Assessment;
      readonly trend: Trend;
      readonly isDeteriorating: boolean;
      /** The token's own metadata: untrusted text. Null if none was found. */
      readonly name: string | null;
      readonly symbol: string | null;
    }
  /** A complete search found no pool or curve of this mint. */
  | {
      readonly kind: "not-found";
      readonly mint: Address;
      /** The address is not a mint but a pool of this token. */
      readonly poolOf?: Address;
    }
  /** The chain can't be reached, and no answer is stored for this mint. */
  | { readonly kind: "unavailable"; readonly mint: Address };
