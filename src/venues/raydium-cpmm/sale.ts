import { discriminator } from "../byte-reader.ts";
import { readOwn } from "../shared/own-account.ts";
import { readable, signer, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { AUTHORITY, POOL, POOL_DISCRIMINATOR, POOL_LENGTH, PROGRAM_ID } from "./layout.ts";

const SWAP_BASE_INPUT = discriminator("8fbe5adac41e33de");
/** @see raydium-io/raydium-cp-swap 609780f, instructions/swap_base_input.rs */
export const raydiumCpmmSale: VenueSale = {
  venue: "raydium-cpmm",
  programs: [PROGRAM_ID],
  build,
};

function build({ pool, known, inputMint, amountIn, seller }: SaleRequest): BuiltSale {
  const reader = readOwn(known.get(pool), {
    programId: PROGRAM_ID,
    discriminator: POOL_DISCRIMINATOR,
    length: POOL_LENGTH,
  });
  if (reader === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const isToken0 = reader.address(POOL.token0Mint) === inputMint;
  const token0 = {
    vault: reader.address(POOL.token0Vault),
    mint: reader.address(POOL.token0Mint),
    program: reader.address(POOL.token0Program),
  };
  const token1 = {
    vault: reader.address(POOL.token1Vault),
    mint: reader.address(POOL.token1Mint),
    program: reader.address(POOL.token1Program),
  };
  const [input, output] = isToken0 ? [token0, token1] : [token1, token0];
  const accounts = [
    signer(seller.wallet),
    readable(AUTHORITY),
    readable(reader.address(POOL.ammConfig)),
    writable(pool),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(input.vault),
    writable(output.vault),
    readable(input.program),
    readable(output.program),
    readable(input.mint),
    readable(output.mint),
    writable(reader.address(POOL.observationKey)),
  ];
  return {
    kind: "built",
    instructions: [
      { programId: PROGRAM_ID, accounts, data: u64Data(SWAP_BASE_INPUT, amountIn, 0n) },
    ],
    placeholders: [],
    paidIn: "tokens",
  };
}
