import { Badge } from "../../components/badge.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatSharePct } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { PoolLinks } from "./pool-links.tsx";
import { useStressed } from "./use-token-data.ts";

/** The pools of a token while all of them are closed: which they are, and what one owner holds of each. */
export function ClosedPoolsTable({ mint }: { readonly mint: string }) {
  const { text, language } = usePreferences();
  const owner = text.exit.blockers.largestOwner;
  return (
    <section className="panel stack" aria-labelledby="pools">
      <h2 id="pools">{text.token.poolsTitle}</h2>
      <Loaded query={useStressed(mint)} height="8rem">
        {({ pools }) =>
          pools === null ? (
            <Unknown />
          ) : (
            <table className="cards-on-phone">
              <caption className="visually-hidden">{text.token.poolsTitle}</caption>
              <thead>
                <tr>
                  <th scope="col">{text.token.pool}</th>
                  <NumberHeadings names={[owner]} />
                  <th scope="col">{text.token.statusLabel}</th>
                </tr>
              </thead>
              <tbody>
                {pools.map(({ program, address, largest_pct }) => (
                  <tr key={address}>
                    <th scope="row">
                      <PoolLinks program={program} address={address} />
                    </th>
                    <td className="number" data-name={owner}>
                      {largest_pct === null ? <Unknown /> : formatSharePct(largest_pct, language)}
                    </td>
                    <td data-name={text.token.statusLabel}>
                      <Badge look="warn">{text.token.closed}</Badge>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  );
}
