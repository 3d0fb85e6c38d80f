import { join } from "node:path";
import type { AccountSlices, ChainSource } from "#src/chain/chain-source.ts";
import type { ExitQuery } from "#src/measure/questions/exit-at.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { CodeFiles } from "./code-files.ts";
import { KeptAccounts } from "./kept-accounts.ts";
import { MeasureByExecution } from "./measure-by-execution.ts";
import { Programs } from "./programs.ts";
import { type ExitProof, type ProofGround, proveExit } from "./prove-exit.ts";
import { Prover } from "./prover.ts";
import { VmError, VmHost } from "./vm/vm-host.ts";

/** Why there are no proofs on the demo market, for callers. */
export const NO_CODE_IN_DEMO =
  "this is the demo market, whose programs are simulated: there is no deployed code to execute";

export type ProofsDeps = {
  readonly chain: Pick<ChainSource, "readAccounts"> & AccountSlices;
  /** Where program code is kept; null: it is read again by each process. */
  readonly dataDir: string | null;
  readonly clock: WallClock;
  readonly onFailure: (what: string, cause: unknown) => void;
  readonly vm?: VmHost;
};

/** Proofs of exits by the deployed programs. Nothing is loaded before the first one. */
export class Proofs {
  readonly #vm: VmHost;
  readonly #programs: Programs;
  readonly #prover: Prover;
  readonly #abort = new AbortController();

  constructor({ chain, dataDir, clock, onFailure, vm = new VmHost() }: ProofsDeps) {
    const { signal } = this.#abort;
    const files = dataDir === null ? null : new CodeFiles(join(dataDir, "programs"));
    this.#vm = vm;
    this.#programs = new Programs({ chain, vm, files, clock, signal, onFailure });
    const kept = new KeptAccounts(chain, clock);
    this.#prover = new Prover({ programs: this.#programs, vm, chain: kept, signal });
  }

  get prover(): Prover {
    return this.#prover;
  }

  /** @throws AppError proof_unavailable where nothing could be executed; chain_unavailable */
  async prove(ground: ProofGround, query: ExitQuery): Promise<ExitProof> {
    const proof = await proveExit(this.#prover, ground, query).catch((cause: unknown) => {
      if (cause instanceof VmError) throw unavailable(`the VM can't run: ${cause.message}`);
      throw cause;
    });
    const reason = proof.sales.find(({ unproved }) => unproved !== null)?.unproved ?? null;
    if (reason !== null && proof.sales.every(({ executed }) => executed === null)) {
      throw unavailable(`no sale could be executed: ${reason}`);
    }
    return proof;
  }

  /** Answers that are executed in these venues instead of modelled. */
  measureByExecution(venues: () => ReadonlySet<VenueId>): MeasureByExecution {
    return new MeasureByExecution({ prover: this.#prover, venues });
  }

  /**
   * Called when a deployment was seen, so that the next proof runs the new code.
   *
   * @param deployedSlot of this program; null: another program of its venue was deployed
   */
  recheck(programId: Address, deployedSlot: bigint | null = null): void {
    this.#programs.recheck(programId, deployedSlot);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#vm.close();
  }
}

export function unavailable(reason: string): AppError {
  return new AppError("proof_unavailable", {
    publicMessage: `No proof: ${reason}.`,
  });
}
