/**
 * What the package exitability-core publishes. Nothing in this repository imports this file.
 * biome-ignore-all lint/performance/noBarrelFile: a published package needs one entry.
 */
export { assess } from "#src/measure/assess.ts";
export type {
  Assessment,
  BlockReason,
  Ladder,
  Measurement,
  Phase,
  PoolShare,
  Profile,
  StandardSize,
} from "#src/measure/assessment.ts";
export { STANDARD_SIZES } from "#src/measure/assessment.ts";
export type { Finding } from "#src/measure/confidence/finding.ts";
export { slippageAtSize } from "#src/measure/ladder.ts";
export type { Market, TokenFacts } from "#src/measure/market/market.ts";
export type { ExitAt, UnsellableReason } from "#src/measure/questions/exit-at.ts";
export { exitAt, exitOfBaseUnits } from "#src/measure/questions/exit-at.ts";
export type { Address } from "#src/units/address.ts";
export { address, parseAddress } from "#src/units/address.ts";
export { CLOCK_SYSVAR, WSOL } from "#src/units/known-addresses.ts";
export type { Account, AccountSet } from "#src/venues/account-set.ts";
export { VENUES } from "#src/venues/all.ts";
export type {
  Clock,
  Decoded,
  ExactIn,
  PoolSearch,
  Quote,
  UnfillableReason,
  Venue,
} from "#src/venues/venue.ts";
export type { AccountJson } from "./account-json.ts";
export { accountFromJson } from "./account-json.ts";
export type { MarketAccounts } from "./market-from-accounts.ts";
export { marketFromAccounts } from "./market-from-accounts.ts";
export { neededAccounts } from "./needed-accounts.ts";
export type { PoolReference } from "./pool-reference.ts";
export { venueOf } from "./pool-reference.ts";
export type { PoolOrder, PoolQuote } from "./quote-pool.ts";
export { quotePool } from "./quote-pool.ts";
