import type { Alert } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Failure } from "../../components/failure.tsx";
import { ForMember } from "../../components/for-member.tsx";
import { Link } from "../../components/link.tsx";
import { MailConsent } from "../../components/mail-consent.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import {
  formatAge,
  formatPct,
  formatSol,
  formatTime,
  plainText,
  shortAddress,
} from "../../lib/format.ts";
import { tellStep } from "../../lib/funnel.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { isWholePause, recordedChange } from "../../lib/recorded-change.ts";
import { useTitle } from "../../lib/title.ts";
import { ChannelPanel } from "./channel-panel.tsx";
import { gradeText } from "./grade-text.ts";
import { useAlerts } from "./use-alerts.ts";
import "./alerts.css";

export function AlertsPage() {
  const { text } = usePreferences();
  useTitle(text.alerts.title);
  return (
    <div className="stack">
      <h1>{text.alerts.title}</h1>
      <p className="soft prose">{text.alerts.lead}</p>
      <ForMember sentence={text.alerts.needSession} height="20rem">
        {({ email }) => (
          <>
            <MailConsent email={email} />
            <Feed />
            <ChannelPanel />
          </>
        )}
      </ForMember>
    </div>
  );
}

function Feed() {
  const { text } = usePreferences();
  const alerts = useAlerts(true);
  return (
    <section className="stack" aria-labelledby="feed">
      <h2 id="feed">{text.alerts.feed}</h2>
      {alerts.data !== undefined ? (
        <ul className="feed" aria-live="polite">
          {alerts.data.items.length === 0 ? <li className="soft">{text.alerts.empty}</li> : null}
          {alerts.data.items.map((item) => (
            <Entry key={item.id} item={item} />
          ))}
        </ul>
      ) : alerts.error !== null ? (
        <Failure error={alerts.error} onRetry={() => void alerts.refetch()} />
      ) : (
        <Skeleton height="8rem" />
      )}
    </section>
  );
}

/** One alert as figures: what, from what to what, when, and how it came out. */
function Entry({ item }: { readonly item: Alert }) {
  const { text, language } = usePreferences();
  const nowMs = useNowMs();
  const name =
    plainText(item.token_symbol) ?? plainText(item.token_name) ?? shortAddress(item.mint);
  const age = formatAge((nowMs - Date.parse(item.created_at)) / 1_000);
  return (
    <li className="panel feed-item">
      <div className="row spread">
        <div className="row">
          <strong className="feed-name">
            <Link
              href={`/token/${item.mint}?size=${item.size_sol}&profile=retail`}
              onClick={() => tellStep("alerta_click")}
            >
              <bdi>{name}</bdi>
            </Link>
          </strong>
          <Badge look="bad">
            {
              text.alerts.events[
                item.kind === "blocked" && isSaleOver(item) ? "no-exit" : item.kind
              ]
            }
          </Badge>
        </div>
        <time
          className="soft small figure"
          aria-live="off"
          dateTime={item.created_at}
          title={formatTime(item.created_at, language)}
        >
          {text.exit.alert.ago(age)}
        </time>
      </div>
      {item.kind === "blocked" && item.cause === "unknown" ? null : (
        <p>{text.exit.alert.causes[item.cause]}.</p>
      )}
      <Figures item={item} />
      <p className="small soft figure">
        {text.alerts.grade}: {gradeText(item.grade, text.alerts, language)}
      </p>
    </li>
  );
}

/** Whether the position is known to have no exit: that of paused pools is not unknown. */
function isSaleOver(item: Alert): boolean {
  return item.kind === "no-exit" || (item.slippage_after_pct === null && isWholePause(item));
}

function Figures({ item }: { readonly item: Alert }) {
  const { text, language } = usePreferences();
  const pct = (value: number | null) =>
    value === null ? text.common.unknown : formatPct(value, language);
  const sol = (value: number | null) =>
    value === null
      ? text.common.unknown
      : value === 0
        ? text.exit.capacityNone
        : formatSol(value, language);
  const { capacity, depth } = recordedChange(item);
  const rows = [
    {
      name: text.exit.chart.atSize(formatSol(item.size_sol, language)),
      before: pct(item.slippage_before_pct),
      after: isSaleOver(item) ? text.token.noExit : pct(item.slippage_after_pct),
    },
    {
      name: text.exit.alert.capacity,
      before: sol(capacity.before),
      after: sol(capacity.after),
    },
    {
      name: text.exit.depth,
      before: sol(depth.before),
      after: sol(depth.after),
    },
  ];
  return (
    <dl className="changes">
      {rows.map(({ name: what, before, after }) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd className="figure">
            {before} → <strong>{after}</strong>
          </dd>
        </div>
      ))}
    </dl>
  );
}
