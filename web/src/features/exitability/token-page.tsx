import { useState } from "react";
import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { Address } from "../../components/address.tsx";
import { Badge } from "../../components/badge.tsx";
import { Failure } from "../../components/failure.tsx";
import { Notice } from "../../components/notice.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { ApiError, isApiError } from "../../lib/api.ts";
import { explain } from "../../lib/explain.ts";
import { plainText, shortAddress } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useTitle } from "../../lib/title.ts";
import { Figures } from "./figures.tsx";
import { Freshness } from "./freshness.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { LimitNotice } from "./limit-notice.tsx";
import { PoolsTable } from "./pools-table.tsx";
import { SizeSlider } from "./size-slider.tsx";
import { SlippageCurve } from "./slippage-curve.tsx";
import { type Profile, useExitability, useLiveExitability } from "./use-exitability.ts";
import { useTokenFacts } from "./use-token-data.ts";
import { WatchButton } from "./watch-button.tsx";
import "./token.css";

type Props = { readonly mint: string };

export function TokenPage({ mint }: Props) {
  const { text } = usePreferences();
  const [profile, setProfile] = useState<Profile>("retail");
  const [isAnswered, setIsAnswered] = useState(false);
  const isPushed = useLiveExitability(mint, isAnswered);
  const retail = useExitability(mint, "retail", isPushed);
  const pro = useExitability(mint, "pro", isPushed);
  const answer = profile === "retail" ? retail : pro;
  if (retail.data !== undefined && !isAnswered) setIsAnswered(true);
  return (
    <div className="stack token-page">
      <Heading mint={mint} answer={retail.data} />
      {retail.data === undefined || answer.data === undefined ? (
        <Waiting error={retail.error ?? answer.error} onRetry={() => void retail.refetch()} />
      ) : (
        <>
          <State answer={answer.data} />
          <Figures answer={answer.data} />
          {retail.data.state === "bloqueado_dato" ? (
            <HistoryPanel mint={mint} />
          ) : (
            <>
              <SlippageCurve retail={retail.data} pro={pro.data} />
              <SizeSlider mint={mint} profile={profile} onProfile={setProfile} />
              <HistoryPanel mint={mint} />
              <PoolsTable mint={mint} />
            </>
          )}
          {isPushed ? null : <p className="soft small">{text.token.liveOff}</p>}
        </>
      )}
    </div>
  );
}

function Heading({ mint, answer }: { mint: string; answer: ExitabilityBody | undefined }) {
  const { text } = usePreferences();
  const facts = useTokenFacts(mint);
  const name = plainText(facts.data?.name ?? null);
  const symbol = plainText(facts.data?.symbol ?? null, 12);
  useTitle(symbol ?? name ?? shortAddress(mint));
  return (
    <header className="stack token-heading">
      <div className="row spread token-title">
        <h1>
          <bdi>{facts.isPending ? "\u00a0" : (name ?? symbol ?? text.token.unnamed)}</bdi>
        </h1>
        <WatchButton mint={mint} />
      </div>
      <div className="row token-badges">
        {symbol !== null && name !== null ? (
          <strong className="soft">
            <bdi>{symbol}</bdi>
          </strong>
        ) : null}
        {answer === undefined ? null : (
          <>
            <Badge>{text.token.phases[answer.fase]}</Badge>
            <Badge>{text.token.families[answer.amm]}</Badge>
          </>
        )}
      </div>
      <div className="row spread token-source">
        <Address address={mint} />
        {answer === undefined ? (
          <span className="small">{"\u00a0"}</span>
        ) : (
          <Freshness updatedAt={answer.updated_at} />
        )}
      </div>
    </header>
  );
}

/** Notices that must be read before any number. */
function State({ answer }: { readonly answer: ExitabilityBody }) {
  const { text } = usePreferences();
  const isEmpty = answer.state === "ok" && answer.precio_mid === null;
  return (
    <>
      {answer.alerta_deterioro ? (
        <Notice look="bad" isLive>
          {text.token.deteriorating}
        </Notice>
      ) : null}
      {answer.state === "bloqueado_dato" ? (
        <Notice look="unknown" title={text.token.blockedTitle}>
          <p>{answer.aviso}</p>
          <p>{text.token.blockedBody}</p>
        </Notice>
      ) : null}
      {isEmpty ? (
        <Notice look="bad" title={text.token.noExitTitle}>
          {text.token.noExitBody}
        </Notice>
      ) : null}
      {answer.amm === "otro" && answer.state === "ok" && !isEmpty ? (
        <Notice look="info">{text.token.sizeBlocked}</Notice>
      ) : null}
    </>
  );
}

function Waiting({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { text } = usePreferences();
  if (isApiError(error, "rate_limit_exceeded")) return <LimitNotice error={error} />;
  if (isApiError(error, "not_found")) {
    return (
      <Notice look="unknown" title={text.token.notFoundTitle} isLive>
        {text.token.notFoundBody}
      </Notice>
    );
  }
  if (isApiError(error, "chain_unavailable")) {
    return (
      <Notice look="unknown" title={text.token.unavailableTitle} isLive>
        {explain(error, text)}
      </Notice>
    );
  }
  if (error !== null)
    return <Failure error={error instanceof ApiError ? error : null} onRetry={onRetry} />;
  return (
    <>
      <Skeleton height="9rem" />
      <Skeleton height="27rem" />
      <Skeleton height="20rem" />
      <Skeleton height="30rem" />
    </>
  );
}
