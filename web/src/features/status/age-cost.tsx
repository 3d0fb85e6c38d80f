import type { Accuracy } from "#client/openapi.ts";
import { NumberTable } from "../../components/number-table.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";

/** What an answer's age costs: how far sales of the last day fell short of answers of each age. */
export function AgeCost({ accuracy }: { readonly accuracy: Accuracy }) {
  const { text, language } = usePreferences();
  const { ageCost } = text.status;
  const rows = accuracy.quoted_vs_executed.filter(({ windows }) => windows.day.compared > 0);
  const bps = (value: number | null) =>
    value === null ? <Unknown /> : `${formatNumber(value, language)} bps`;
  return (
    <section className="panel stack" aria-labelledby="age-cost">
      <h2 id="age-cost">{ageCost.title}</h2>
      <p className="soft">{ageCost.lead}</p>
      {rows.length === 0 ? (
        <p>{ageCost.none}</p>
      ) : (
        <NumberTable
          title={ageCost.title}
          heading={ageCost.age}
          numbers={[ageCost.compared, ageCost.half, ageCost.nine, ageCost.most]}
          rows={rows.map(({ age_seconds, windows: { day } }) => ({
            key: age_seconds,
            heading: ageCost.upTo(age_seconds),
            numbers: [
              formatNumber(day.compared, language),
              bps(day.p50_bps),
              bps(day.p90_bps),
              bps(day.p99_bps),
            ],
          }))}
        />
      )}
    </section>
  );
}
