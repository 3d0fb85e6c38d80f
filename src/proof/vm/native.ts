import { createRequire } from "node:module";

/**
 * What we use of litesvm's native module. Its package for one platform is loaded alone: the wrapper
 * package needs a client library, and not every platform has a build of the same version.
 *
 * @see litesvm 1.5.0, dist/internal.d.ts
 */
export type Native = {
  readonly LiteSvm: new () => NativeSvm;
  readonly Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => NativeAccount;
  readonly Clock: new (
    slot: bigint,
    epochStartTimestamp: bigint,
    epoch: bigint,
    leaderScheduleEpoch: bigint,
    unixTimestamp: bigint,
  ) => object;
  readonly ComputeBudget: new () => { computeUnitLimit: bigint; heapSize: number };
};

export type NativeSvm = {
  setComputeBudget(budget: object): void;
  setSigverify(isOn: boolean): void;
  setBlockhashCheck(isOn: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  setLogBytesLimit(limit: bigint): void;
  setClock(clock: object): void;
  /** @throws where the bytes are not a program */
  addProgramWithLoader(programId: Uint8Array, code: Uint8Array, loader: Uint8Array): void;
  getAccount(address: Uint8Array): NativeAccount | null;
  setAccount(address: Uint8Array, account: NativeAccount): void;
  getBalance(address: Uint8Array): bigint | null;
  sendLegacyTransaction(bytes: Uint8Array): NativeMeta | NativeFailure;
};

export type NativeAccount = { data(): Uint8Array };

export type NativeMeta = {
  logs(): string[];
  innerInstructions(): NativeInner[][];
  computeUnitsConsumed(): bigint;
};

type NativeInner = {
  instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
};

export type NativeFailure = { err(): NativeError; meta(): NativeMeta };

/** A number: an error without fields. An object with `err`: that of one instruction. */
export type NativeError = number | { err?(): number | { readonly code?: number } };

const PACKAGES: Readonly<Record<string, string>> = { "linux-x64": "litesvm-linux-x64-gnu" };

/** @throws where there is no VM for this platform, or its optional package is not installed */
export function loadNative(): Native {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) throw new Error(`there is no VM for ${platform}`);
  try {
    return createRequire(import.meta.url)(name);
  } catch (cause) {
    throw new Error(`the optional package ${name} is not installed`, { cause });
  }
}
