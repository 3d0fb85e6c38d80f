import { setTimeout as delay } from "node:timers/promises";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { TokenArchive } from "../history/archive.ts";
import type { MarketSnapshot } from "../market-snapshot.ts";
import { type AssessedSnapshot, agedAssessment } from "../snapshot-text.ts";

/** Time to wait for a token's load before its stored answer is used. */
const SOON_MS = 250;

/** Stored answers, used until the chain has been read; each with its own slot and its present age. */
export class StoredSnapshots {
  readonly #archive: TokenArchive | null;
  readonly #clock: WallClock;

  constructor(archive: TokenArchive | null, clock: WallClock) {
    this.#archive = archive;
    this.#clock = clock;
  }

  /** The newest stored answer, of any age. */
  async last(mint: Address): Promise<MarketSnapshot> {
    return (await this.#stored(mint)) ?? { kind: "unavailable", mint };
  }

  /**
   * The live answer if it comes soon; else the stored one, unless it is too old to contain a measurement.
   * The load continues in the background.
   *
   * @throws what `live` rejects with, if there is no such stored answer
   */
  async unlessSoon(mint: Address, live: Promise<MarketSnapshot>): Promise<MarketSnapshot> {
    if (this.#archive === null) return await live;
    const first = await Promise.race([
      live.catch((cause: unknown) => new LoadRefused(cause)),
      delay(SOON_MS, "late" as const),
    ]);
    if (first !== "late" && !(first instanceof LoadRefused)) return first;
    const stored = await this.#stored(mint);
    const ageMs = this.#clock.nowMs() - (stored?.assessment.stateTimeMs ?? 0);
    if (stored === null || ageMs > CALIBRATION.block.staleSeconds * 1_000) return await live;
    if (first instanceof LoadRefused && !first.isOverload) throw first.cause;
    live.catch(() => undefined);
    return stored;
  }

  async #stored(mint: Address): Promise<AssessedSnapshot | null> {
    const stored = await this.#archive?.lastAnswer(mint);
    if (stored === undefined || stored === null) return null;
    return { ...stored, assessment: agedAssessment(stored.assessment, this.#clock.nowMs()) };
  }
}

class LoadRefused {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }

  get isOverload(): boolean {
    return this.cause instanceof AppError && this.cause.code === "overloaded";
  }
}
