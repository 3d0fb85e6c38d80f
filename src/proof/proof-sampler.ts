import { AppError } from "#src/platform/app-error.ts";
import type { Random } from "#src/platform/seeded-random.ts";
import type { Address } from "#src/units/address.ts";
import { mulDivFloor } from "#src/units/integer.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import type { ProofGround } from "./prove-exit.ts";
import { orderIn, Prover } from "./prover.ts";
import { VmError } from "./vm/vm-host.ts";

/** Of one processor, at most, reads included; while a new deployment has to be proved, as in `full`. */
const SHARE_OF_MODE = { sample: 0.01, full: 0.1 } as const;
/** A proof often reads accounts that a quote does not need: in `sample`, some 260,000 reads a month. */
const SHORTEST_WAIT_MS = { sample: 10_000, full: 200 } as const;
/** While a new deployment has to be proved: within a minute. */
const HURRIED_WAIT_MS = 500;
/** Without a market to sell in, or after a failure. */
const IDLE_WAIT_MS = 5_000;
/** Markets tried for a pool of a venue whose program was deployed just now. */
const TRIES = 16;
/** The largest sale: half of what a token amount can be. */
const LARGEST_BITS = 63;
/** Basis points of the price's fall: all that selling can take out. */
const ALL = 10_000;
/** Most sales are between a share of 2^-16 of what the pool can take and all of it: there, fees show. */
const USUAL_SHARE = 0.75;
const USUAL_BITS = 16;

export type ProofSamplerDeps = {
  readonly prover: Pick<Prover, "prove">;
  readonly record: ExecutionRecord;
  /** The tokens that are tracked. */
  readonly mints: () => readonly Address[];
  readonly groundOf: (mint: Address) => ProofGround | null;
  readonly mode: keyof typeof SHARE_OF_MODE;
  readonly random: Random;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/**
 * Executes random sales in random pools of the tracked tokens, from one base unit up, refusals too, as
 * long as the service runs. Ends where no VM runs.
 */
export class ProofSampler {
  readonly #deps: ProofSamplerDeps;
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: ProofSamplerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule(IDLE_WAIT_MS);
  }

  /** Executes one random sale. Returns how long to wait for the next; null: never. */
  async sampleOnce(): Promise<number | null> {
    const { prover, record, mode } = this.#deps;
    const startedMs = performance.now();
    try {
      const chosen = this.#choose();
      if (chosen === null) return IDLE_WAIT_MS;
      const { ground, pool } = chosen;
      const [proof] = await prover.prove([orderIn(pool, this.#amountFor(pool))], ground);
      if (proof !== undefined) record.add(proof);
    } catch (cause) {
      if (cause instanceof VmError && cause.isMissing) return null;
      const isOutage = cause instanceof AppError && cause.code === "chain_unavailable";
      if (!isOutage) this.#deps.onFailure("execute a sale", cause);
      return IDLE_WAIT_MS;
    }
    const tookMs = performance.now() - startedMs;
    const isHurried = record.newDeployments().size > 0;
    const shortestMs = isHurried ? HURRIED_WAIT_MS : SHORTEST_WAIT_MS[mode];
    const share = isHurried ? SHARE_OF_MODE.full : SHARE_OF_MODE[mode];
    return Math.max(Math.min(shortestMs, SHORTEST_WAIT_MS[mode]), tookMs / share);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#turn;
  }

  #schedule(waitMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.sampleOnce().then((nextMs) => {
        if (nextMs !== null) this.#schedule(nextMs);
      });
    }, waitMs);
    this.#timer.unref();
  }

  /** A pool of a venue whose program was deployed just now, if one is found soon; else any. */
  #choose(): { readonly ground: ProofGround; readonly pool: QuotablePool } | null {
    const { mints, groundOf, record } = this.#deps;
    const tracked = mints();
    const wanted = record.newDeployments();
    let any: { readonly ground: ProofGround; readonly pool: QuotablePool } | null = null;
    for (let tries = 0; tries < TRIES; tries++) {
      const mint = this.#oneOf(tracked);
      const ground = mint === null ? null : groundOf(mint);
      if (ground === null) continue;
      const pools = ground.market.pools.filter(({ venue }) => Prover.covers(venue));
      const pool = this.#oneOf(preferred(pools, wanted));
      if (pool === null) continue;
      any = { ground, pool };
      if (wanted.size === 0 || wanted.has(pool.venue)) return any;
    }
    return any;
  }

  /** From one base unit to far more than the pool can pay for, mostly what its reserve is worth or less. */
  #amountFor({ spotPrice, reachable }: QuotablePool): bigint {
    const { random } = this.#deps;
    const isUsual = spotPrice !== null && random() < USUAL_SHARE;
    const worth = isUsual
      ? mulDivFloor(reachable(ALL), spotPrice.denominator, spotPrice.numerator)
      : 0n;
    const top = worth === 0n ? LARGEST_BITS : Math.min(LARGEST_BITS, worth.toString(2).length);
    const range = worth === 0n ? LARGEST_BITS : Math.min(top, USUAL_BITS);
    const bits = Math.max(0, top - 1 - Math.floor(random() * range));
    return (1n << BigInt(bits)) + BigInt(Math.floor(random() * 2 ** Math.min(bits, 50)));
  }

  #oneOf<One>(list: readonly One[]): One | null {
    return list[Math.floor(this.#deps.random() * list.length)] ?? null;
  }
}

function preferred(
  pools: readonly QuotablePool[],
  wanted: ReadonlySet<VenueId>,
): readonly QuotablePool[] {
  const found = pools.filter(({ venue }) => wanted.has(venue));
  return found.length === 0 ? pools : found;
}
