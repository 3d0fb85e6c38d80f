import type { Ledger } from "#src/node/ledger.ts";
import type { Venue, VenueId } from "#src/venues/venue.ts";
import type { MarketProgram } from "./market-program.ts";
import { applyOutsideTrade, type DemoPool, quoteUnitsPerLamport, viewPool } from "./pool.ts";
import { applyScript, type DemoScript } from "./script.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type LiveToken, sceneOf } from "./token-life.ts";

/** Between a full curve and its pool. */
const MIGRATION_SLOTS = 25n;
const MAX_FIRST_BUYERS = 80;
const FIRST_BUY_SOL = 0.5;

/** A program together with the venue that reads what it writes. */
export type PlayedProgram = { readonly program: MarketProgram; readonly venue: Venue<unknown> };

/**
 * The first buyers of a launch, who bring it to what its story says that it is worth. Its first price is
 * that after the first of them: a curve that has sold nothing has none.
 */
export function buyUp(ledger: Ledger, token: LiveToken, random: SeededRandom): void {
  const curve = curveOf(token);
  const { worth } = sceneOf(token, ledger.clock.slot);
  if (curve === null) return;
  const script: DemoScript = { kind: "trade", side: "buy", sol: FIRST_BUY_SOL };
  let startedAt: number | null = null;
  for (let bought = 0; bought < MAX_FIRST_BUYERS; bought++) {
    if (!applyScript(ledger, [curve], script, random)) return;
    const spot = viewPool(ledger, curve)?.spot ?? null;
    if (spot === null) return;
    startedAt ??= spot;
    token.firstPrice ??= spot / quoteUnitsPerLamport(curve.quoteMint);
    if (spot >= startedAt * worth) return;
  }
}

/** Buys until the curve is full; false where the token has none, or it does not fill. */
export function fillCurve(ledger: Ledger, token: LiveToken, random: SeededRandom): boolean {
  const curve = curveOf(token);
  if (curve === null) return false;
  for (let sol = 64; sol >= 1 / 1024; sol /= 2) {
    const script: DemoScript = { kind: "trade", side: "buy", sol };
    for (let bought = true; bought; ) {
      if (isFull(ledger, curve)) return true;
      bought = applyScript(ledger, [curve], script, random);
    }
  }
  return isFull(ledger, curve);
}

/** Sets the slot at which a curve that is full moves on. */
export function noticeFullCurve(ledger: Ledger, token: LiveToken): void {
  const curve = curveOf(token);
  if (token.graduatesAtSlot !== null || curve === null || !isFull(ledger, curve)) return;
  token.graduatesAtSlot = ledger.clock.slot + MIGRATION_SLOTS;
}

export type GraduationMeans = {
  readonly random: SeededRandom;
  readonly play: (venue: VenueId) => PlayedProgram | null;
};

/** Moves a full curve to its pool, where the token trades from then on. False where it can't be done. */
export function graduate(ledger: Ledger, token: LiveToken, means: GraduationMeans): boolean {
  const { random, play } = means;
  token.graduatesAtSlot = null;
  const curve = curveOf(token);
  const done = curve?.program.graduate?.(ledger, curve.address, {
    baseMint: token.mint,
    clock: ledger.clock,
    freshAddress: random.address,
    program: (venue) => play(venue)?.program ?? null,
  });
  if (curve === null || done === undefined || done === null) return false;
  applyOutsideTrade(ledger, curve, done.changes, random);
  token.pools.splice(token.pools.indexOf(curve), 1);
  const played = play(done.venue);
  if (played !== null) {
    token.pools.push({ ...curve, ...played, address: done.pool, storyShare: 1 });
  }
  return true;
}

function curveOf(token: LiveToken): DemoPool | null {
  return token.pools.find(({ venue }) => venue.kind === "curve") ?? null;
}

function isFull(ledger: Ledger, curve: DemoPool): boolean {
  return viewPool(ledger, curve)?.status === "complete";
}
