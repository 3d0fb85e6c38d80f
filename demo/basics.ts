import type { AccountChanges } from "#src/node/ledger.ts";
import { address } from "#src/units/address.ts";
import { USD1, USDC, USDT, WSOL } from "#src/units/known-addresses.ts";
import { mintAccount } from "./token-accounts.ts";

const STABLE_ISSUER = address("2wmVCSfPxGPjrnMMn7rchp4uaeoTqN39mXFC2zhPdri9");
const STABLE_SUPPLY = 10n ** 16n;

/** The mints that everything is quoted in. */
export function stableAndSolMints(slot: bigint): AccountChanges {
  const stable = mintAccount({
    supply: STABLE_SUPPLY,
    decimals: 6,
    mintAuthority: STABLE_ISSUER,
    freezeAuthority: STABLE_ISSUER,
    slot,
  });
  return new Map([
    // Wrapped SOL has no supply of its own: each token account holds what was paid in.
    [WSOL, mintAccount({ supply: 0n, decimals: 9, slot })],
    [USDC, stable],
    [USDT, stable],
    [USD1, stable],
  ]);
}
