import type { EventCount } from "#src/store/events.ts";
import type { EventName } from "./funnel.ts";

/** The steps from a first visit to a payment. Other events are not steps. */
export const FUNNEL_STEPS: readonly EventName[] = [
  "registro",
  "click_upgrade_desde_limite",
  "click_pagar",
  "checkout_iniciado",
  "pago_real",
];

export type FunnelStep = {
  readonly eventName: string;
  readonly count: number;
  /** Share of the previous step; null for the first step, and if the previous step is 0. */
  readonly conversionPct: number | null;
};

export type FunnelReport = {
  readonly steps: readonly FunnelStep[];
  readonly others: readonly { readonly eventName: string; readonly count: number }[];
  readonly bySource: readonly {
    readonly utmSource: string | null;
    readonly utmMedium: string | null;
    readonly utmCampaign: string | null;
    readonly steps: readonly FunnelStep[];
  }[];
  readonly byDay: readonly {
    /** Whole days since 1970. */
    readonly day: number;
    readonly steps: readonly FunnelStep[];
  }[];
};

/** Counts per step and the share of the previous step: in total, by source and by day. */
export function funnelReport(counts: readonly EventCount[]): FunnelReport {
  const isStep = ({ eventName }: EventCount) => FUNNEL_STEPS.some((step) => step === eventName);
  const others = Map.groupBy(
    counts.filter((count) => !isStep(count)),
    ({ eventName }) => eventName,
  );
  const sources = Map.groupBy(counts, ({ utmSource, utmMedium, utmCampaign }) =>
    JSON.stringify([utmSource, utmMedium, utmCampaign]),
  );
  const days = Map.groupBy(counts, ({ day }) => day);
  return {
    steps: stepsOf(counts),
    others: [...others].map(([eventName, of]) => ({ eventName, count: total(of) })),
    bySource: [...sources.values()].map((of) => ({
      utmSource: of[0]?.utmSource ?? null,
      utmMedium: of[0]?.utmMedium ?? null,
      utmCampaign: of[0]?.utmCampaign ?? null,
      steps: stepsOf(of),
    })),
    byDay: [...days].map(([day, of]) => ({ day, steps: stepsOf(of) })),
  };
}

function stepsOf(counts: readonly EventCount[]): readonly FunnelStep[] {
  let before: number | null = null;
  return FUNNEL_STEPS.map((eventName) => {
    const count = total(counts.filter((each) => each.eventName === eventName));
    const conversionPct = before === null || before === 0 ? null : (100 * count) / before;
    before = count;
    return { eventName, count, conversionPct };
  });
}

function total(counts: readonly EventCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
