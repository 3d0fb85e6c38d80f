import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import type { ExitAt, Exitability, Token } from "#client/openapi.ts";
import { Address } from "../../components/address.tsx";
import { Badge } from "../../components/badge.tsx";
import { Boundary } from "../../components/boundary.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Notice } from "../../components/notice.tsx";
import { QuotaLine } from "../../components/quota-line.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import type { ApiError } from "../../lib/api.ts";
import {
  formatPct,
  formatRounded,
  looksLikeMint,
  plainText,
  shortAddress,
} from "../../lib/format.ts";
import { loadPart } from "../../lib/load-part.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { keepRecent } from "../../lib/recent-tokens.ts";
import { replaceSearch, useSearch } from "../../lib/router.ts";
import { useStatus } from "../../lib/status.ts";
import { useTitle } from "../../lib/title.ts";
import { AlertBanner } from "./alert-banner.tsx";
import { alertOf, isTrendKnown } from "./alert-of.ts";
import { ExitAnswer, whyNotSold } from "./exit-answer.tsx";
import { type HeldState, heldState, knownAtMs } from "./held-state.ts";
import { isPaused } from "./is-paused.ts";
import { MailRow } from "./mail-row.tsx";
import { holds, isWholePage, refusalOf } from "./refusal.ts";
import { Refused } from "./refused.tsx";
import { shownExit } from "./shown-exit.ts";
import { SizeForm } from "./size-form.tsx";
import { TokenFactsLine } from "./token-facts-line.tsx";
import {
  exitPath,
  keepSale,
  keptSale,
  readSale,
  type Sale,
  saleSearch,
  sizeInSol,
} from "./token-search.ts";
import { useExitability, useLiveExitability } from "./use-exitability.ts";
import { type HistoryAlert, useExitAt, useHistory, useTokenFacts } from "./use-token-data.ts";
import { WatchButton } from "./watch-button.tsx";
import "./token.css";
import "./size-form.css";
import "./exit-answer.css";
import "./facts-line.css";
import "./alert-banner.css";
import "./token-details.css";

/** Everything below the answer: its code and its data come after those of the answer. */
const TokenDetails = loadPart(async () => (await import("./token-details.tsx")).TokenDetails);

type Props = { readonly mint: string };

export function TokenPage({ mint }: Props) {
  // What is chosen on another tab meanwhile changes nothing here.
  const [kept] = useState(keptSale);
  const sale = useSearch((parameters) => readSale(parameters, kept));
  const status = useStatus().data;
  const solUsd = status?.sol_usd ?? null;
  // Once there is an answer, or none can be had, the evidence below stays, whatever size is asked for next.
  const [isAnswered, setIsAnswered] = useState(false);
  const isPushed = useLiveExitability(mint, isAnswered);
  const exit = useExitAt(mint, sale, solUsd, isPushed);
  const facts = useTokenFacts(mint);
  const answer = useExitability(mint, sale.profile, isPushed);
  const isRateKnown = sale.unit !== "usd" || status !== undefined;
  const isUnasked = isRateKnown && exitPath(mint, sale, solUsd) === null;
  const isFailed = exit.error !== null && refusalOf(exit.error) === null;
  if ((exit.data !== undefined || isUnasked || isFailed) && !isAnswered) setIsAnswered(true);
  const history = useHistory(mint, "hour", {
    isWanted: isAnswered,
    isAlerting: answer.data?.alerta_deterioro === true,
  });
  const alert = useShownAlert(history.data, answer.data);
  useRereadOn(alert.shown?.id ?? null, mint);
  const name = nameOf(mint, facts.data);
  useTitle(name.short, alert.isOn);
  useEffect(() => {
    if (facts.data !== undefined) keepRecent({ mint, name: name.short });
  }, [mint, facts.data, name.short]);
  const isClosed = isPaused({ answer: answer.data, history: history.data, facts: facts.data });
  // Whether an unknown exit is a pause is known with the history.
  const known = shownExit(exit.data, answer.data);
  const isJudged = known?.state !== "bloqueado_dato" || !history.isPending;
  const held = useHeldState(answer.data);
  const last = useLastAnswered(mint, sale, known);
  const refusal = useRefusal(exit, answer.error);
  const isReplaced = refusal !== null && isWholePage(refusal, last !== null);
  // The last answer stays in sight, with its own size, where the one that is asked for is refused.
  const isOld = refusal !== null && !isUnasked && (exit.error !== null || known === undefined);
  const shown = isOld && last !== null ? last : { sale, exit: known };
  const atMs =
    shown.exit === undefined || isUnasked ? null : knownAtMs(shown.exit, isOld ? null : held);
  function changeSale(changed: Sale): void {
    keepSale(changed);
    replaceSearch(saleSearch(changed));
  }
  return (
    <div className={`stack token-page ${alert.isOn ? "alerting" : ""}`}>
      <AlertBanner alert={alert.shown} isOn={alert.isOn} />
      <Heading
        mint={mint}
        name={name}
        answer={answer.data}
        sale={sale}
        exitSol={known?.size_sol ?? null}
        isMissing={refusal !== null && refusal.code === "not_found"}
      />
      {refusal === null ? null : (
        <Refused mint={mint} error={refusal} onRetry={() => void exit.refetch()} />
      )}
      {isReplaced ? null : (
        <>
          <section className="hero" aria-label={name.long}>
            <SizeForm
              sale={sale}
              rates={{
                solUsd,
                tokenSol: answer.data?.precio_mid ?? null,
                tokenDecimals: facts.data?.decimals ?? null,
              }}
              onSale={changeSale}
            />
            <ExitAnswer
              mint={mint}
              name={name.short}
              exit={isJudged ? shown.exit : undefined}
              error={exit.error}
              onRetry={() => void exit.refetch()}
              sale={shown.sale}
              facts={facts.data}
              solUsd={solUsd}
              isUnasked={isUnasked}
              isAlerting={alert.isOn}
              knownAtMs={atMs}
              isOld={isOld}
              isPaused={isClosed}
              notice={answer.data?.aviso ?? null}
            />
            <TokenFactsLine
              answer={answer.data}
              exit={shown.exit}
              knownAtMs={atMs}
              isPushed={isPushed}
              isOld={isOld}
              hasFailed={exit.error !== null || answer.error !== null}
              isUnasked={isUnasked}
              isPaused={isClosed}
            />
          </section>
          <MailRow mint={mint} />
          <div className="answer-notes stack">
            <QuotaLine />
            <Announcement exit={isJudged ? known : undefined} isPaused={isClosed} />
            {answer.data === undefined ? null : (
              <State
                answer={answer.data}
                isTrendKnown={isTrendKnown(history.data?.points)}
                isPaused={isClosed}
              />
            )}
          </div>
          {isAnswered ? (
            <Boundary>
              <Suspense fallback={<Skeleton height="60rem" />}>
                <TokenDetails
                  mint={mint}
                  answer={answer.data}
                  facts={facts.data}
                  sale={sale}
                  exit={known}
                  isPushed={isPushed}
                  isPaused={isClosed}
                />
              </Suspense>
            </Boundary>
          ) : (
            <Skeleton height="60rem" />
          )}
        </>
      )}
    </div>
  );
}

/** The alert that the page shows, and whether it is still on. */
function useShownAlert(
  history: Parameters<typeof alertOf>[0],
  answer: Exitability | undefined,
): { readonly shown: HistoryAlert | null; readonly isOn: boolean } {
  const nowMs = useNowMs();
  const shown = alertOf(history, nowMs);
  const isOn = answer?.alerta_deterioro === true || (shown !== null && shown.ended_at === null);
  return { shown, isOn };
}

type Answered = { readonly mint: string; readonly sale: Sale; readonly exit: ExitAt };

/** The sale of this token that was answered last, whatever is asked for now. */
function useLastAnswered(mint: string, sale: Sale, exit: ExitAt | undefined): Answered | null {
  const last = useRef<Answered | null>(null);
  if (exit !== undefined) last.current = { mint, sale, exit };
  return last.current?.mint === mint ? last.current : null;
}

/** The state that the answers of this page have repeated until now. */
function useHeldState(answer: Exitability | undefined): HeldState | null {
  const held = useRef<HeldState | null>(null);
  if (answer !== undefined) held.current = heldState(held.current, answer);
  return held.current;
}

/** What refuses the answers of this page now. A limit of a minute refuses the sale that is asked for next, too. */
function useRefusal(exit: Pick<UseQueryResult, "data" | "error">, other: unknown): ApiError | null {
  const held = useRef<ApiError | null>(null);
  const nowMs = useNowMs();
  const refusal = refusalOf(exit.error) ?? refusalOf(other);
  if (refusal !== null) held.current = refusal;
  if (refusal !== null || exit.data !== undefined || held.current === null) return refusal;
  return holds(held.current, nowMs) ? held.current : null;
}

/** A new alert makes every figure of the token old, those that are read rarely too. */
function useRereadOn(alertId: string | null, mint: string): void {
  const client = useQueryClient();
  useEffect(() => {
    if (alertId !== null) void client.invalidateQueries({ queryKey: ["token", mint] });
  }, [alertId, mint, client]);
}

type Name = { readonly long: string; readonly short: string; readonly symbol: string | null };

/** The token's own words for itself, as harmless text. */
function nameOf(mint: string, facts: Token | undefined): Name {
  const name = plainText(facts?.name ?? null);
  const symbol = plainText(facts?.symbol ?? null, 12);
  // An invalid address is shown as it was asked for.
  const address = looksLikeMint(mint) ? shortAddress(mint) : (plainText(mint, 80) ?? "");
  const short = symbol ?? name ?? address;
  return { long: name ?? short, short, symbol: name === null ? null : symbol };
}

type HeadingProps = {
  readonly mint: string;
  readonly name: Name;
  readonly answer: Exitability | undefined;
  readonly sale: Sale;
  readonly exitSol: number | null;
  /** No pool is known: there is nothing to watch. */
  readonly isMissing: boolean;
};

function Heading({ mint, name, answer, sale, exitSol, isMissing }: HeadingProps) {
  const { text } = usePreferences();
  return (
    <header className="token-heading">
      <div className="token-name">
        <h1>
          <bdi>{name.long}</bdi>
        </h1>
        <p className="token-source">
          {/* Known from the start, so that what arrives later moves nothing. */}
          {looksLikeMint(mint) ? (
            <span className="token-mint">
              <Address address={mint} isShort />
              <CopyButton value={mint} label={text.exit.copyMint} isIcon />
            </span>
          ) : null}
          {name.symbol === null ? null : (
            <strong>
              <bdi>{name.symbol}</bdi>
            </strong>
          )}
          {answer === undefined ? null : <Badge>{text.token.phaseWords[answer.fase]}</Badge>}
        </p>
      </div>
      {isMissing ? null : (
        <WatchButton mint={mint} sale={sale} sizeSol={sizeInSol(sale) ?? exitSol} />
      )}
    </header>
  );
}

type AnnouncementProps = { readonly exit: ExitAt | undefined; readonly isPaused: boolean };

/** Read out when a figure changes by more than its rounding, not with each update of the chain. */
function Announcement({ exit, isPaused: isClosed }: AnnouncementProps) {
  const { text, language } = usePreferences();
  function sentenceOf(known: ExitAt): string {
    const { net_sol: net, slippage_pct: slippage } = known;
    if (net === null || slippage === null)
      return whyNotSold({ exit: known, isPaused: isClosed }, text);
    const loss = formatPct(slippage, language, slippage < 1 ? 1 : 0);
    return `${formatRounded(net, language)} SOL, ${text.token.youLose} ${loss}`;
  }
  return (
    <p className="visually-hidden" role="status">
      {exit === undefined ? "" : sentenceOf(exit)}
    </p>
  );
}

type StateProps = {
  readonly answer: Exitability;
  readonly isTrendKnown: boolean;
  readonly isPaused: boolean;
};

/** Notices that must be read with the figures. */
function State({ answer, isTrendKnown: isKnown, isPaused: isClosed }: StateProps) {
  const { text } = usePreferences();
  const isBlocked = answer.state === "bloqueado_dato";
  const isEmpty = answer.state === "ok" && answer.precio_mid === null;
  return (
    <>
      {isClosed ? (
        <Notice look="bad" title={text.token.paused}>
          <p>{answer.aviso}</p>
          <p>{text.token.pausedBody}</p>
        </Notice>
      ) : isBlocked ? (
        <Notice look="unknown">{text.token.blockedBody}</Notice>
      ) : null}
      {answer.fase === "migrating" && !isBlocked ? (
        <Notice look="unknown">{text.token.phases.migrating}</Notice>
      ) : null}
      {isEmpty ? (
        <Notice look="bad" title={text.token.noExitTitle}>
          {text.token.noExitBody}
        </Notice>
      ) : null}
      {answer.amm === "otro" && answer.state === "ok" && !isEmpty ? (
        <Notice look="info">{text.token.sizeBlocked}</Notice>
      ) : null}
      {isKnown && !isBlocked && !answer.alerta_deterioro && answer.trend !== "stable" ? (
        <Notice look={answer.trend === "improving" ? "info" : "warn"}>
          {text.token.trend}: {text.token.trends[answer.trend]}
        </Notice>
      ) : null}
    </>
  );
}
