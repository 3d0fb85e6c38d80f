import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Account, ApiKey } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Failure } from "../../components/failure.tsx";
import { ForMember } from "../../components/for-member.tsx";
import { Notice } from "../../components/notice.tsx";
import { NumberHeadings } from "../../components/number-headings.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { api } from "../../lib/api.ts";
import { formatTime } from "../../lib/format.ts";
import { tellStep } from "../../lib/funnel.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useAccount } from "../../lib/session.ts";
import { useTitle } from "../../lib/title.ts";
import { CodeExamples } from "./code-examples.tsx";
import { PlansTable } from "./plans-table.tsx";
import { useApiKeys, useKeyActions } from "./use-api-keys.ts";

/** The one place where a key is given. */
export function ApiKeysPage() {
  const { text } = usePreferences();
  useTitle(text.apiKeys.title);
  const tier = useAccount().data?.tier ?? null;
  return (
    <div className="stack">
      <h1>{text.apiKeys.title}</h1>
      <p className="soft prose">{text.apiKeys.lead}</p>
      <ForMember sentence={text.apiKeys.needSession} height="20rem">
        {(account) => <KeysOf account={account} />}
      </ForMember>
      <PlansTable current={tier} />
    </div>
  );
}

function KeysOf({ account }: { readonly account: Account }) {
  const { text } = usePreferences();
  const keys = useApiKeys(true);
  const { issue, revoke } = useKeyActions();
  const newest = keys.data?.items.find(({ id }) => id === issue.data?.id);
  const issued = newest?.status === "revoked" ? null : (issue.data?.key ?? null);
  const error = keys.error ?? issue.error ?? revoke.error;
  const hasKey = keys.data?.items.some(({ status }) => status === "active") ?? false;
  return (
    <>
      {error === null ? null : (
        <Failure
          error={error}
          onRetry={keys.error === null ? undefined : () => void keys.refetch()}
        />
      )}
      {issued === null ? null : (
        <Notice look="info" title={text.apiKeys.yours} isLive>
          <div className="stack">
            <p>{text.apiKeys.once}</p>
            <div className="row">
              <code className="address" data-testid="issued-key">
                {issued}
              </code>
              <CopyButton value={issued} />
            </div>
          </div>
        </Notice>
      )}
      <section className="panel stack" aria-labelledby="keys">
        <div className="row spread">
          <h2 id="keys">{text.apiKeys.keyColumn}</h2>
          {hasKey ? (
            <div className="row">
              <span className="soft small">{text.apiKeys.rotateHint}</span>
              <Button onClick={() => issue.mutate("rotate")} disabled={issue.isPending}>
                {text.apiKeys.rotate}
              </Button>
            </div>
          ) : (
            <Button
              look="primary"
              onClick={() => issue.mutate("activate")}
              disabled={keys.data === undefined || issue.isPending}
            >
              {text.apiKeys.activate}
            </Button>
          )}
        </div>
        {keys.data === undefined ? (
          keys.error === null ? (
            <Skeleton height="6rem" />
          ) : null
        ) : (
          <KeyTable items={keys.data.items} onRevoke={(id) => revoke.mutate(id)} />
        )}
      </section>
      <Usage account={account} />
      <CodeExamples apiKey={issued} />
    </>
  );
}

type TableProps = { readonly items: readonly ApiKey[]; readonly onRevoke: (id: string) => void };

function KeyTable({ items, onRevoke }: TableProps) {
  const { text, language } = usePreferences();
  if (items.length === 0) return <p className="soft">{text.apiKeys.empty}</p>;
  return (
    <table className="cards-on-phone">
      <caption className="visually-hidden">{text.apiKeys.keyColumn}</caption>
      <thead>
        <tr>
          <th scope="col">{text.apiKeys.keyColumn}</th>
          <th scope="col">{text.apiKeys.state}</th>
          <th scope="col">{text.apiKeys.created}</th>
          <th scope="col">{text.apiKeys.lastUsed}</th>
          <NumberHeadings names={[text.apiKeys.usedToday]} />
          <th scope="col">
            <span className="visually-hidden">{text.apiKeys.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((key) => (
          <tr key={key.id}>
            <th scope="row" className="mono" tabIndex={-1} id={`key-${key.id}`}>
              {key.hint}
            </th>
            <td data-name={text.apiKeys.state}>
              <Badge
                look={
                  key.status === "active" ? "good" : key.status === "expiring" ? "warn" : "plain"
                }
              >
                {text.apiKeys.states[key.status]}
              </Badge>
            </td>
            <td data-name={text.apiKeys.created}>{formatTime(key.created_at, language)}</td>
            <td data-name={text.apiKeys.lastUsed}>
              {key.last_used_at === null
                ? text.apiKeys.never
                : formatTime(key.last_used_at, language)}
            </td>
            <td className="number" data-name={text.apiKeys.usedToday}>
              {key.used_today}
            </td>
            <td className="number">
              {key.status === "active" || key.status === "expiring" ? (
                <RevokeButton
                  name={key.hint}
                  onRevoke={() => {
                    // The button goes with the key: the focus stays in its row.
                    document.getElementById(`key-${key.id}`)?.focus();
                    onRevoke(key.id);
                  }}
                />
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type RevokeProps = { readonly name: string; readonly onRevoke: () => void };

/** Asks once more, in place; Escape or "cancel" leads back to the button. */
function RevokeButton({ name, onRevoke }: RevokeProps) {
  const { text } = usePreferences();
  const [isAsking, setIsAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    if (isAsking || wasAsking.current) button.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  function leave(event: KeyboardEvent): void {
    if (event.key === "Escape") setIsAsking(false);
  }
  if (!isAsking) {
    return (
      <Button
        key="ask"
        ref={button}
        isSmall
        aria-label={`${text.apiKeys.revoke}: ${name}`}
        onClick={() => setIsAsking(true)}
      >
        {text.apiKeys.revoke}
      </Button>
    );
  }
  return (
    <span className="row">
      <span className="small">{text.apiKeys.revokeConfirm}</span>
      <Button
        key="confirm"
        ref={button}
        isSmall
        look="primary"
        onClick={onRevoke}
        onKeyDown={leave}
        aria-label={`${text.apiKeys.revoke}: ${name}`}
      >
        {text.apiKeys.revoke}
      </Button>
      <Button isSmall look="quiet" onClick={() => setIsAsking(false)} onKeyDown={leave}>
        {text.common.cancel}
      </Button>
    </span>
  );
}

function Usage({ account }: { readonly account: Account }) {
  const { text } = usePreferences();
  const { email, usage } = account;
  const { used, limit, policy } = usage;
  const upgrade = useMutation({
    mutationFn: () =>
      api("/api/oracle/waitlist", { method: "POST", body: { email, origen: "api-page" } }),
    onMutate: () => tellStep("click_avisame_pro"),
  });
  return (
    <section className="panel stack" aria-labelledby="usage">
      <div className="row spread">
        <h2 id="usage">{text.apiKeys.usageTitle}</h2>
        <span>
          {text.apiKeys.tier}: <Badge>{account.tier}</Badge>
        </span>
      </div>
      <p className="figure">
        <strong>{text.apiKeys.usage(used, limit)}</strong>{" "}
        {policy === "day" ? text.apiKeys.usageDay : text.apiKeys.usageMinute}
      </p>
      <progress value={used} max={limit} aria-label={text.apiKeys.usageTitle} />
      {upgrade.isSuccess ? (
        <p role="status">{text.apiKeys.upgraded}</p>
      ) : email === null ? null : (
        <div>
          <Button disabled={upgrade.isPending} onClick={() => upgrade.mutate()}>
            {text.apiKeys.upgrade}
          </Button>
        </div>
      )}
      {upgrade.error === null ? null : <Failure error={upgrade.error} />}
    </section>
  );
}
