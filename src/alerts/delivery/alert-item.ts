import type { CauseShares } from "#src/measure/series/losses.ts";
import type { BeforeAfter, UserAlert } from "#src/store/user-alerts.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { alertText, type ChannelLanguage, timestamp } from "./alert-text.ts";

/** The contract's word for a cause of measure, and for the reason of a block that is a cause. */
export const CAUSE_WORD: Readonly<Record<string, string>> = {
  withdrawn: "liquidity-withdrawn",
  sold: "sells",
  fees: "fees-raised",
  paused: "trading-paused",
  "all-paused": "trading-paused",
};

/** A user's alert as the feed, the stream and webhooks return it. Unknown values are null. */
export function alertItem(alert: UserAlert, language: ChannelLanguage) {
  const { grade } = alert;
  return {
    id: String(alert.id),
    entry_id: Number(alert.entryId),
    mint: alert.mint,
    token_name: alert.tokenName?.toWellFormed() ?? null,
    token_symbol: alert.tokenSymbol?.toWellFormed() ?? null,
    size_sol: ratioToNumber(alert.sizeLamports, LAMPORTS_PER_SOL),
    kind: alert.kind,
    cause: CAUSE_WORD[alert.cause] ?? "unknown",
    share_pct: alert.share === null ? null : Math.round(alert.share * 1_000) / 10,
    gone_pct: gonePct(alert.c10Sol),
    causes: alert.causes === null ? null : causesPct(alert.causes),
    slot: Number(alert.slot),
    commitment: alert.commitment ?? "confirmed",
    taken_back_at: alert.takenBackAtMs === undefined ? null : timestamp(alert.takenBackAtMs),
    slippage_before_pct: alert.slippagePct.before,
    slippage_after_pct: alert.slippagePct.after,
    c10_before_sol: alert.c10Sol.before,
    c10_after_sol: alert.c10Sol.after,
    depth_before_sol: alert.depthSol.before,
    depth_after_sol: alert.depthSol.after,
    since: timestamp(alert.sinceMs),
    created_at: timestamp(alert.createdAtMs),
    text: alertText(alert, language),
    grade:
      grade === null
        ? null
        : {
            graded_at: timestamp(grade.gradedAtMs),
            was_worse: grade.wasWorse,
            waited_cost_pct: grade.waitedCostPct,
          },
  };
}

/** Percent of the earlier exit capacity that is gone; null where one of the two is not known. */
function gonePct({ before, after }: BeforeAfter): number | null {
  if (before === null || after === null || before <= 0) return null;
  return Math.round(Math.max(0, 1 - after / before) * 1_000) / 10;
}

/** Percent of the loss that each cause explains, by the contract's word. */
function causesPct(causes: CauseShares) {
  const pct = (share: number) => Math.round(share * 1_000) / 10;
  return {
    "liquidity-withdrawn": pct(causes.withdrawn),
    sells: pct(causes.sold),
    "fees-raised": pct(causes.fees),
    "trading-paused": pct(causes.paused),
  };
}
