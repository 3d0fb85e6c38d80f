import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "../../account-set.ts";
import { u64AsDouble } from "../../fast-bytes.ts";
import { decodeMint, type Mint } from "./mint.ts";
import { TOKEN_ACCOUNT } from "./token-account.ts";

/** A token of a pool: its vault, and its mint. */
export type VaultOfMint = { readonly vault: Address; readonly mint: Address };

type ReadSide = VaultOfMint & {
  /** Bytes of the mint that were found to be plain, to detect changes. */
  plainData: Uint8Array | null;
};

/** Reads what a pool's vaults hold, for fast paths: these leave transfers that are not plain to the reference. */
export class PlainTransfers {
  readonly #input: ReadSide;
  readonly #output: ReadSide;
  readonly #isPlain: (mint: Mint) => boolean;

  constructor(input: VaultOfMint, output: VaultOfMint, isPlain: (mint: Mint) => boolean) {
    this.#input = { ...input, plainData: null };
    this.#output = { ...output, plainData: null };
    this.#isPlain = isPlain;
  }

  /** What the output vault holds; NaN where a vault is absent or frozen, or a mint is not plain. */
  heldOut(known: AccountSet): number {
    if (this.#vaultData(this.#input, known) === null) return Number.NaN;
    const data = this.#vaultData(this.#output, known);
    return data === null ? Number.NaN : u64AsDouble(data, TOKEN_ACCOUNT.amount);
  }

  #vaultData(side: ReadSide, known: AccountSet): Uint8Array | null {
    const vault = known.get(side.vault);
    if (vault === null || vault === undefined) return null;
    if (vault.data[TOKEN_ACCOUNT.state] === TOKEN_ACCOUNT.frozen) return null;
    const mint = known.get(side.mint);
    if (mint?.data === side.plainData) return vault.data;
    const decoded = decodeMint(mint);
    if (decoded === null || !this.#isPlain(decoded)) return null;
    side.plainData = mint?.data ?? null;
    return vault.data;
  }
}
