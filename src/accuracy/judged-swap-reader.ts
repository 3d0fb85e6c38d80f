import type { WallClock } from "#src/platform/clock.ts";
import type { Database } from "#src/store/connection/database.ts";
import { readJudgedSwaps, type StoredSwap } from "#src/store/judged-swaps.ts";
import { SWAP_READERS } from "#src/venues/all.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { differenceBps } from "./judged-swap.ts";
import { deployedSlotAt } from "./program-deployments.ts";
import { readDeployments } from "./store.ts";

/** The programs whose swaps are judged. */
export const JUDGED_PROGRAMS: readonly VenueId[] = SWAP_READERS.map(({ venue }) => venue.id);

/** Maximum number of swaps per answer. */
export const MAX_PUBLISHED_SWAPS = 200;
/** Swaps are stored every few seconds; requests cause at most one read per second and program. */
const MAX_AGE_MS = 1_000;

/** One executed swap with the modelled amount and the program code that executed it. */
export type PublishedSwap = StoredSwap & {
  /** Null if it is unknown which code ran. */
  readonly deployedSlot: bigint | null;
  /** Basis points of the executed amount, 10,000 if the model refuses the swap; null: not replayed. */
  readonly differenceBps: number | null;
};

export type JudgedSwapsQuery = { readonly program: VenueId | null; readonly limit: number };

/**
 * Reads the last judged swaps from the database, from any process. The code that ran is determined by
 * the deployments known now: a swap between an upgrade and its detection is assigned to the new code.
 */
export class JudgedSwapReader {
  readonly #database: Pick<Database, "db">;
  readonly #clock: WallClock;
  readonly #held = new Map<
    VenueId | null,
    { readonly atMs: number; readonly swaps: PublishedSwaps }
  >();

  constructor(database: Pick<Database, "db">, clock: WallClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Newest first; `limit` is at most `MAX_PUBLISHED_SWAPS`. */
  async last({ program, limit }: JudgedSwapsQuery): Promise<readonly PublishedSwap[]> {
    const nowMs = this.#clock.nowMs();
    const held = this.#held.get(program);
    const isFresh = held !== undefined && nowMs - held.atMs < MAX_AGE_MS;
    const swaps = isFresh ? held.swaps : this.#read(program);
    if (!isFresh) this.#held.set(program, { atMs: nowMs, swaps });
    try {
      return (await swaps).slice(0, limit);
    } catch (error) {
      if (this.#held.get(program)?.swaps === swaps) this.#held.delete(program);
      throw error;
    }
  }

  async #read(venue: VenueId | null): Promise<readonly PublishedSwap[]> {
    const deployments = await readDeployments(this.#database);
    const swaps = await readJudgedSwaps(this.#database.db, { venue, limit: MAX_PUBLISHED_SWAPS });
    return swaps.map((swap) => ({
      ...swap,
      deployedSlot: deployedSlotAt(
        deployments.filter((deployment) => deployment.venue === swap.venue),
        swap.slot,
      ),
      differenceBps: swap.outcome.kind === "replayed" ? differenceBps(swap.outcome) : null,
    }));
  }
}

type PublishedSwaps = Promise<readonly PublishedSwap[]>;
