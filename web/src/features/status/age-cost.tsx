import { ScrollBox } from "../../components/scroll-box.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import type { Accuracy } from "./use-accuracy.ts";

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
        <ScrollBox label={ageCost.title}>
          <table className="cards-on-phone">
            <caption className="visually-hidden">{ageCost.title}</caption>
            <thead>
              <tr>
                <th scope="col">{ageCost.age}</th>
                <th scope="col" className="number">
                  {ageCost.compared}
                </th>
                <th scope="col" className="number">
                  {ageCost.half}
                </th>
                <th scope="col" className="number">
                  {ageCost.nine}
                </th>
                <th scope="col" className="number">
                  {ageCost.most}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ age_seconds, windows: { day } }) => (
                <tr key={age_seconds}>
                  <th scope="row">{ageCost.upTo(age_seconds)}</th>
                  <td className="number" data-name={ageCost.compared}>
                    {formatNumber(day.compared, language)}
                  </td>
                  <td className="number" data-name={ageCost.half}>
                    {bps(day.p50_bps)}
                  </td>
                  <td className="number" data-name={ageCost.nine}>
                    {bps(day.p90_bps)}
                  </td>
                  <td className="number" data-name={ageCost.most}>
                    {bps(day.p99_bps)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}
