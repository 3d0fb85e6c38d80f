import { timestamp } from "#src/api/values.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { countEvents } from "#src/store/events.ts";
import { FUNNEL_STEPS, type FunnelStep, funnelReport } from "#src/users/funnel-report.ts";
import type { AdminCall, AdminDeps } from "./admin.ts";
import { formatTable, UsageError } from "./output.ts";

const SHOWN_DAYS = 30;

/** `admin funnel`: events by step with conversion from each to the next, by source and by day. */
export async function adminFunnel(
  { words, flags }: AdminCall,
  { store, nowMs, output }: AdminDeps,
): Promise<number> {
  if (words.length > 0) throw new UsageError("funnel takes no arguments");
  const { fromDay, untilDay } = flags;
  const untilMs = untilDay === undefined ? nowMs + 1 : (untilDay + 1) * MS_PER_DAY;
  const fromMs =
    fromDay === undefined ? Math.max(0, untilMs - SHOWN_DAYS * MS_PER_DAY) : fromDay * MS_PER_DAY;
  if (fromMs >= untilMs)
    throw new UsageError("the day of --from is after that of --until, by default today");
  const report = funnelReport(await countEvents(store.db, { fromMs, untilMs }));
  if (flags.json === true) {
    output.out(JSON.stringify(reportBody(report)));
    return 0;
  }
  const sources = report.bySource.map(({ utmSource, utmMedium, utmCampaign, steps }) => [
    [utmSource, utmMedium, utmCampaign].map((utm) => utm ?? "-").join(" / "),
    ...cells(steps),
  ]);
  const days = report.byDay.map(({ day, steps }) => [dayText(day), ...cells(steps)]);
  const others = report.others.map(({ eventName, count }) => [eventName, count]);
  const tables = [
    [["source / medium / campaign", ...FUNNEL_STEPS], ["all", ...cells(report.steps)], ...sources],
    [["day", ...FUNNEL_STEPS], ...days],
    [["other events", "count"], ...others],
  ];
  output.out(tables.map(formatTable).join("\n\n"));
  return 0;
}

function cells(steps: readonly FunnelStep[]): readonly string[] {
  return steps.map(({ count, conversionPct }) =>
    conversionPct === null ? String(count) : `${count} (${conversionPct.toFixed(0)} %)`,
  );
}

function reportBody(report: ReturnType<typeof funnelReport>) {
  const stepBody = ({ eventName, count, conversionPct }: FunnelStep) => ({
    event_name: eventName,
    count,
    conversion_pct: conversionPct,
  });
  return {
    steps: report.steps.map(stepBody),
    others: report.others.map(({ eventName, count }) => ({ event_name: eventName, count })),
    by_source: report.bySource.map((source) => ({
      utm_source: source.utmSource,
      utm_medium: source.utmMedium,
      utm_campaign: source.utmCampaign,
      steps: source.steps.map(stepBody),
    })),
    by_day: report.byDay.map(({ day, steps }) => ({
      day: dayText(day),
      steps: steps.map(stepBody),
    })),
  };
}

function dayText(day: number): string {
  return timestamp(day * MS_PER_DAY).slice(0, 10);
}
