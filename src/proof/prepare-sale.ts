import { type Address, address } from "#src/units/address.ts";
import { U64_MAX } from "#src/units/integer.ts";
import {
  CLOCK_SYSVAR,
  INSTRUCTIONS_SYSVAR,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { tokenProgramOf } from "#src/venues/shared/sale-instruction.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
} from "#src/venues/shared/token/associated-token.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { decodeTokenAccount } from "#src/venues/shared/token/token-account.ts";
import type { Seller, UnbuiltSale, VenueSale } from "#src/venues/venue-sale.ts";
import { legacyTransaction } from "./legacy-transaction.ts";
import { layNativeMint, layPlaceholder, layTokenAccount, rentExempt } from "./token-layout.ts";
import type { VmAccount, VmStep } from "./vm/vm-messages.ts";

/** Made-up addresses: SHA-256 of the text "exitability proof seller", and of "... fee payer". */
const WALLET = address("GWnicpbPDBHTauYxySgVbUGZC64gayoTFSdQarwww9fe");
const FEE_PAYER = address("E2fNPeKLJqN3G8oh4RwG8kUDtGak9nfTFeLBbcT23vio");
/** Enough for any rent that a program takes from its seller. */
const WALLET_LAMPORTS = 1_000_000_000_000n;
/** In the VM from the start. */
const BUILT_IN: ReadonlySet<Address> = new Set([
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  CLOCK_SYSVAR,
  INSTRUCTIONS_SYSVAR,
]);

/** An exact-in sale in one pool. */
export type SaleOrder = {
  readonly pool: Address;
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
};

export type PreparedSale =
  | {
      readonly kind: "prepared";
      readonly accounts: readonly VmAccount[];
      readonly step: VmStep;
      readonly paidIn: "lamports" | "tokens";
      /** As in `BuiltSale`. */
      readonly notTaken: number | null;
    }
  | UnbuiltSale
  /** No sale of this amount: the token program refuses a balance above a u64. A smaller one may be executed. */
  | { readonly kind: "oversized"; readonly reason: string };

/**
 * Lays out the accounts of a sale and its transaction. `known` must say of each account that the
 * instruction names what it contains, or null; "needs" names those of which it says neither.
 */
export function prepareSale(
  sale: Pick<VenueSale, "programs" | "build">,
  order: SaleOrder,
  known: AccountSet,
): PreparedSale {
  const { inputMint, outputMint } = order;
  const seller = sellerOf(order, known);
  if ("kind" in seller) return seller;
  if ([inputMint, outputMint].some((mint) => hasHook(known, mint))) {
    return { kind: "unbuildable", reason: "a transfer hook whose accounts are not known" };
  }
  const built = sale.build({ ...order, known, seller });
  if (built.kind !== "built") return built;
  const { instructions, placeholders, paidIn, notTaken = null } = built;
  const own: ReadonlySet<Address> = new Set(Object.values(seller));
  const named = new Set(
    [
      inputMint,
      outputMint,
      ...instructions.flatMap(({ accounts }) => accounts.map(({ address }) => address)),
    ].filter(
      (address) => !own.has(address) && !BUILT_IN.has(address) && !sale.programs.includes(address),
    ),
  );
  const missing = [...named].filter(
    (address) => address !== WSOL && known.get(address) === undefined,
  );
  if (missing.length > 0) return { kind: "needs", addresses: missing };
  if (heldOf(known, named, inputMint) + order.amountIn > U64_MAX) {
    return { kind: "oversized", reason: "pool and seller would hold more than a mint can issue" };
  }
  const stand = new Map(placeholders.map((placeholder) => [placeholder.address, placeholder]));
  const accounts = [...named].map((address): VmAccount => {
    const found = known.get(address) ?? null;
    if (found !== null) return { address, account: found };
    if (address === WSOL) return { address, account: layNativeMint() };
    const placeholder = stand.get(address);
    const account = placeholder === undefined ? null : layPlaceholder(known, placeholder);
    return { address, account };
  });
  return {
    kind: "prepared",
    ...{ paidIn, notTaken },
    accounts,
    step: {
      seller: sellerAccounts(order, seller, known),
      attempts: instructions.map((instruction) => legacyTransaction(FEE_PAYER, instruction)),
      wallet: seller.wallet,
      tokenAccount: seller.quoteAccount,
    },
  };
}

function sellerOf({ inputMint, outputMint }: SaleOrder, known: AccountSet) {
  const baseProgram = tokenProgramOf(known, inputMint);
  if (typeof baseProgram !== "string") return baseProgram;
  const quoteProgram = tokenProgramOf(known, outputMint);
  if (typeof quoteProgram !== "string") return quoteProgram;
  return {
    wallet: WALLET,
    baseAccount: associatedTokenAddress(WALLET, inputMint, baseProgram),
    quoteAccount: associatedTokenAddress(WALLET, outputMint, quoteProgram),
  } satisfies Seller;
}

/** Base units of a mint in the named accounts. The token program does not check that a balance fits its integer. */
function heldOf(known: AccountSet, named: ReadonlySet<Address>, mint: Address): bigint {
  let held = 0n;
  for (const address of named) {
    const account = decodeTokenAccount(known.get(address));
    if (account?.mint === mint) held += account.amount;
  }
  return held;
}

/** The hook's program alone says which accounts a transfer has to name; without them it is refused. */
function hasHook(known: AccountSet, mint: Address): boolean {
  return (decodeMint(known.get(mint))?.transferHook ?? null) !== null;
}

/** The seller has exactly what it sells, and lamports; another wallet pays for the transaction. */
function sellerAccounts(
  { inputMint, outputMint, amountIn }: SaleOrder,
  { wallet, baseAccount, quoteAccount }: Seller,
  known: AccountSet,
): readonly VmAccount[] {
  const purse = { owner: SYSTEM_PROGRAM, lamports: WALLET_LAMPORTS, data: new Uint8Array() };
  const base = { mint: inputMint, owner: wallet, amount: amountIn };
  const quote = { mint: outputMint, owner: wallet, amount: 0n };
  return [
    { address: FEE_PAYER, account: { ...purse, lamports: WALLET_LAMPORTS + rentExempt(0) } },
    { address: wallet, account: purse },
    { address: baseAccount, account: layTokenAccount(known, base) },
    { address: quoteAccount, account: layTokenAccount(known, quote) },
  ];
}
