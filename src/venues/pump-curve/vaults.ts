import type { Address } from "#src/units/address.ts";
import { STABLE_MINTS, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { AccountSet } from "../account-set.ts";
import { DerivedAddresses } from "../derived-addresses.ts";
import { associatedTokenAddress } from "../shared/token/associated-token.ts";
import { decodeMint } from "../shared/token/mint.ts";
import { isFrozenAccount } from "../shared/token/token-account.ts";
import { curveAddress } from "./addresses.ts";

const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const;

/** By coin: its curve's account for the coin under each token program, then for each stable. */
const VAULTS = new DerivedAddresses(65_536, (mint, index) => {
  const curve = curveAddress(mint);
  const tokenProgram = TOKEN_PROGRAMS[index];
  if (tokenProgram !== undefined) return associatedTokenAddress(curve, mint, tokenProgram);
  const stable = STABLE_MINTS[index - TOKEN_PROGRAMS.length];
  return stable === undefined ? curve : associatedTokenAddress(curve, stable);
});

/** The curve's account for a stable, in which it may be quoted. */
export function stableVault(mint: Address, stable: (typeof STABLE_MINTS)[number]): Address {
  return VAULTS.get(mint, TOKEN_PROGRAMS.length + STABLE_MINTS.indexOf(stable));
}

/**
 * The curve's token accounts that can be frozen: that of the coin where its mint has a freeze authority,
 * which pump gives to no coin, and that of a stable that it is quoted in. SOL lies in the curve account
 * itself. What cannot be frozen is not derived.
 */
export function freezableVaults(
  mint: Address,
  quoteMint: Address,
  known: AccountSet,
): readonly Address[] {
  const account = known.get(mint);
  const canFreezeCoin = (decodeMint(account)?.freezeAuthority ?? null) !== null;
  const programIndex = account?.owner === TOKEN_2022_PROGRAM ? 1 : 0;
  const coinVaults = canFreezeCoin ? [VAULTS.get(mint, programIndex)] : [];
  const stable = STABLE_MINTS.find((address) => address === quoteMint);
  return stable === undefined ? coinVaults : [...coinVaults, stableVault(mint, stable)];
}

export function hasFrozenVault(mint: Address, quoteMint: Address, known: AccountSet): boolean {
  return freezableVaults(mint, quoteMint, known).some((vault) => isFrozenAccount(known.get(vault)));
}
