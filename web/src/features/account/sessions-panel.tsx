import type { Session } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { formatDay, formatTime } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { browserName } from "./browser-name.ts";
import { useSessionActions, useSessions } from "./use-sessions.ts";

/** Where the account is signed in; any of them can be ended from here. */
export function SessionsPanel() {
  const { text } = usePreferences();
  const sessions = useSessions();
  const { end, endOthers } = useSessionActions();
  const error = sessions.error ?? end.error ?? endOthers.error;
  const hasOthers = sessions.data?.items.some((session) => !session.is_current) ?? false;
  return (
    <section className="panel stack" aria-labelledby="sessions">
      <div className="row spread panel-head">
        <h2 id="sessions">{text.account.sessionsTitle}</h2>
        {hasOthers ? (
          <Button isSmall onClick={() => endOthers.mutate()}>
            {text.account.endOthers}
          </Button>
        ) : null}
      </div>
      {error === null ? null : (
        <Failure
          error={error}
          onRetry={sessions.error === null ? undefined : () => void sessions.refetch()}
        />
      )}
      {sessions.data !== undefined ? (
        <SessionTable items={sessions.data.items} onEnd={(id) => end.mutate(id)} />
      ) : sessions.error === null ? (
        <Skeleton height="6rem" />
      ) : null}
    </section>
  );
}

type TableProps = {
  readonly items: readonly Session[];
  readonly onEnd: (id: string) => void;
};

function SessionTable({ items, onEnd }: TableProps) {
  const { text, language } = usePreferences();
  return (
    <table className="cards-on-phone">
      <caption className="visually-hidden">{text.account.sessionsTitle}</caption>
      <thead>
        <tr>
          <th scope="col">{text.account.device}</th>
          <th scope="col">{text.account.started}</th>
          <th scope="col">{text.account.ends}</th>
          <th scope="col">
            <span className="visually-hidden">{text.account.end}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, is_current, created_at, expires_at, user_agent }) => {
          const name = browserName(user_agent);
          return (
            <tr key={id}>
              <th scope="row">{name ?? <Unknown />}</th>
              <td data-name={text.account.started}>{formatTime(created_at, language)}</td>
              <td data-name={text.account.ends}>{formatDay(expires_at, language)}</td>
              <td className="number">
                {is_current ? (
                  <Badge look="good">{text.account.thisOne}</Badge>
                ) : (
                  <Button
                    isSmall
                    aria-label={`${text.account.end}: ${name ?? text.common.unknown}, ${formatTime(created_at, language)}`}
                    onClick={() => onEnd(id)}
                  >
                    {text.account.end}
                  </Button>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
