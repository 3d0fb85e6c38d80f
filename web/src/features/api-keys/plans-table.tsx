import { NumberHeadings } from "../../components/number-headings.tsx";
import { usePreferences } from "../../lib/preferences.tsx";

/** The limits of each plan (docs/api.md); the service's own numbers are in src/users/tiers.ts. */
const PLANS = [
  { name: "free", perDay: 10, perMinute: 10, watched: 1 },
  { name: "degen", perDay: null, perMinute: 120, watched: 20 },
  { name: "founder", perDay: null, perMinute: 300, watched: 50 },
  { name: "pro", perDay: null, perMinute: 600, watched: 100 },
] as const;

/** What each plan allows, so that its name means something. */
export function PlansTable({ current }: { readonly current: string | null }) {
  const { text, language } = usePreferences();
  const words = text.apiKeys.plans;
  return (
    <section className="panel stack" aria-labelledby="plans">
      <h2 id="plans">{words.title}</h2>
      <table className="cards-on-phone">
        <caption className="visually-hidden">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{text.apiKeys.tier}</th>
            <NumberHeadings names={[words.perDay, words.perMinute, words.watched]} />
          </tr>
        </thead>
        <tbody>
          {PLANS.map(({ name, perDay, perMinute, watched }) => (
            <tr key={name} {...(name === current ? { "aria-current": "true" } : {})}>
              <th scope="row">
                {name}
                {name === current ? ` · ${words.yours}` : ""}
              </th>
              <td className="number" data-name={words.perDay}>
                {perDay?.toLocaleString(language) ?? words.unlimited}
              </td>
              <td className="number" data-name={words.perMinute}>
                {perMinute.toLocaleString(language)}
              </td>
              <td className="number" data-name={words.watched}>
                {watched.toLocaleString(language)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
