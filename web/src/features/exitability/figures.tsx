import type { ReactNode } from "react";
import type { ExitabilityBody } from "#src/api/measuring/exitability-body.ts";
import { Badge } from "../../components/badge.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatNumber, formatPrice, formatSol } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";

/** The few figures that answer first. */
export function Figures({ answer }: { readonly answer: ExitabilityBody }) {
  const { text, language } = usePreferences();
  const sol = (value: number | null) => (value === null ? <Unknown /> : formatSol(value, language));
  return (
    <dl className="figures">
      <Figure name={text.token.score} isLarge>
        {answer.score === null ? <Unknown /> : <Score score={answer.score} />}
      </Figure>
      <Figure name={text.token.exitMax} hint={text.token.exitMaxHint}>
        {sol(answer.exit_max_sol)}
      </Figure>
      <Figure name={text.token.depth} hint={text.token.depthHint}>
        {sol(answer.depth_sol)}
      </Figure>
      <Figure name={text.token.price} hint={text.token.priceHint}>
        {answer.precio_mid === null ? (
          <NoPrice isKnown={answer.state !== "bloqueado_dato"} />
        ) : (
          <>
            <span aria-hidden="true">{formatPrice(answer.precio_mid, language)}</span>
            <span className="visually-hidden">
              {formatNumber(answer.precio_mid, language, 4)} SOL
            </span>
          </>
        )}
      </Figure>
      <Figure name={text.token.trend}>
        <Trend trend={answer.trend} />
      </Figure>
      <Figure
        name={text.token.confidence}
        {...(answer.aviso === null ? {} : { hint: answer.aviso })}
      >
        <Confidence level={answer.confianza} />
      </Figure>
    </dl>
  );
}

/** A token without buyers has no price: that is known, and differs from an unknown price. */
function NoPrice({ isKnown }: { readonly isKnown: boolean }) {
  const { text } = usePreferences();
  return isKnown ? text.common.none : <Unknown />;
}

type FigureProps = {
  readonly name: string;
  readonly hint?: string;
  readonly isLarge?: boolean;
  readonly children: ReactNode;
};

function Figure({ name, hint, isLarge = false, children }: FigureProps) {
  return (
    <div className={isLarge ? "panel figure-card large" : "panel figure-card"}>
      <dt>{name}</dt>
      <dd className="figure">{children}</dd>
      {hint === undefined ? null : <dd className="figure-hint">{hint}</dd>}
    </div>
  );
}

function Score({ score }: { readonly score: number }) {
  const { language } = usePreferences();
  const look = score >= 66 ? "good" : score >= 33 ? "warn" : "bad";
  return (
    <span className="score">
      <span>{formatNumber(score, language, 1)}</span>
      <svg
        className={`score-bar ${look}`}
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect className="score-track" width="100" height="6" rx="3" />
        <rect className="score-fill" width={Math.max(1, score)} height="6" rx="3" />
      </svg>
    </span>
  );
}

export function Trend({ trend }: { readonly trend: ExitabilityBody["trend"] }) {
  const { text } = usePreferences();
  const look = trend === "improving" ? "good" : trend === "deteriorating" ? "bad" : "plain";
  const sign = trend === "improving" ? "↗" : trend === "deteriorating" ? "↘" : "→";
  return (
    <span className={`trend ${look}`}>
      <span aria-hidden="true">{sign}</span> {text.token.trends[trend]}
    </span>
  );
}

function Confidence({ level }: { readonly level: ExitabilityBody["confianza"] }) {
  const { text } = usePreferences();
  const look = level === "alta" ? "good" : level === "media" ? "warn" : "bad";
  return <Badge look={look}>{text.token.confidences[level]}</Badge>;
}
