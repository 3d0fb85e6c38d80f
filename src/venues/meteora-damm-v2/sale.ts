import { address } from "#src/units/address.ts";
import { INSTRUCTIONS_SYSVAR } from "#src/units/known-addresses.ts";
import { discriminator } from "../byte-reader.ts";
import { readOwn } from "../shared/own-account.ts";
import { readable, signer, tokenProgramOf, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { POOL, POOL_AUTHORITY, POOL_DISCRIMINATOR, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";

/** PDA ["__event_authority"]. */
const EVENT_AUTHORITY = address("3rmHSu74h1ZcmAisVcWerTCiRDQbUrBKmcwptYGjHfet");
const SWAP = discriminator("f8c69e91e17587c8");

/** @see MeteoraAg/damm-v2 programs/cp-amm/src/instructions/swap, and the IDL in npm \@meteora-ag/cp-amm-sdk */
export const meteoraDammV2Sale: VenueSale = {
  venue: "meteora-damm-v2",
  programs: [PROGRAM_ID],
  build,
};

function build({ pool, known, amountIn, seller }: SaleRequest): BuiltSale {
  const reader = readOwn(known.get(pool), {
    programId: PROGRAM_ID,
    discriminator: POOL_DISCRIMINATOR,
    length: POOL_LENGTH,
  });
  if (reader === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const mintA = reader.address(POOL.tokenAMint);
  const mintB = reader.address(POOL.tokenBMint);
  const programA = tokenProgramOf(known, mintA);
  if (typeof programA !== "string") return programA;
  const programB = tokenProgramOf(known, mintB);
  if (typeof programB !== "string") return programB;
  const accounts = [
    readable(POOL_AUTHORITY),
    writable(pool),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(reader.address(POOL.tokenAVault)),
    writable(reader.address(POOL.tokenBVault)),
    readable(mintA),
    readable(mintB),
    signer(seller.wallet),
    readable(programA),
    readable(programB),
    // No referral: the program's own id.
    readable(PROGRAM_ID),
    readable(EVENT_AUTHORITY),
    readable(PROGRAM_ID),
    // Pools with a rate limiter read there whether the transaction swaps more than once.
    readable(INSTRUCTIONS_SYSVAR),
  ];
  return {
    kind: "built",
    instructions: [{ programId: PROGRAM_ID, accounts, data: u64Data(SWAP, amountIn, 0n) }],
    placeholders: [],
    paidIn: "tokens",
  };
}
