import type { Venue } from "./venue.ts";

/** Every program we model, one line each. */
export const VENUES: readonly Venue<unknown>[] = [];
