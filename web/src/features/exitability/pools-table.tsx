import { Address } from "../../components/address.tsx";
import { Badge } from "../../components/badge.tsx";
import { Failure } from "../../components/failure.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber, formatPct, formatPrice } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { venueName } from "../../lib/venue-names.ts";
import { type PoolRow, usePools } from "./use-token-data.ts";

/** Each pool that the token trades in, the largest first. */
export function PoolsTable({ mint }: { readonly mint: string }) {
  const { text } = usePreferences();
  const pools = usePools(mint, true);
  return (
    <section className="panel stack" aria-labelledby="pools">
      <h2 id="pools">{text.token.poolsTitle}</h2>
      {pools.data?.pools === null ? (
        <p>
          <Unknown />
        </p>
      ) : pools.data !== undefined ? (
        <Rows pools={pools.data.pools} />
      ) : pools.error !== null ? (
        <Failure error={pools.error} onRetry={() => void pools.refetch()} />
      ) : (
        <Skeleton height="8rem" />
      )}
    </section>
  );
}

function Rows({ pools }: { readonly pools: readonly PoolRow[] }) {
  const { text } = usePreferences();
  const sorted = pools.toSorted((a, b) => b.depth_sol - a.depth_sol);
  return (
    <table className="cards-on-phone">
      <caption className="visually-hidden">{text.token.poolsTitle}</caption>
      <thead>
        <tr>
          <th scope="col">{text.token.pool}</th>
          <th scope="col" className="number">
            {text.token.share}
          </th>
          <th scope="col" className="number">
            {text.token.depth}, SOL
          </th>
          <th scope="col" className="number">
            {text.exit.pools.price}
          </th>
          <th scope="col" className="number">
            {text.token.fee}
          </th>
          <th scope="col">{text.token.statusLabel}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((pool) => (
          <Row key={pool.address} pool={pool} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ pool }: { readonly pool: PoolRow }) {
  const { text, language } = usePreferences();
  return (
    <tr>
      <th scope="row">
        <span className="pool-program">{venueName(pool.program)}</span>
        <span className="pool-links">
          <Address address={pool.address} isShort />
          <a
            className="small"
            href={`https://dexscreener.com/solana/${pool.address}`}
            target="_blank"
            rel="noreferrer noopener"
          >
            DexScreener<span aria-hidden="true">↗</span>
            <span className="visually-hidden">
              , {venueName(pool.program)} {pool.address}
            </span>
          </a>
        </span>
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
        {formatPct(pool.fee_pct, language, 2, 2)}
      </td>
      <td data-name={text.token.statusLabel}>
        <Badge look={pool.status === "open" ? "plain" : "warn"}>
          {text.token.statuses[pool.status]}
        </Badge>
      </td>
    </tr>
  );
}
