import { formatAge, formatNumber, formatPct, formatTime } from "../../lib/format.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { recordedChange } from "../../lib/recorded-change.ts";
import type { HistoryAlert } from "./use-token-data.ts";

type Props = { readonly alert: HistoryAlert | null; readonly isOn: boolean };

/** What happened, from what to what, and when: above everything else on the page. */
export function AlertBanner({ alert, isOn }: Props) {
  const { text } = usePreferences();
  if (alert === null && !isOn) return null;
  return (
    <section className={`alert-banner ${isOn ? "on" : "over"}`} aria-live="assertive">
      <div className="row spread">
        <strong className="alert-title">
          <span aria-hidden="true">▼ </span>
          {text.exit.alert.causes[alert?.cause ?? "unknown"]}
        </strong>
        {alert === null ? null : <When alert={alert} isOn={isOn} />}
      </div>
      {alert === null ? null : <Change alert={alert} />}
    </section>
  );
}

type WhenProps = { readonly alert: HistoryAlert; readonly isOn: boolean };

/**
 * When it happened, and for how long it is over: the second time alone would read as the first. Ages are not
 * read out as they grow.
 */
function When({ alert: { started_at, ended_at }, isOn }: WhenProps) {
  const { text } = usePreferences();
  return (
    <span className="small figure alert-when" aria-live="off">
      <Age at={started_at} sentence={text.exit.alert.ago} />
      {isOn || ended_at === null ? null : (
        <>
          {" · "}
          <Age at={ended_at} sentence={text.exit.alert.overFor} />
        </>
      )}
    </span>
  );
}

type AgeProps = { readonly at: string; readonly sentence: (age: string) => string };

function Age({ at, sentence }: AgeProps) {
  const { language } = usePreferences();
  const nowMs = useNowMs();
  return (
    <time dateTime={at} title={formatTime(at, language)}>
      {sentence(formatAge((nowMs - Date.parse(at)) / 1_000))}
    </time>
  );
}

type ChangeProps = {
  readonly alert: HistoryAlert;
  /** With the share of the fall that the cause explains. */
  readonly hasShare?: boolean;
};

/** From what to what, in figures. */
export function Change({ alert, hasShare = false }: ChangeProps) {
  const { text, language } = usePreferences();
  const { capacity, depth } = recordedChange(alert);
  return (
    <dl className="changes">
      <BeforeAfter name={text.exit.alert.capacity} {...capacity} />
      <BeforeAfter name={text.exit.depth} {...depth} />
      {!hasShare || alert.share_pct === null || alert.cause === "trading-paused" ? null : (
        <div>
          <dt>{text.token.causes[alert.cause]}</dt>
          <dd>{text.exit.alert.explained(formatPct(alert.share_pct, language, 0))}</dd>
        </div>
      )}
    </dl>
  );
}

type BeforeAfterProps = {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
};

function BeforeAfter({ name, before, after }: BeforeAfterProps) {
  const { text, language } = usePreferences();
  if (before === null && after === null) return null;
  const show = (sol: number | null) =>
    sol === null
      ? text.common.unknown
      : sol === 0
        ? text.exit.capacityNone
        : `${formatNumber(sol, language)} SOL`;
  return (
    <div>
      <dt>{name}</dt>
      <dd className="figure">
        {show(before)} → <strong>{show(after)}</strong>
      </dd>
    </div>
  );
}
