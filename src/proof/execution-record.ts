import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { SaleProof } from "./prover.ts";

/** So many of a venue's last executions decide. */
const RECENT = 200;
/** Differences count only from so many pools: fewer can be one hostile token's doing. */
const DIFFERING_POOLS = 5;
/** What a new deployment has to show before its venue is trusted as before. */
const NEEDED = { executions: 20, pools: 5, ifDoubtful: 100 } as const;

type Execution = { readonly pool: Address; readonly isEqual: boolean };

/** What the executions of one venue's program say, since this process started. */
export type VenueExecutions = {
  readonly venue: VenueId;
  /** Sales executed, and how many of them paid, or were refused, as modelled. */
  readonly executed: number;
  readonly equal: number;
  /** Of the deployment that runs now. */
  readonly deployedSlot: bigint | null;
  readonly onDeployment: number;
  /** A deployment was seen that has not shown enough equal executions yet. */
  readonly isNewDeployment: boolean;
  /** The model is wrong: answers of this venue are executed. */
  readonly isFailing: boolean;
  /** Why the last sale was not executed; null: it was. */
  readonly unproved: string | null;
};

type ExecutionTally = {
  executed: number;
  equal: number;
  deployedSlot: bigint | null;
  isNewDeployment: boolean;
  onDeployment: number;
  /** Of the deployment, the newest last. */
  readonly recent: Execution[];
  unproved: string | null;
};

/** Counts executions by venue. */
export class ExecutionRecord {
  readonly #tallies = new Map<VenueId, ExecutionTally>();
  readonly #onFailing: (venue: VenueId, isFailing: boolean) => void;
  #failing: ReadonlySet<VenueId> = new Set();

  /** @param onFailing called when a venue begins to fail, and when it is proved again */
  constructor(onFailing: (venue: VenueId, isFailing: boolean) => void = () => undefined) {
    this.#onFailing = onFailing;
  }

  add(proof: SaleProof): void {
    const tally = this.#tallies.get(proof.venue) ?? emptyTally();
    this.#tallies.set(proof.venue, tally);
    tally.unproved = proof.unproved;
    if (proof.isEqual === null) return;
    const deployedSlot = proof.program?.deployedSlot ?? null;
    if (tally.executed > 0 && deployedSlot !== tally.deployedSlot) {
      restart(tally);
    }
    tally.deployedSlot = deployedSlot;
    tally.executed++;
    tally.onDeployment++;
    if (proof.isEqual) tally.equal++;
    tally.recent.push({ pool: proof.pool, isEqual: proof.isEqual });
    if (tally.recent.length > RECENT) tally.recent.shift();
    if (isWidespread(tally)) {
      tally.isNewDeployment = false;
      this.#setFailing(proof.venue, true);
    } else if (hasShownEnough(tally.recent)) {
      tally.isNewDeployment = false;
      this.#setFailing(proof.venue, false);
    }
  }

  /** A deployment was seen. Ignored for a venue without executions: none may ever follow. */
  deployed(venue: VenueId): void {
    const tally = this.#tallies.get(venue);
    if (tally === undefined || tally.executed === 0) return;
    restart(tally);
    // Until it is proved, a program that failed is executed on; what its last deployment paid is void.
    this.#failing = new Set(this.#failing);
  }

  /**
   * Venues whose model does not pay what their programs do. Another set after each change, and after a
   * deployment.
   */
  failing(): ReadonlySet<VenueId> {
    return this.#failing;
  }

  /** Percent, of venues with executions; differences of few pools are left out. */
  equalPctByVenue(): ReadonlyMap<VenueId, number> {
    const shares = new Map<VenueId, number>();
    for (const [venue, tally] of this.#tallies) {
      const { recent } = tally;
      if (recent.length === 0) continue;
      const counted =
        isWidespread(tally) || this.#failing.has(venue) ? differing(recent).length : 0;
      shares.set(venue, (100 * (recent.length - counted)) / recent.length);
    }
    return shares;
  }

  /** Venues whose program was deployed while this process ran, and has not shown enough yet. */
  newDeployments(): ReadonlySet<VenueId> {
    const venues = [...this.#tallies].filter(([, { isNewDeployment }]) => isNewDeployment);
    return new Set(venues.map(([venue]) => venue));
  }

  #setFailing(venue: VenueId, isFailing: boolean): void {
    if (this.#failing.has(venue) === isFailing) return;
    const others = [...this.#failing].filter((other) => other !== venue);
    this.#failing = new Set(isFailing ? [...others, venue] : others);
    this.#onFailing(venue, isFailing);
  }

  report(): readonly VenueExecutions[] {
    return [...this.#tallies].map(([venue, { recent: _recent, ...tally }]) => ({
      venue,
      ...tally,
      isFailing: this.#failing.has(venue),
    }));
  }
}

function restart(tally: ExecutionTally): void {
  tally.isNewDeployment = true;
  tally.onDeployment = 0;
  tally.recent.length = 0;
}

/**
 * Whether the model is wrong, and not one token odd. A new deployment may have few pools: there, half of
 * those that were executed decide.
 */
function isWidespread({ recent, isNewDeployment }: ExecutionTally): boolean {
  const pools = poolsOf(differing(recent));
  if (pools >= DIFFERING_POOLS) return true;
  const isJudged = isNewDeployment && recent.length >= NEEDED.executions;
  return isJudged && pools > 0 && 2 * pools >= poolsOf(recent);
}

/** One pool that differs is one odd token; a few are, once enough executions did not show more of them. */
function hasShownEnough(recent: readonly Execution[]): boolean {
  const equal = recent.filter(({ isEqual }) => isEqual);
  const odd = poolsOf(differing(recent));
  const isOdd = odd <= 1 || (odd < DIFFERING_POOLS && recent.length >= NEEDED.ifDoubtful);
  return isOdd && equal.length >= NEEDED.executions && poolsOf(equal) >= NEEDED.pools;
}

function differing(executions: readonly Execution[]): readonly Execution[] {
  return executions.filter(({ isEqual }) => !isEqual);
}

function poolsOf(executions: readonly Execution[]): number {
  return new Set(executions.map(({ pool }) => pool)).size;
}

function emptyTally(): ExecutionTally {
  return {
    executed: 0,
    equal: 0,
    deployedSlot: null,
    isNewDeployment: false,
    onDeployment: 0,
    recent: [],
    unproved: null,
  };
}
