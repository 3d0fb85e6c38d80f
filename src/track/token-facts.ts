import type { TokenFacts } from "#src/measure/market.ts";
import type { Mint } from "#src/venues/token/mint.ts";

/** What measuring needs of a mint, at the chain's present epoch. */
export function tokenFacts(mint: Mint, epoch: bigint): TokenFacts {
  return {
    decimals: mint.decimals,
    supply: mint.supply,
    hasFreezeAuthority: mint.freezeAuthority !== null,
    transferFeeChangesAtEpoch: announcedFeeEpoch(mint, epoch),
    hasTransferHook: mint.transferHook !== null,
    hasPermanentDelegate: mint.permanentDelegate !== null,
    isPausable: mint.pausable !== null,
    isPaused: mint.pausable?.isPaused ?? false,
    startsFrozen: mint.startsFrozen,
    isNonTransferable: mint.isNonTransferable,
  };
}

function announcedFeeEpoch(mint: Mint, epoch: bigint): bigint | null {
  if (mint.transferFee === null) return null;
  const { older, newer } = mint.transferFee;
  const changes = newer.feeBps !== older.feeBps || newer.maximum !== older.maximum;
  return changes && newer.epoch > epoch ? newer.epoch : null;
}
