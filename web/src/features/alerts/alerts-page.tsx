import { Badge } from "../../components/badge.tsx";
import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { NeedSession } from "../../components/need-session.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatPct, formatTime, plainText, shortAddress } from "../../lib/format.ts";
import { tellStep } from "../../lib/funnel.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useAccount } from "../../lib/session.ts";
import { useTitle } from "../../lib/title.ts";
import { ChannelPanel } from "./channel-panel.tsx";
import { type AlertItem, useAlerts, useLiveAlerts } from "./use-alerts.ts";
import "./alerts.css";

export function AlertsPage() {
  const { text } = usePreferences();
  useTitle(text.alerts.title);
  const account = useAccount();
  return (
    <div className="stack">
      <h1>{text.alerts.title}</h1>
      <p className="soft prose">{text.alerts.lead}</p>
      {account.data === undefined ? (
        <Skeleton height="20rem" />
      ) : account.data === null ? (
        <NeedSession sentence={text.alerts.needSession} />
      ) : (
        <>
          <Feed />
          <ChannelPanel />
        </>
      )}
    </div>
  );
}

function Feed() {
  const { text } = usePreferences();
  const alerts = useAlerts(true);
  const isLive = useLiveAlerts(true);
  return (
    <section className="panel stack" aria-labelledby="feed">
      <div className="row spread">
        <h2 id="feed">{text.alerts.feed}</h2>
        {isLive ? <Badge look="good">{text.alerts.live}</Badge> : null}
      </div>
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

function Entry({ item }: { readonly item: AlertItem }) {
  const { text, language } = usePreferences();
  const name =
    plainText(item.token_symbol) ?? plainText(item.token_name) ?? shortAddress(item.mint);
  return (
    <li className="feed-item">
      <div className="row">
        <strong>
          <Link href={`/token/${item.mint}`} onClick={() => tellStep("alerta_click")}>
            <bdi>{name}</bdi>
          </Link>
        </strong>
        <Badge look="bad">{text.alerts.events[item.kind]}</Badge>
        <Badge>
          {text.token.causes[item.cause]}
          {item.share_pct === null ? "" : ` ${formatPct(item.share_pct, language, 0)}`}
        </Badge>
        <time className="soft small" dateTime={item.created_at}>
          {formatTime(item.created_at, language)}
        </time>
      </div>
      <p>{plainText(item.text, 1_000)}</p>
      <p className="small soft figure">
        {text.alerts.grade}: <Grade grade={item.grade} />
      </p>
    </li>
  );
}

function Grade({ grade }: { readonly grade: AlertItem["grade"] }) {
  const { text, language } = usePreferences();
  if (grade === null) return text.alerts.pendingGrade;
  if (!grade.was_worse || grade.waited_cost_pct === null) return text.alerts.notWorse;
  return text.alerts.worse(formatPct(grade.waited_cost_pct, language));
}
