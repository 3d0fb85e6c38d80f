import type { Address } from "#src/units/address.ts";
import type { Instruction, Signer } from "./transaction.ts";

export type ChainAccount = {
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Buffer;
};

export type Executed =
  | { readonly kind: "done"; readonly slot: number; readonly signature: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Where pump's programs run: a node, or a VM in this process. */
export type Chain = {
  readonly deploy: (programId: Address, code: Uint8Array) => void;
  readonly fund: (owner: Address, lamports: bigint) => void;
  readonly setAccount: (at: Address, account: Omit<ChainAccount, "data"> & WithData) => void;
  readonly account: (at: Address) => Promise<ChainAccount | null>;
  /** Executes one transaction; the first signer pays its fee. */
  readonly execute: (
    instructions: readonly Instruction[],
    signers: readonly Signer[],
  ) => Promise<Executed>;
};

type WithData = { readonly data: Uint8Array };
