import { paidForShares, type ShareOfPool } from "../liquidity-shares.ts";
import { nullOnMathError } from "../shared/refusals.ts";
import type { Clock } from "../venue.ts";
import type { DammV1State, VaultShare } from "./decode.ts";
import { amountOfShare, unlockedAmount } from "./vault.ts";

/**
 * The pool after that part of its shares took out both sides in proportion: its vault shares are
 * burned for it, rounded down, and the vaults pay what these are worth, rounded down again. Null
 * where a vault has lent out too much to pay.
 */
export function withdraw(state: DammV1State, part: ShareOfPool, clock: Clock): DammV1State | null {
  return nullOnMathError(() => {
    const a = vaultLeft(state.a, part, clock);
    const b = vaultLeft(state.b, part, clock);
    return a === null || b === null ? null : { ...state, a, b };
  });
}

function vaultLeft(
  vault: VaultShare,
  part: ShareOfPool,
  { unixTimestamp }: Clock,
): VaultShare | null {
  const burned = paidForShares(vault.poolLp, part);
  const unlocked = unlockedAmount(vault, unixTimestamp);
  const paid = amountOfShare(burned, unlocked, vault.lpSupply);
  if (paid > vault.tokenVaultAmount) return null;
  return {
    ...vault,
    poolLp: vault.poolLp - burned,
    lpSupply: vault.lpSupply - burned,
    totalAmount: vault.totalAmount - paid,
    tokenVaultAmount: vault.tokenVaultAmount - paid,
  };
}
