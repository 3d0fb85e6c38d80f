import type { Text } from "../../lib/text/es.ts";
import { LARGEST_OTHER_SOL } from "./slippage-scale.ts";

/** Whether a token is of a family that is measured up to 10 SOL; null: not known. */
export type IsOther = boolean | null;

/** What a loss that is missing in a known market means: no exit, where every size of the family is measured. */
export function missingLoss(
  { common, token }: Text,
  { isOther, sizeSol }: { readonly isOther: IsOther; readonly sizeSol: number },
): string {
  if (isOther === false || sizeSol <= LARGEST_OTHER_SOL) return token.noExit;
  return isOther === null ? common.unknown : token.notMeasured;
}
