import type { Token } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber, formatPct, formatPrice } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { Late } from "./late.tsx";
import { poolFeePct } from "./loss-parts.ts";
import { PoolLinks } from "./pool-links.tsx";
import { type PoolRow, usePools } from "./use-token-data.ts";

type Props = { readonly mint: string; readonly facts: Token | undefined };

/** Each pool that the token trades in, the largest first. */
export function PoolsTable({ mint, facts }: Props) {
  const { text } = usePreferences();
  const query = usePools(mint);
  return (
    <section className="panel stack" aria-labelledby="pools">
      <h2 id="pools">{text.token.poolsTitle}</h2>
      <Loaded query={query} height="8rem">
        {({ pools }) => (pools === null ? <Unknown /> : <Rows pools={pools} facts={facts} />)}
      </Loaded>
      <Late of={[query.data]} />
    </section>
  );
}

type RowsProps = { readonly pools: readonly PoolRow[]; readonly facts: Token | undefined };

function Rows({ pools, facts }: RowsProps) {
  const { text } = usePreferences();
  const sorted = pools.toSorted((a, b) => b.depth_sol - a.depth_sol);
  return (
    <table className="cards-on-phone">
      <caption className="visually-hidden">{text.token.poolsTitle}</caption>
      <thead>
        <tr>
          <th scope="col">{text.token.pool}</th>
          <NumberHeadings
            names={[
              text.token.share,
              `${text.token.depth}, SOL`,
              text.exit.pools.price,
              text.token.fee,
            ]}
          />
          <th scope="col">{text.token.statusLabel}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((pool) => (
          <Row key={pool.address} pool={pool} facts={facts} />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = { readonly pool: PoolRow; readonly facts: Token | undefined };

function Row({ pool, facts }: RowProps) {
  const { text, language } = usePreferences();
  return (
    <tr>
      <th scope="row">
        <PoolLinks program={pool.program} address={pool.address} />
      </th>
      <td className="number" data-name={text.token.share}>
        {pool.share_pct === null ? <Unknown /> : formatPct(pool.share_pct, language, 1, 1)}
      </td>
      <td className="number" data-name={`${text.token.depth}, SOL`}>
        {formatNumber(pool.depth_sol, language)}
      </td>
      <td className="number" data-name={text.exit.pools.price}>
        {pool.spot_price === null ? text.common.none : formatPrice(pool.spot_price, language)}
      </td>
      <td className="number" data-name={text.token.fee}>
        {formatPct(poolFeePct(pool.fee_pct, facts), language, 2, 2)}
      </td>
      <td data-name={text.token.statusLabel}>
        <Badge look={pool.status === "open" ? "plain" : "warn"}>
          {text.token.statuses[pool.status]}
        </Badge>
      </td>
    </tr>
  );
}
