import type { Address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { AccountSet } from "../account-set.ts";
import { readable, signer, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { decode, poolAddresses } from "./decode.ts";
import { AUTHORITY, PROGRAM_ID } from "./layout.ts";

/** SwapBaseInV2: without the accounts of the order book. */
const SWAP_BASE_IN_V2 = Uint8Array.of(16);

/** AmmError::InvalidStatus. */
const INVALID_STATUS = 22;

/**
 * Builds before July 2026 take this instruction only in pools that place no orders, and sell in the others by one that
 * names the order book's accounts.
 *
 * @see raydium-io/raydium-amm 27f461d, program/src/instruction.rs; 3b087ad, process_swap_base_in_v2
 */
export const raydiumAmmV4Sale: VenueSale = {
  venue: "raydium-amm-v4",
  programs: [PROGRAM_ID],
  build,
};

function build({ pool, known, amountIn, seller }: SaleRequest): BuiltSale {
  const found = poolAddresses(pool, known);
  if (found === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const accounts = [
    readable(TOKEN_PROGRAM),
    writable(pool),
    readable(AUTHORITY),
    writable(found.vaultA),
    writable(found.vaultB),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    signer(seller.wallet),
  ];
  return {
    kind: "built",
    instructions: [
      { programId: PROGRAM_ID, accounts, data: u64Data(SWAP_BASE_IN_V2, amountIn, 0n) },
    ],
    placeholders: [],
    paidIn: "tokens",
    ...(mayPlaceOrders(pool, known) ? { notTaken: INVALID_STATUS } : {}),
  };
}

function mayPlaceOrders(pool: Address, known: AccountSet): boolean {
  const decoded = decode(pool, known);
  return decoded.kind === "pool" && decoded.state.status === "initialized";
}
