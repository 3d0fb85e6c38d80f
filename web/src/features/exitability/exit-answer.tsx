import type { ReactNode } from "react";
import type { ExitAt, Token } from "#client/openapi.ts";
import { Failure } from "../../components/failure.tsx";
import { isApiError } from "../../lib/api.ts";
import { useConnection } from "../../lib/connection.ts";
import {
  formatAge,
  formatNumber,
  formatPct,
  formatSharePct,
  formatSol,
  formatUsd,
} from "../../lib/format.ts";
import { mintName } from "../../lib/mint-name.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { LATE_SECONDS } from "../../lib/status.ts";
import type { Text } from "../../lib/text/es.ts";
import { venueName } from "../../lib/venue-names.ts";
import { verdictOf } from "../../lib/verdict.ts";
import { lossParts } from "./loss-parts.ts";
import { ProofCheck } from "./proof-check.tsx";
import { roundedShares, shownShare } from "./rounded-shares.ts";
import { Limits } from "./size-form.tsx";
import type { Sale } from "./token-search.ts";

/** As many letters have room in the largest type, on a phone and beside the form. */
const MOST_LARGE_LETTERS = 10;

type Props = {
  readonly mint: string;
  /** What the token is called in a sentence. */
  readonly name: string;
  readonly exit: ExitAt | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly sale: Sale;
  readonly facts: Token | undefined;
  readonly solUsd: number | null;
  /** A sale of more or less than what is measured, or of dollars that can't be converted. */
  readonly isUnasked: boolean;
  /** An alert is on: nothing is shown as good. */
  readonly isAlerting: boolean;
  /** When the sale is known to have paid this; null: it is not known what it pays. */
  readonly knownAtMs: number | null;
  /** The figures could not be read again: they are shown as those of their time. */
  readonly isOld: boolean;
  /** Every pool is known to be closed: the sale is not unknown, it can't be made. */
  readonly isPaused: boolean;
  /** Why the token's answer is not sure; null: it is, or is not known yet. */
  readonly notice: string | null;
};

/** What the sale pays, what it loses and why: the answer that the page is for. */
export function ExitAnswer(props: Props) {
  const { mint, name, exit, error, onRetry, sale, solUsd, isUnasked, knownAtMs, isOld } = props;
  const { text } = usePreferences();
  const isOffline = useConnection() === "offline";
  const size = useSizeText(sale);
  const ageSeconds = (useNowMs() - (knownAtMs ?? Number.NaN)) / 1_000;
  const isLate = ageSeconds > LATE_SECONDS && (exit?.net_sol ?? null) !== null;
  const isPast = exit !== undefined && (isOld || isLate);
  const [before, after] = isPast
    ? text.exit.paid(size, sale.unit, formatAge(ageSeconds))
    : text.exit.pays(size, sale.unit);
  return (
    <div
      className={`exit-answer ${isPast ? "old" : ""}`}
      aria-busy={exit === undefined && !isUnasked}
    >
      <p className="exit-lead">
        {before}
        <bdi>{name}</bdi>
        {after}
      </p>
      {isUnasked ? (
        <NotMeasured title={text.exit.unasked}>
          {sale.unit === "usd" && solUsd === null ? (
            text.exit.usdUnknown
          ) : (
            <Limits unit={sale.unit} solUsd={solUsd} />
          )}
        </NotMeasured>
      ) : exit !== undefined ? (
        <>
          <Outcome {...props} exit={exit} isOld={isPast} />
          {exit.state === "bloqueado_dato" || exit.reason === "size-not-allowed" || isOld ? null : (
            <ProofCheck key={Object.values(sale).join()} mint={mint} sale={sale} solUsd={solUsd} />
          )}
        </>
      ) : sale.unit === "tokens" && isApiError(error, "invalid_size") ? (
        <NotMeasured title={text.exit.unasked}>{text.exit.amountTooFine}</NotMeasured>
      ) : error !== null || isOffline ? (
        <Failure error={error} onRetry={onRetry} />
      ) : (
        <Waiting />
      )}
    </div>
  );
}

function useSizeText({ amount, unit }: Sale): string {
  const { language } = usePreferences();
  const value = Number(amount);
  if (unit === "sol") return formatSol(value, language);
  return unit === "usd" ? formatUsd(value, language) : formatNumber(value, language);
}

/** As high as an answer, so that nothing moves when it arrives; visible only if it takes long. */
function Waiting() {
  const { text } = usePreferences();
  return (
    <div className="exit-waiting">
      <span className="visually-hidden">{text.common.loading}</span>
      <span className="skeleton late" />
      <span className="skeleton late" />
      <span className="skeleton late" />
    </div>
  );
}

type OutcomeProps = Props & { readonly exit: ExitAt };

function Outcome(props: OutcomeProps) {
  const { exit, isAlerting, isOld, solUsd } = props;
  const { text, language } = usePreferences();
  const { net_sol: net, slippage_pct: slippage, size_sol: worth } = exit;
  if (exit.state !== "ok" || net === null || slippage === null || worth === null)
    return <NotSold exit={exit} isPaused={props.isPaused} notice={props.notice} />;
  const verdict = verdictOf(slippage);
  const look = (isAlerting || isOld) && verdict === "good" ? "plain" : verdict;
  const paid = formatSol(net, language);
  return (
    <>
      <p className={`exit-paid figure ${paid.length > MOST_LARGE_LETTERS ? "long" : ""}`}>
        {paid}
        {solUsd === null ? null : (
          <small className="exit-usd">≈ {formatUsd(net * solUsd, language)}</small>
        )}
      </p>
      <p className="exit-loss">
        {net < worth ? (
          <>
            <strong className={`verdict ${look} figure`}>
              {text.exit.loses(formatPct(slippage, language), formatSol(worth - net, language))}
            </strong>
            <Why {...props} />
          </>
        ) : (
          // A pool above the market's mid price buys for more than the position is worth there.
          <>
            <span className="figure">
              {net > worth ? text.exit.gains(formatSol(net - worth, language)) : text.exit.even}
            </span>
            <Way exit={exit} />
          </>
        )}
      </p>
      <Parts {...props} />
    </>
  );
}

/** The parts of the loss and the way, as the end of the sentence. */
function Why({ exit, facts }: OutcomeProps) {
  const { text, language } = usePreferences();
  const parts = lossParts(exit, facts);
  const named: readonly (readonly [number, string])[] =
    parts === null
      ? []
      : [
          [parts.impactPct, text.exit.parts.impact],
          [parts.poolFeesPct, text.exit.parts.poolFees],
          [parts.taxPct, text.exit.parts.tax],
        ];
  const rounded = roundedShares(
    named.map(([pct]) => pct),
    2,
  );
  const shown = named.flatMap(([exact, name], place) =>
    rounded[place] === 0
      ? []
      : [`${formatPct(shownShare(rounded[place], exact), language)} ${name}`],
  );
  return (
    <>
      {shown.length === 0 ? ". " : `: ${shown.join(", ")}. `}
      <Way exit={exit} />
    </>
  );
}

function Way({ exit }: { readonly exit: ExitAt }): ReactNode {
  const { text, language } = usePreferences();
  const [only, ...others] = exit.routes;
  if (only === undefined) return null;
  const nameOf = ({ legs }: ExitAt["routes"][number]) =>
    legs
      .map(({ program, output_mint }, place) =>
        // What a leg pays is named where the next one sells it.
        place < legs.length - 1
          ? `${venueName(program)} → ${mintName(output_mint)}`
          : venueName(program),
      )
      .join(" → ") +
    (legs.length > 1
      ? ` (${[text.exit.hops(legs.length), ...instructionsOf(legs)].join(", ")})`
      : "");
  if (others.length === 0) return <span className="exit-way">{text.exit.byOne(nameOf(only))}</span>;
  const sorted = exit.routes.toSorted((a, b) => b.share_pct - a.share_pct);
  const rounded = roundedShares(sorted.map(({ share_pct }) => share_pct));
  const shares = sorted.map(
    (route, place) =>
      `${nameOf(route)} ${formatSharePct(shownShare(rounded[place], route.share_pct), language)}`,
  );
  return (
    <span className="exit-way">
      {text.exit.bySplit(exit.routes.length)} {shares.join(", ")}.
    </span>
  );
}

/** The instructions that sell through several pools of the way at once. */
function instructionsOf(legs: ExitAt["routes"][number]["legs"]): readonly string[] {
  return [...new Set(legs.flatMap(({ instruction }) => instruction ?? []))];
}

/** The same parts as a bar: what is paid, and what each cause takes. */
function Parts({ exit, facts }: OutcomeProps) {
  const parts = lossParts(exit, facts);
  if (parts === null) return <div className="loss-bar" aria-hidden="true" />;
  const { impactPct, poolFeesPct, taxPct } = parts;
  const segments = [
    { name: "paid", pct: 100 - impactPct - poolFeesPct - taxPct },
    { name: "impact", pct: impactPct },
    { name: "fees", pct: poolFeesPct },
    { name: "tax", pct: taxPct },
  ];
  let from = 0;
  return (
    <svg className="loss-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {segments.map(({ name, pct }) => {
        const x = from;
        from += pct;
        return <rect key={name} className={name} x={x} width={Math.max(0, pct)} height="8" />;
      })}
    </svg>
  );
}

type NotSoldProps = Pick<OutcomeProps, "exit" | "isPaused" | "notice">;

/** Why nothing is paid: that is not measured, or not known, or it can't be sold. */
export function whyNotSold(
  { exit, isPaused }: Pick<OutcomeProps, "exit" | "isPaused">,
  { token }: Text,
): string {
  if (exit.reason === "size-not-allowed") return token.sizeBlocked;
  if (isPaused) return token.paused;
  return exit.state === "bloqueado_dato" ? token.blockedTitle : token.notSold;
}

/** It can't be sold whole, for sure; or it is not measured; or that is not known: different answers. */
function NotSold({ exit, isPaused, notice }: NotSoldProps) {
  const { text } = usePreferences();
  const reasons: Partial<Record<NonNullable<ExitAt["reason"]>, string>> = text.token.notSoldReasons;
  const isUnknown = exit.state === "bloqueado_dato" && !isPaused;
  const why = whyNotSold({ exit, isPaused }, text);
  if (exit.reason === "size-not-allowed")
    return <NotMeasured title={text.token.notMeasured}>{why}</NotMeasured>;
  return (
    <>
      <p className={`exit-paid ${isUnknown ? "soft" : "verdict bad"}`}>
        {isUnknown ? text.common.unknown : isPaused ? text.exit.capacityNone : text.token.noExit}
      </p>
      <p className="exit-loss">
        <strong>{why}</strong>{" "}
        {isUnknown ? notice : exit.reason === null ? null : reasons[exit.reason]}
      </p>
    </>
  );
}

type NotMeasuredProps = { readonly title: string; readonly children: ReactNode };

/** Sizes that are not measured: neither good nor bad. */
function NotMeasured({ title, children }: NotMeasuredProps) {
  return (
    <>
      <p className="exit-paid words soft">{title}</p>
      <p className="exit-loss">{children}</p>
    </>
  );
}
