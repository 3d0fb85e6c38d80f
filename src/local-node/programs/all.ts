import type { MarketProgram } from "../market-program.ts";

/** Every program that the demo market can play, one line each. */
export const MARKET_PROGRAMS: readonly MarketProgram[] = [];
