import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "./account-set.ts";
import type { VenueId } from "./venue.ts";

/** A wallet that sells inside the VM alone, with its associated token accounts of both mints. */
export type Seller = {
  readonly wallet: Address;
  readonly baseAccount: Address;
  readonly quoteAccount: Address;
};

export type InstructionAccount = {
  readonly address: Address;
  readonly isWritable: boolean;
  readonly isSigner: boolean;
};

export type SaleInstruction = {
  readonly programId: Address;
  readonly accounts: readonly InstructionAccount[];
  readonly data: Uint8Array;
};

/**
 * An account that the instruction names and the sale's result does not depend on. It is laid out in the
 * VM only where the chain has none at its address.
 */
export type Placeholder =
  | {
      readonly kind: "token-account";
      readonly address: Address;
      readonly mint: Address;
      readonly owner: Address;
      /** What it holds; absent: nothing. */
      readonly amount?: bigint;
    }
  | { readonly kind: "wallet"; readonly address: Address }
  | {
      readonly kind: "program-account";
      readonly address: Address;
      readonly owner: Address;
      readonly data: Uint8Array;
    };

export type SaleRequest = {
  readonly pool: Address;
  readonly known: AccountSet;
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
  readonly seller: Seller;
};

export type BuiltSale =
  | {
      readonly kind: "built";
      /** Tried in this order until one executes: which of them a program takes can depend on its fees. */
      readonly instructions: readonly [SaleInstruction, ...SaleInstruction[]];
      readonly placeholders: readonly Placeholder[];
      /** Whether the seller's wallet receives lamports, or its token account tokens. */
      readonly paidIn: "lamports" | "tokens";
      /** The program's own error where it sells in this pool by another instruction only. */
      readonly notTaken?: number;
    }
  | UnbuiltSale;

export type UnbuiltSale =
  /** Ask again when these are loaded too. */
  | { readonly kind: "needs"; readonly addresses: readonly Address[] }
  /** No instruction of the program sells here, as far as we know. One clause for a person. */
  | { readonly kind: "unbuildable"; readonly reason: string };

/** One pool of a sale through several. */
export type SaleHop = {
  readonly venue: VenueId;
  readonly pool: Address;
  readonly inputMint: Address;
  readonly outputMint: Address;
};

export type ChainSaleRequest = Omit<SaleRequest, "pool"> & { readonly hops: readonly SaleHop[] };

/** One instruction that sells through several pools. */
export interface ChainSale {
  /** As `ChainSales.instruction` of the venues. */
  readonly instruction: string;
  readonly programs: readonly Address[];
  build(request: ChainSaleRequest): BuiltSale;
}

/**
 * The exact-in sale of one program as an instruction, from the same accounts as a quote. It serves
 * proofs in a VM: it names no minimum, and nothing here signs or sends. Pure.
 */
export interface VenueSale {
  readonly venue: VenueId;
  /** The program and those that it calls, except token programs. */
  readonly programs: readonly Address[];
  /** Never throws BytesEnded for accounts that the venue decodes. */
  build(request: SaleRequest): BuiltSale;
}
