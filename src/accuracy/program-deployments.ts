import type { AccountStarts } from "#src/chain/chain-source.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import {
  decodeProgram,
  PROGRAM_HEAD_BYTES,
  type ProgramState,
  programDataAddress,
} from "#src/venues/deployed-program.ts";
import type { VenueId } from "#src/venues/venue.ts";

/** One deployment of a program's code, which runs from the slot after `slot` until the next deployment. */
export type Deployment = {
  readonly venue: VenueId;
  readonly slot: bigint;
  readonly seenAtMs: number;
};

/** A change of a program's code. */
export type Upgrade = {
  readonly slot: bigint;
  readonly previousSlot: bigint;
  readonly seenAtMs: number;
};

export type ProgramReport = {
  readonly venue: VenueId;
  readonly state: ProgramState;
  /** When it was last read from a node; null: not yet. */
  readonly readAtMs: number | null;
  /** The last change seen; null: none. */
  readonly upgrade: Upgrade | null;
};

export type ProgramDeploymentsDeps = {
  readonly starts: AccountStarts;
  readonly programs: readonly { readonly id: VenueId; readonly programId: Address }[];
  readonly clock: WallClock;
  /** Called once for each deployment, including the first one seen. */
  readonly onDeployment: (deployment: Deployment) => void;
  /** Called for the operator's alert. */
  readonly onUpgrade: (venue: VenueId, upgrade: Upgrade) => void;
  /** Called when the accounts of programs no longer have a slot, once for all programs with the same reason. */
  readonly onUnknown: (venues: readonly VenueId[], reason: string) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

type Watched = {
  readonly id: VenueId;
  readonly programId: Address;
  readonly programData: Address;
  state: ProgramState;
  readAtMs: number | null;
  /** In the order they were seen. */
  readonly deployments: Deployment[];
};

const NOT_READ: ProgramState = { kind: "unknown", reason: "not-read" };

/** When each venue's program was deployed, and whether that changed. One read covers all programs. */
export class ProgramDeployments {
  readonly #deps: ProgramDeploymentsDeps;
  readonly #programs: readonly Watched[];
  readonly #abort = new AbortController();
  #checking: Promise<void> | null = null;

  constructor(deps: ProgramDeploymentsDeps) {
    this.#deps = deps;
    this.#programs = deps.programs.map(({ id, programId }) => ({
      id,
      programId,
      programData: programDataAddress(programId),
      state: NOT_READ,
      readAtMs: null,
      deployments: [],
    }));
  }

  /** Restores deployments seen before, in that order. */
  restore(deployments: readonly Deployment[]): void {
    for (const deployment of deployments)
      this.#programs.find(({ id }) => id === deployment.venue)?.deployments.push(deployment);
  }

  /** Reads from the node now, or joins the read in progress. Never throws. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  reports(): readonly ProgramReport[] {
    return this.#programs.map(({ id, state, readAtMs, deployments }) => ({
      venue: id,
      state,
      readAtMs,
      upgrade: lastUpgrade(deployments),
    }));
  }

  /** The deployed slot of the code that ran in a slot; null if unknown. */
  deployedSlotAt(venue: VenueId, slot: bigint): bigint | null {
    const program = this.#programs.find(({ id }) => id === venue);
    return program === undefined ? null : deployedSlotAt(program.deployments, slot);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { starts, onUnknown, onFailure } = this.#deps;
    const newlyUnknown = new Map<string, VenueId[]>();
    const addresses = this.#programs.flatMap(({ programId, programData }) => [
      programId,
      programData,
    ]);
    try {
      const { signal } = this.#abort;
      const read = await starts.readAccountStarts(addresses, PROGRAM_HEAD_BYTES, signal);
      for (const program of this.#programs) {
        const own = read.accounts.get(program.programId);
        const data = read.accounts.get(program.programData);
        // A program that the node did not return keeps its last state.
        if (own === undefined || data === undefined) continue;
        const state = decodeProgram(program.programId, own, data);
        const isNews = state.kind === "unknown" && !isSameUnknown(program.state, state);
        if (!this.#apply(program, state, read.slot) || !isNews) continue;
        newlyUnknown.set(state.reason, [...(newlyUnknown.get(state.reason) ?? []), program.id]);
      }
      for (const [reason, venues] of newlyUnknown) onUnknown(venues, reason);
    } catch (cause) {
      if (!this.#abort.signal.aborted) onFailure("read when programs were deployed", cause);
    }
  }

  /** @returns whether the deployment was applied; false if the node is behind the slot of the known one */
  #apply(program: Watched, state: ProgramState, readSlot: bigint): boolean {
    const { clock, onDeployment, onUpgrade } = this.#deps;
    const last = program.deployments.at(-1) ?? null;
    if (last !== null && readSlot < last.slot) return false;
    program.state = state;
    program.readAtMs = clock.nowMs();
    if (state.kind !== "deployed" || state.slot === last?.slot) return true;
    const deployment = { venue: program.id, slot: state.slot, seenAtMs: clock.nowMs() };
    program.deployments.push(deployment);
    onDeployment(deployment);
    if (last !== null) onUpgrade(program.id, upgradeFrom(last, deployment));
    return true;
  }
}

/**
 * The deployed slot of the code that ran in a slot, from the deployments of one program in the order
 * they were seen. Code runs from the slot after its deployment on. Null: unknown.
 */
export function deployedSlotAt(deployments: readonly Deployment[], slot: bigint): bigint | null {
  return deployments.findLast((deployment) => deployment.slot < slot)?.slot ?? null;
}

function lastUpgrade(deployments: readonly Deployment[]): Upgrade | null {
  const [previous, last] = deployments.slice(-2);
  return previous === undefined || last === undefined ? null : upgradeFrom(previous, last);
}

function upgradeFrom(previous: Deployment, { slot, seenAtMs }: Deployment): Upgrade {
  return { slot, previousSlot: previous.slot, seenAtMs };
}

function isSameUnknown(a: ProgramState, b: ProgramState): boolean {
  return a.kind === "unknown" && b.kind === "unknown" && a.reason === b.reason;
}
