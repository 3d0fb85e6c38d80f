import { visibleName } from "#src/alerts/delivery/untrusted-text.ts";
import { slippageAtSize } from "#src/measure/ladder.ts";
import type { Markets } from "#src/track/markets.ts";
import { parseAddress } from "#src/units/address.ts";
import type { PageSummary } from "./plugins/page-text.ts";

const LONGEST_NAME = 40;
const PREVIEW_SIZE = "5";

/**
 * A token's page in a link preview, from the answer held for it; null while there is none. Figures are
 * rounded: a preview does not replace the queries that exact figures count as.
 */
export function pageSummary(markets: Pick<Markets, "latest">, id: string): PageSummary | null {
  const mint = parseAddress(id);
  const snapshot = mint === null ? null : markets.latest(mint);
  if (snapshot?.kind !== "assessed") return null;
  const { name, symbol, isDeteriorating } = snapshot;
  const { measurement } = snapshot.assessment;
  const word =
    visibleName(symbol ?? "", LONGEST_NAME) ?? visibleName(name ?? "", LONGEST_NAME) ?? id;
  const title = `${word}: what do I get if I sell now?`;
  if (measurement === null) return { title, description: "Its exit is not known right now." };
  const loss = slippageAtSize(measurement.retail, PREVIEW_SIZE);
  const sale =
    loss === null
      ? `${PREVIEW_SIZE} SOL can't be sold whole.`
      : `Selling ${PREVIEW_SIZE} SOL loses about ${Math.round(loss)} %.`;
  const capacity = `About ${Number(measurement.c10Sol.toPrecision(2))} SOL sell at a loss of at most 10 %.`;
  const alert = isDeteriorating ? "The exit is getting worse fast. " : "";
  return { title, description: `${alert}${sale} ${capacity}` };
}
