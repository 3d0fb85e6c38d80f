import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "../byte-reader.ts";
import {
  readable,
  signer,
  tokenPlaceholder,
  u64Data,
  writable,
} from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { poolAddresses, vaultAddresses } from "./decode.ts";
import { POOL, PROGRAM_ID, VAULT_PROGRAM_ID } from "./layout.ts";

const SWAP = discriminator("f8c69e91e17587c8");

/** @see MeteoraAg/damm-v1-sdk a389bac, programs/dynamic-amm, instruction swap */
export const meteoraDammV1Sale: VenueSale = {
  venue: "meteora-damm-v1",
  programs: [PROGRAM_ID, VAULT_PROGRAM_ID],
  build,
};

function build({ pool, known, inputMint, amountIn, seller }: SaleRequest): BuiltSale {
  const account = known.get(pool);
  const found = poolAddresses(pool, known);
  if (!account || found === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const behindA = vaultAddresses(found.vaultA, known);
  const behindB = vaultAddresses(found.vaultB, known);
  if (behindA === null || behindB === null) {
    return { kind: "unbuildable", reason: "a vault of the pool is missing" };
  }
  const isA = inputMint === found.mintA;
  const feeAt = isA ? POOL.protocolTokenAFee : POOL.protocolTokenBFee;
  const protocolFee = new ByteReader(account.data).address(feeAt);
  const accounts = [
    writable(pool),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(found.vaultA),
    writable(found.vaultB),
    writable(behindA.tokenVault),
    writable(behindB.tokenVault),
    writable(behindA.lpMint),
    writable(behindB.lpMint),
    writable(found.poolLpA),
    writable(found.poolLpB),
    writable(protocolFee),
    signer(seller.wallet),
    readable(VAULT_PROGRAM_ID),
    readable(TOKEN_PROGRAM),
    ...(found.stake === null ? [] : [readable(found.stake)]),
  ];
  return {
    kind: "built",
    instructions: [{ programId: PROGRAM_ID, accounts, data: u64Data(SWAP, amountIn, 0n) }],
    placeholders: [tokenPlaceholder(protocolFee, inputMint, pool)],
    paidIn: "tokens",
  };
}
