import type { TokenFacts, TransferFeeFacts } from "#src/measure/market/market.ts";
import type { Mint } from "#src/venues/shared/token/mint.ts";
import { feeAt } from "#src/venues/shared/token/transfer-fee.ts";

/** The properties of a mint that matter for selling its token, at the current epoch. */
export function tokenFacts(mint: Mint, epoch: bigint): TokenFacts {
  return {
    decimals: mint.decimals,
    supply: mint.supply,
    mintAuthority: mint.mintAuthority,
    freezeAuthority: mint.freezeAuthority,
    transferFee: transferFeeFacts(mint, epoch),
    transferHook: mint.transferHook,
    transferHookAuthority: mint.transferHookAuthority,
    permanentDelegate: mint.permanentDelegate,
    pausable: mint.pausable,
    startsFrozen: mint.startsFrozen,
    isNonTransferable: mint.isNonTransferable,
  };
}

function transferFeeFacts(mint: Mint, epoch: bigint): TransferFeeFacts | null {
  if (mint.transferFee === null) return null;
  const { older, newer } = mint.transferFee;
  const { feeBps, maximum } = feeAt(mint.transferFee, epoch);
  const changes = newer.feeBps !== older.feeBps || newer.maximum !== older.maximum;
  const isAhead = changes && newer.epoch > epoch;
  return {
    feeBps,
    maximum,
    authority: mint.transferFeeAuthority,
    announced: isAhead
      ? { epoch: newer.epoch, feeBps: newer.feeBps, maximum: newer.maximum }
      : null,
  };
}
