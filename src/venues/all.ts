import { raydiumAmmV4 } from "./raydium-amm-v4/adapter.ts";
import { raydiumCpmm } from "./raydium-cpmm/adapter.ts";
import type { Venue } from "./venue.ts";

/** Every program we model, one line each. */
export const VENUES: readonly Venue<unknown>[] = [raydiumAmmV4, raydiumCpmm];
