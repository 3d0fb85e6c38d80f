import { address } from "#src/units/address.ts";
import { INSTRUCTIONS_SYSVAR } from "#src/units/known-addresses.ts";
import { discriminator } from "../byte-reader.ts";
import { readable, signer, tokenProgramOf, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { readConfig, readPool } from "./accounts.ts";
import { DBC_POOL_AUTHORITY, DBC_PROGRAM, POOL_CONFIG, VIRTUAL_POOL } from "./layout.ts";

/** PDA ["__event_authority"]. */
const EVENT_AUTHORITY = address("8Ks12pbrD6PXxfty1hVQiE9sc289zgU1zHkvXhrSdriF");
const SWAP = discriminator("f8c69e91e17587c8");

/** @see MeteoraAg/dynamic-bonding-curve-sdk, packages/dynamic-bonding-curve/src/idl, instruction swap */
export const meteoraDbcSale: VenueSale = {
  venue: "meteora-dbc",
  programs: [DBC_PROGRAM],
  build,
};

function build({ pool, known, amountIn, seller }: SaleRequest): BuiltSale {
  const found = readPool(known.get(pool));
  if (found === null) return { kind: "unbuildable", reason: "no curve at this address" };
  if (found.hasTransferHook) return { kind: "unbuildable", reason: "a coin with a transfer hook" };
  const { reader } = found;
  const configAddress = reader.address(VIRTUAL_POOL.config);
  const config = readConfig(known.get(configAddress));
  if (config === null) return { kind: "unbuildable", reason: "the curve's config is missing" };
  const baseMint = reader.address(VIRTUAL_POOL.baseMint);
  const quoteMint = config.address(POOL_CONFIG.quoteMint);
  const baseProgram = tokenProgramOf(known, baseMint);
  if (typeof baseProgram !== "string") return baseProgram;
  const quoteProgram = tokenProgramOf(known, quoteMint);
  if (typeof quoteProgram !== "string") return quoteProgram;
  const accounts = [
    readable(DBC_POOL_AUTHORITY),
    readable(configAddress),
    writable(pool),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(reader.address(VIRTUAL_POOL.baseVault)),
    writable(reader.address(VIRTUAL_POOL.quoteVault)),
    readable(baseMint),
    readable(quoteMint),
    signer(seller.wallet),
    readable(baseProgram),
    readable(quoteProgram),
    // No referral: the program's own id.
    readable(DBC_PROGRAM),
    readable(EVENT_AUTHORITY),
    readable(DBC_PROGRAM),
    // Curves with a rate limiter read there whether the transaction swaps more than once.
    readable(INSTRUCTIONS_SYSVAR),
  ];
  return {
    kind: "built",
    instructions: [{ programId: DBC_PROGRAM, accounts, data: u64Data(SWAP, amountIn, 0n) }],
    placeholders: [],
    paidIn: "tokens",
  };
}
