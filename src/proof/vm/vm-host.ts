import { Worker } from "node:worker_threads";
import { assertNever } from "#src/platform/assert-never.ts";
import type { Address } from "#src/units/address.ts";
import type { FromVm, ToVm, VmProgram, VmResult, VmRun } from "./vm-messages.ts";

/** Loading the largest program takes some 30 ms, a sale at its compute limit as long. */
const CALL_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 20_000;
const MAX_WAITING = 64;
/** A fresh VM returns what the last one's native memory grew by. */
const RUNS_PER_THREAD = 50_000;
const HEAP_MB = 256;

/** The VM could not run something. The message says why, in one clause for a caller. */
export class VmError extends Error {
  /** True: no VM runs in this process at all. */
  readonly isMissing: boolean;

  constructor(message: string, { isMissing = false } = {}) {
    super(message);
    this.name = "VmError";
    this.isMissing = isMissing;
  }
}

type WaitingCall = {
  readonly call: ToVm;
  readonly done: PromiseWithResolvers<FromVm>;
};

/**
 * The main thread's side of the VM's thread, which starts with the first call. Calls run one at a time, each
 * in bounded time: a thread that exceeds it is ended, and the next call starts another.
 */
export class VmHost {
  readonly #waiting: WaitingCall[] = [];
  readonly #programs = new Map<Address, VmProgram>();
  readonly #open: () => Worker;
  #thread: Worker | null = null;
  #starting: Promise<Worker> | null = null;
  /** Why no VM runs here; null while that is not known. */
  #missing: string | null = null;
  #isBusy = false;
  #isClosed = false;
  #runs = 0;

  constructor(open: () => Worker = openWorker) {
    this.#open = open;
  }

  /** Programs are loaded again into a thread that replaces another. @throws VmError */
  async load(program: VmProgram): Promise<void> {
    await this.#call({ kind: "load", program });
    this.#programs.set(program.programId, program);
  }

  /** @throws VmError */
  async execute(run: VmRun): Promise<readonly VmResult[]> {
    const answer = await this.#call({ kind: "execute", run });
    if (answer.kind !== "results") throw new VmError("the VM gave no result");
    return answer.results;
  }

  /** Ends the thread. One that is starting is ended once it has started, after 25 s at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { done } of this.#waiting.splice(0)) done.reject(new VmError("the VM is closed"));
    // A thread terminated while it loads the VM's addon may abort the process.
    await this.#starting?.catch(() => null);
    await this.#end();
  }

  #call(call: ToVm): Promise<FromVm> {
    if (this.#isClosed) return Promise.reject(new VmError("the VM is closed"));
    if (this.#missing !== null) {
      return Promise.reject(new VmError(this.#missing, { isMissing: true }));
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new VmError("too many proofs are waiting"));
    }
    const done = Promise.withResolvers<FromVm>();
    this.#waiting.push({ call, done });
    void this.#work();
    return done.promise;
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { call, done } = next;
      await this.#answer(call).then(done.resolve, done.reject);
    }
    this.#isBusy = false;
  }

  async #answer(call: ToVm): Promise<FromVm> {
    if (this.#runs >= RUNS_PER_THREAD) await this.#end();
    const thread = this.#thread ?? (await this.#start());
    this.#runs++;
    try {
      return await ask(thread, call);
    } catch (cause) {
      if (!(cause instanceof RefusedCall)) await this.#end();
      throw cause;
    }
  }

  #start(): Promise<Worker> {
    this.#starting = this.#startThread().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #startThread(): Promise<Worker> {
    if (this.#isClosed) throw new VmError("the VM is closed");
    const thread = this.#open();
    // A call reports the errors of its own time; without a listener, a later one would end the process.
    thread.on("error", () => undefined).unref();
    try {
      await ready(thread);
      for (const program of this.#programs.values()) {
        if (this.#isClosed) throw new VmError("the VM is closed");
        await ask(thread, { kind: "load", program });
      }
    } catch (cause) {
      await thread.terminate();
      if (cause instanceof VmError && cause.isMissing) this.#missing = cause.message;
      throw cause;
    }
    this.#runs = 0;
    this.#thread = thread;
    return thread;
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    this.#runs = 0;
    await thread?.terminate();
  }
}

/** The VM took the call and says that it can't do it; its thread is fine. */
class RefusedCall extends VmError {}

function openWorker(): Worker {
  return new Worker(new URL("./vm-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

async function ready(thread: Worker): Promise<void> {
  const message = await nextMessage(thread, START_TIMEOUT_MS);
  if (message.kind === "unavailable") throw new VmError(message.reason, { isMissing: true });
  if (message.kind !== "ready") throw new VmError("the VM did not start");
}

async function ask(thread: Worker, message: ToVm): Promise<FromVm> {
  thread.postMessage(message);
  const answer = await nextMessage(thread, CALL_TIMEOUT_MS);
  switch (answer.kind) {
    case "loaded":
    case "results":
      return answer;
    case "failed":
      throw new RefusedCall(answer.reason);
    case "ready":
    case "unavailable":
      throw new VmError("the VM answered out of turn");
    default:
      return assertNever(answer);
  }
}

/** The thread's next message. @throws VmError if it ends or stays silent */
function nextMessage(thread: Worker, timeoutMs: number): Promise<FromVm> {
  const { promise, resolve, reject } = Promise.withResolvers<FromVm>();
  const onExit = (): void => reject(new VmError("the VM's thread ended"));
  const onError = (cause: unknown): void =>
    reject(new VmError(`the VM's thread failed: ${String(cause)}`));
  const timer = setTimeout(() => reject(new VmError("the VM took too long")), timeoutMs);
  thread.once("message", resolve).once("exit", onExit).once("error", onError);
  return promise.finally(() => {
    clearTimeout(timer);
    thread.off("message", resolve).off("exit", onExit).off("error", onError);
  });
}
