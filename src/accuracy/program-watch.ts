import type { AccountStarts } from "#src/chain/chain-source.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import {
  decodeProgram,
  PROGRAM_HEAD_BYTES,
  type ProgramState,
  programDataAddress,
} from "./program-state.ts";

/** A program's code as it was found: from the slot after `slot` on, until another one is. */
export type Deployment = {
  readonly venue: VenueId;
  readonly slot: bigint;
  readonly seenAtMs: number;
};

/** A program's code was found to be another than before. */
export type Upgrade = {
  readonly slot: bigint;
  readonly previousSlot: bigint;
  readonly seenAtMs: number;
};

export type ProgramReport = {
  readonly venue: VenueId;
  readonly state: ProgramState;
  /** When a node last told of it; null: not yet. */
  readonly readAtMs: number | null;
  /** The last change that was seen; null: none was. */
  readonly upgrade: Upgrade | null;
};

export type ProgramWatchDeps = {
  readonly starts: AccountStarts;
  readonly programs: readonly { readonly id: VenueId; readonly programId: Address }[];
  readonly nowMs: NowMs;
  /** Told once of each deployment, the first one that is ever seen included. */
  readonly onDeployment: (deployment: Deployment) => void;
  /** The operator's alert. */
  readonly onUpgrade: (venue: VenueId, upgrade: Upgrade) => void;
  /** What a program's accounts say is no slot any more. */
  readonly onUnknown: (venue: VenueId, reason: string) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

type Watched = {
  readonly id: VenueId;
  readonly programId: Address;
  readonly programData: Address;
  state: ProgramState;
  readAtMs: number | null;
  /** In the order in which they were seen. */
  readonly deployments: Deployment[];
};

const NOT_READ: ProgramState = { kind: "unknown", reason: "not-read" };

/** When each venue's program was deployed, and whether that has changed. One read asks for all of them. */
export class ProgramWatch {
  readonly #deps: ProgramWatchDeps;
  readonly #programs: readonly Watched[];
  readonly #abort = new AbortController();
  #checking: Promise<void> | null = null;

  constructor(deps: ProgramWatchDeps) {
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

  /** Takes in what was seen before, in that order. */
  restore(deployments: readonly Deployment[]): void {
    for (const deployment of deployments)
      this.#programs.find(({ id }) => id === deployment.venue)?.deployments.push(deployment);
  }

  /** Asks the node now; a check that is under way is the one. Never throws. */
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

  /** The deployed slot of the code that ran in a slot; null where that is not known. */
  deployedSlotAt(venue: VenueId, slot: bigint): bigint | null {
    const program = this.#programs.find(({ id }) => id === venue);
    return program === undefined ? null : deployedSlotAt(program.deployments, slot);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { starts, onFailure } = this.#deps;
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
        // What the node left out is not known anew: what it said before stands.
        if (own === undefined || data === undefined) continue;
        this.#take(program, decodeProgram(program.programId, own, data), read.slot);
      }
    } catch (cause) {
      if (!this.#abort.signal.aborted) onFailure("read when programs were deployed", cause);
    }
  }

  #take(program: Watched, state: ProgramState, readSlot: bigint): void {
    const { nowMs, onDeployment, onUpgrade, onUnknown } = this.#deps;
    const last = program.deployments.at(-1) ?? null;
    // A node that has not come to the deployment that is known can't know of it.
    if (last !== null && readSlot < last.slot) return;
    const before = program.state;
    program.state = state;
    program.readAtMs = nowMs();
    if (state.kind === "unknown" && !isSameUnknown(before, state)) {
      onUnknown(program.id, state.reason);
    }
    if (state.kind !== "deployed" || state.slot === last?.slot) return;
    const deployment = { venue: program.id, slot: state.slot, seenAtMs: nowMs() };
    program.deployments.push(deployment);
    onDeployment(deployment);
    if (last !== null) onUpgrade(program.id, upgradeFrom(last, deployment));
  }
}

/**
 * The deployed slot of the code that ran in a slot, of deployments of one program in the order in
 * which they were seen: what a slot deploys runs from the next one on. Null: not known.
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
