import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { SaleProof } from "./prover.ts";

/** So many of a venue's last executions decide. */
const RECENT = 200;
/** Differences count only from so many pools: fewer can be one hostile token's doing. */
const DIFFERING_POOLS = 5;
/** What a new deployment has to show before its venue is trusted as before. */
const NEEDED = { executions: 20, pools: 5 } as const;

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
  /** Why the last sale was not executed; null: it was. */
  readonly unproved: string | null;
  /** The last sale that differed; null: none did. */
  readonly difference: SaleProof | null;
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
  difference: SaleProof | null;
};

/** Counts executions by venue. */
export class ExecutionRecord {
  readonly #tallies = new Map<VenueId, ExecutionTally>();

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
    else tally.difference = proof;
    tally.recent.push({ pool: proof.pool, isEqual: proof.isEqual });
    if (tally.recent.length > RECENT) tally.recent.shift();
    if (tally.isNewDeployment && hasShownEnough(tally.recent)) tally.isNewDeployment = false;
  }

  /** A deployment was seen. Ignored for a venue without executions: none may ever follow. */
  deployed(venue: VenueId): void {
    const tally = this.#tallies.get(venue);
    if (tally !== undefined && tally.executed > 0) restart(tally);
  }

  /** Percent, of venues with executions; differences of few pools are left out. */
  equalPctByVenue(): ReadonlyMap<VenueId, number> {
    const shares = new Map<VenueId, number>();
    for (const [venue, { recent }] of this.#tallies) {
      if (recent.length === 0) continue;
      const differing = recent.filter(({ isEqual }) => !isEqual);
      const isWidespread = poolsOf(differing) >= DIFFERING_POOLS;
      const counted = isWidespread ? differing.length : 0;
      shares.set(venue, (100 * (recent.length - counted)) / recent.length);
    }
    return shares;
  }

  /** Venues whose program was deployed while this process ran, and has not shown enough yet. */
  newDeployments(): ReadonlySet<VenueId> {
    const venues = [...this.#tallies].filter(([, { isNewDeployment }]) => isNewDeployment);
    return new Set(venues.map(([venue]) => venue));
  }

  report(): readonly VenueExecutions[] {
    return [...this.#tallies].map(([venue, { recent: _recent, ...tally }]) => ({
      venue,
      ...tally,
    }));
  }
}

function restart(tally: ExecutionTally): void {
  tally.isNewDeployment = true;
  tally.onDeployment = 0;
  tally.recent.length = 0;
}

function hasShownEnough(recent: readonly Execution[]): boolean {
  const equal = recent.filter(({ isEqual }) => isEqual);
  return (
    equal.length === recent.length &&
    equal.length >= NEEDED.executions &&
    poolsOf(equal) >= NEEDED.pools
  );
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
    difference: null,
  };
}
