import type { AccountSlices } from "#src/chain/chain-source.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import type { Address } from "#src/units/address.ts";
import type { CodeFiles } from "./code-files.ts";
import { type CodeRead, findCode, type ProgramCode, readCode } from "./program-code.ts";
import { VmError, type VmHost } from "./vm/vm-host.ts";

/**
 * A new deployment is noticed within this time if `recheck` is not called: two small reads a
 * program, and providers bill each.
 */
const CHECK_EVERY_MS = 600_000;
/** A program that could not be loaded is read again after this. */
const RETRY_AFTER_MS = 60_000;

/** A program that is in the VM. */
export type LoadedProgram = Omit<ProgramCode, "code">;

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly program: LoadedProgram }
  | { readonly kind: "unavailable"; readonly reason: string };

type ProgramEntry = {
  /** Null until the first load has ended. */
  loaded: LoadOutcome | null;
  /** When the last load began; a deployment that is seen while it runs is not taken for checked. */
  checkedAtMs: number;
  /** The slot of a deployment that was seen elsewhere; null: none was. */
  awaitedSlot: bigint | null;
};

export type ProgramsDeps = {
  readonly chain: AccountSlices;
  readonly vm: Pick<VmHost, "load">;
  /** Null: nothing is kept on disk. */
  readonly files: CodeFiles | null;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** The programs in the VM, each as it is deployed now. */
export class Programs {
  readonly #deps: ProgramsDeps;
  readonly #entries = new Map<Address, ProgramEntry>();
  readonly #loads = new SingleFlight<Address, LoadOutcome>();

  constructor(deps: ProgramsDeps) {
    this.#deps = deps;
  }

  /** Loads the program, or loads it again if it was deployed since. Never throws but VmError if no VM runs. */
  load(programId: Address): Promise<LoadOutcome> {
    return this.#loads.run(programId, () => this.#loadIfDue(programId));
  }

  /**
   * Makes the next proof check the program's deployment.
   *
   * @param deployedSlot of the deployment that was seen: a node that is behind it has code that does not run any more
   */
  recheck(programId: Address, deployedSlot: bigint | null = null): void {
    const entry = this.#entryOf(programId);
    entry.checkedAtMs = Number.NEGATIVE_INFINITY;
    entry.awaitedSlot = deployedSlot ?? entry.awaitedSlot;
  }

  #entryOf(programId: Address): ProgramEntry {
    const known = this.#entries.get(programId);
    if (known !== undefined) return known;
    const entry = { loaded: null, checkedAtMs: Number.NEGATIVE_INFINITY, awaitedSlot: null };
    this.#entries.set(programId, entry);
    return entry;
  }

  async #loadIfDue(programId: Address): Promise<LoadOutcome> {
    const entry = this.#entryOf(programId);
    const { loaded } = entry;
    const nowMs = this.#deps.clock.nowMs();
    if (loaded !== null && !isOutdated(entry)) {
      const everyMs = loaded.kind === "loaded" ? CHECK_EVERY_MS : RETRY_AFTER_MS;
      if (nowMs < entry.checkedAtMs + everyMs) return loaded;
    }
    entry.checkedAtMs = nowMs;
    entry.loaded = await this.#read(programId, entry).catch((cause: unknown): LoadOutcome => {
      if (cause instanceof VmError && cause.isMissing) throw cause;
      if (!(cause instanceof VmError)) this.#deps.onFailure("load a program into the VM", cause);
      return { kind: "unavailable", reason: reasonOf(cause) };
    });
    return entry.loaded;
  }

  async #read(programId: Address, entry: ProgramEntry): Promise<LoadOutcome> {
    const { chain, vm, files, signal } = this.#deps;
    const place = await findCode(chain, programId, signal);
    if ("kind" in place) return { kind: "unavailable", reason: place.reason };
    if (isBefore(place.deployedSlot, entry.awaitedSlot))
      return { kind: "unavailable", reason: "the node is behind its last deployment" };
    const held = entry.loaded;
    if (held?.kind === "loaded" && held.program.deployedSlot === place.deployedSlot) return held;
    const { loader, deployedSlot } = place;
    const stored = (await files?.read(programId, { loader, deployedSlot })) ?? null;
    const read: CodeRead =
      stored === null
        ? await readCode(chain, programId, signal)
        : { kind: "read", program: stored };
    if (read.kind === "unreadable") return { kind: "unavailable", reason: read.reason };
    const { code, ...program } = read.program;
    if (!isElf(code)) return { kind: "unavailable", reason: "its bytes are not a program" };
    await vm.load(read.program);
    if (stored === null) await files?.write(read.program);
    return { kind: "loaded", program };
  }
}

/** The code was read while, or before, a later deployment was seen. */
function isOutdated({ loaded, awaitedSlot }: ProgramEntry): boolean {
  return loaded?.kind === "loaded" && isBefore(loaded.program.deployedSlot, awaitedSlot);
}

function isBefore(slot: bigint | null, awaitedSlot: bigint | null): boolean {
  return slot !== null && awaitedSlot !== null && slot < awaitedSlot;
}

/** The VM is not started for other bytes. */
function isElf(code: Uint8Array): boolean {
  return code[0] === 0x7f && code[1] === 0x45 && code[2] === 0x4c && code[3] === 0x46;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
