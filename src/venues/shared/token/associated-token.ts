import { type Address, address } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";

export const ASSOCIATED_TOKEN_PROGRAM = address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/** Where an owner's tokens of a mint stand by default. Takes about 0.1 ms. */
export function associatedTokenAddress(
  owner: Address,
  mint: Address,
  tokenProgram: Address = TOKEN_PROGRAM,
): Address {
  return findProgramAddress(
    [{ address: owner }, { address: tokenProgram }, { address: mint }],
    ASSOCIATED_TOKEN_PROGRAM,
  );
}
