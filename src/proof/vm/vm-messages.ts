import type { Address } from "#src/units/address.ts";
import type { Clock } from "#src/venues/venue.ts";

/** An account as the VM holds it; null: it must not exist. */
export type VmAccount = {
  readonly address: Address;
  readonly account: {
    readonly owner: Address;
    readonly lamports: bigint;
    readonly data: Uint8Array;
  } | null;
};

/** A program's code under the loader that runs it. */
export type VmProgram = {
  readonly programId: Address;
  readonly loader: Address;
  readonly code: Uint8Array;
};

/** A transaction's bytes, with the addresses of its message in their order. */
export type VmMessage = { readonly bytes: Uint8Array; readonly addresses: readonly Address[] };

/** One sale: what the seller has before it, and the transaction. */
export type VmStep = {
  /** The accounts are laid out again before it: it does not find what the steps before it changed. */
  readonly startsOver?: boolean;
  readonly seller: readonly VmAccount[];
  /** Each on the same accounts; the first that executes is the result, else the first one's refusal. */
  readonly attempts: readonly VmMessage[];
  /** The wallet whose lamports are compared. */
  readonly wallet: Address;
  /** The token account whose tokens are compared. */
  readonly tokenAccount: Address;
};

/** Sales on accounts that are laid out before the first and removed after the last. */
export type VmRun = {
  readonly accounts: readonly VmAccount[];
  readonly steps: readonly VmStep[];
  readonly clock: Clock;
};

export type VmResult =
  | {
      readonly kind: "executed";
      /** Received by the wallet, what it paid for accounts that the program created added back. */
      readonly lamports: bigint;
      /** Received by the token account. */
      readonly tokens: bigint;
      readonly computeUnits: bigint;
    }
  /** The program refused, or ended without a result. */
  | { readonly kind: "refused"; readonly reason: string; readonly computeUnits: bigint };

export type ToVm =
  | { readonly kind: "load"; readonly program: VmProgram }
  | { readonly kind: "execute"; readonly run: VmRun };

export type FromVm =
  | { readonly kind: "ready" }
  | { readonly kind: "unavailable"; readonly reason: string }
  | { readonly kind: "loaded" }
  | { readonly kind: "results"; readonly results: readonly VmResult[] }
  | { readonly kind: "failed"; readonly reason: string };
