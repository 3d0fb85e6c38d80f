import { Address } from "../../components/address.tsx";
import { Badge } from "../../components/badge.tsx";
import { Failure } from "../../components/failure.tsx";
import { ScrollBox } from "../../components/scroll-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber, formatPct } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { type PoolRow, usePools } from "./use-token-data.ts";

/** Each pool the token trades in: who runs it, its share of the depth, its fee, its address. */
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
  const { text, language } = usePreferences();
  return (
    <ScrollBox label={text.token.poolsTitle}>
      <table>
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
              {text.token.fee}
            </th>
            <th scope="col">{text.token.statusLabel}</th>
          </tr>
        </thead>
        <tbody>
          {pools.map((pool) => (
            <tr key={pool.address}>
              <th scope="row">
                <span className="pool-program">{pool.program}</span>
                <Address address={pool.address} isShort />
              </th>
              <td className="number">
                {pool.share_pct === null ? <Unknown /> : formatPct(pool.share_pct, language, 1)}
              </td>
              <td className="number">{formatNumber(pool.depth_sol, language)}</td>
              <td className="number">{formatPct(pool.fee_pct, language)}</td>
              <td>
                <Badge look={pool.status === "open" ? "good" : "warn"}>
                  {text.token.statuses[pool.status]}
                </Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
