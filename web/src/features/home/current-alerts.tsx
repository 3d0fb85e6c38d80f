import { useQuery } from "@tanstack/react-query";
import type { CurrentAlert } from "#client/openapi.ts";
import { Link } from "../../components/link.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { api } from "../../lib/api.ts";
import { formatAge, formatSol, plainText, shortAddress } from "../../lib/format.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { recordedCapacity } from "../../lib/recorded-change.ts";

const REFRESH_MS = 10_000;

/** The tokens whose exit is deteriorating now, the newest alert first. Its place is kept while it is empty. */
export function CurrentAlerts() {
  const { text } = usePreferences();
  const { data, error } = useQuery({
    queryKey: ["current-alerts"],
    queryFn: ({ signal }) =>
      api<{ readonly items: readonly CurrentAlert[] }>("/api/alerts/current", { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="stack" aria-labelledby="current-alerts">
      <h2 id="current-alerts">{text.home.current}</h2>
      <div className="current-box">
        {data === undefined ? (
          error === null ? (
            <Skeleton height="5.5rem" />
          ) : (
            <Unknown />
          )
        ) : data.items.length === 0 ? (
          <p className="soft">{text.home.currentNone}</p>
        ) : (
          <ul className="current-alerts">
            {data.items.map((alert) => (
              <li key={alert.mint}>
                <Entry alert={alert} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function Entry({ alert }: { readonly alert: CurrentAlert }) {
  const { text, language } = usePreferences();
  const nowMs = useNowMs();
  const { mint, cause, c10_before_sol: before, c10_after_sol: after } = alert;
  const name = plainText(alert.token_symbol) ?? plainText(alert.token_name) ?? shortAddress(mint);
  const ageSeconds = (nowMs - Date.parse(alert.started_at)) / 1_000;
  return (
    <Link className="current-alert" href={`/token/${mint}`}>
      <span className="row spread">
        <strong>
          <span aria-hidden="true">▼ </span>
          <bdi>{name}</bdi>
        </strong>
        <time className="small soft figure" dateTime={alert.started_at}>
          {text.exit.alert.ago(formatAge(ageSeconds))}
        </time>
      </span>
      <span className="small">{text.exit.alert.causes[cause]}</span>
      <span className="small soft figure">
        {text.exit.alert.capacity} {formatSol(before, language)} →{" "}
        <strong>
          {recordedCapacity(after) === 0 ? text.exit.capacityNone : formatSol(after, language)}
        </strong>
      </span>
    </Link>
  );
}
