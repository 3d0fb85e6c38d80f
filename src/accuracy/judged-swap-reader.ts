import type { NowMs } from "#src/platform/clock.ts";
import type { Database } from "#src/store/database.ts";
import { readJudgedSwaps, type StoredSwap } from "#src/store/judged-swaps.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { readDeployments } from "./accuracy-store.ts";
import { SWAP_READERS } from "./events/all.ts";
import { differenceBps } from "./judged-swap.ts";
import { deployedSlotAt } from "./program-watch.ts";

/** The programs whose swaps are judged. */
export const JUDGED_PROGRAMS: readonly VenueId[] = SWAP_READERS.map(({ venue }) => venue.id);

/** As many are told at most. */
export const MOST_SWAPS_TOLD = 200;
/** New ones are stored every few seconds: nobody's asking costs more than a read a second. */
const HELD_FOR_MS = 1_000;

/** One executed swap and what the model makes of it, with the program that executed it. */
export type ToldSwap = StoredSwap & {
  /** Null where it is not known which code ran. */
  readonly deployedSlot: bigint | null;
  /** Basis points of what was paid, 10,000 where the model refuses; null: not replayed. */
  readonly differenceBps: number | null;
};

export type SwapsAsked = { readonly program: VenueId | null; readonly limit: number };

/**
 * Reads the last judged swaps from the database, whichever process judged them. What ran when is told
 * by the deployments that are known now: a swap made between an upgrade and its notice counts as the
 * new code's.
 */
export class JudgedSwapReader {
  readonly #database: Pick<Database, "db">;
  readonly #nowMs: NowMs;
  readonly #held = new Map<VenueId | null, { readonly atMs: number; readonly swaps: ToldSwaps }>();

  constructor(database: Pick<Database, "db">, nowMs: NowMs) {
    this.#database = database;
    this.#nowMs = nowMs;
  }

  /** The last one first; `limit` is at most `MOST_SWAPS_TOLD`. */
  async last({ program, limit }: SwapsAsked): Promise<readonly ToldSwap[]> {
    const nowMs = this.#nowMs();
    const held = this.#held.get(program);
    const isFresh = held !== undefined && nowMs - held.atMs < HELD_FOR_MS;
    const swaps = isFresh ? held.swaps : this.#read(program);
    if (!isFresh) this.#held.set(program, { atMs: nowMs, swaps });
    try {
      return (await swaps).slice(0, limit);
    } catch (error) {
      if (this.#held.get(program)?.swaps === swaps) this.#held.delete(program);
      throw error;
    }
  }

  async #read(venue: VenueId | null): Promise<readonly ToldSwap[]> {
    const deployments = await readDeployments(this.#database);
    const swaps = await readJudgedSwaps(this.#database.db, { venue, limit: MOST_SWAPS_TOLD });
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

type ToldSwaps = Promise<readonly ToldSwap[]>;
