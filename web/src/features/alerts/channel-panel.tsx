import { useState } from "react";
import type { Channel } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Failure } from "../../components/failure.tsx";
import { Field, Form } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isApiError } from "../../lib/api.ts";
import { type ChannelKind, useChannelActions, useChannels } from "../../lib/channels.ts";
import { formatTime } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { PushPanel } from "./push-panel.tsx";
import { targetRefusal } from "./target-refusal.ts";

/** Where alerts are sent: each channel is verified before use, and can be tried and switched off. */
export function ChannelPanel() {
  const { text, language } = usePreferences();
  const channels = useChannels(true);
  const actions = useChannelActions();
  const { add, test, change, remove } = actions;
  const added = channels.data?.items.find(({ id }) => id === add.data?.id);
  const isDone = add.data?.status === "pending" && added?.status === "verified";
  const error = channels.error ?? test.error ?? change.error ?? remove.error;
  return (
    <section className="panel stack" aria-labelledby="channels">
      <h2 id="channels">{text.alerts.channelsTitle}</h2>
      <p className="soft">{text.alerts.channelsLead}</p>
      {error === null ? null : (
        <Failure
          error={error}
          onRetry={channels.error === null ? undefined : () => void channels.refetch()}
        />
      )}
      {add.data === undefined || (isDone && add.data.secret === null) ? null : (
        <Notice look="info" isLive>
          <div className="stack">
            {isDone ? null : <p>{add.data.verification}</p>}
            {add.data.secret === null ? null : (
              <div className="row">
                <span>{text.alerts.secret}:</span>
                <code className="address">{add.data.secret}</code>
                <CopyButton value={add.data.secret} />
              </div>
            )}
          </div>
        </Notice>
      )}
      {test.data === undefined ? null : test.data.status === "sent" ? (
        <p role="status">{text.alerts.tested}</p>
      ) : (
        <Notice look="warn" isLive>
          {test.data.error}
        </Notice>
      )}
      {channels.data === undefined ? (
        channels.error === null ? (
          <Skeleton height="6rem" />
        ) : null
      ) : (
        <>
          <PushPanel channels={channels.data} />
          <ul className="feed">
            {channels.data.items.map((channel) => (
              <Entry key={channel.id} channel={channel} actions={actions} />
            ))}
          </ul>
          <AddChannel
            kinds={channels.data.kinds.filter((kind) => kind !== "push")}
            onAdd={(kind, target) => add.mutateAsync({ kind, target })}
          />
        </>
      )}
      {channels.data === undefined || channels.data.dead_letters.length === 0 ? null : (
        <div className="stack">
          <h3>{text.alerts.deadTitle}</h3>
          <ul className="feed small">
            {channels.data.dead_letters.map(({ alert_id, kind, failed_at, error: reason }) => (
              <li key={`${alert_id}-${kind}`}>
                {formatTime(failed_at, language)}, {text.alerts.kinds[kind]}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

type EntryProps = {
  readonly channel: Channel;
  readonly actions: ReturnType<typeof useChannelActions>;
};

function Entry({ channel, actions }: EntryProps) {
  const { text } = usePreferences();
  const { id, kind, status, enabled } = channel;
  const target = kind === "push" ? new URL(channel.target).host : channel.target;
  const look = status === "verified" ? "good" : status === "failing" ? "bad" : "warn";
  return (
    <li className="feed-item">
      <div className="row spread">
        <div className="row">
          <strong>{text.alerts.kinds[kind]}</strong>
          <span className="address">{target}</span>
          <Badge look={look}>{text.alerts.states[status]}</Badge>
        </div>
        <div className="row">
          <label className="row">
            <input
              type="checkbox"
              checked={enabled}
              onChange={(event) => actions.change.mutate({ id, enabled: event.target.checked })}
            />
            {text.alerts.enabled}
          </label>
          <Button
            isSmall
            aria-label={`${status === "pending" ? text.alerts.codeAgain : text.alerts.test}: ${target}`}
            onClick={() => actions.test.mutate(id)}
          >
            {status === "pending" ? text.alerts.codeAgain : text.alerts.test}
          </Button>
          <Button
            isSmall
            look="quiet"
            aria-label={`${text.common.remove}: ${target}`}
            onClick={() => actions.remove.mutate(id)}
          >
            {text.common.remove}
          </Button>
        </div>
      </div>
      {status === "pending" && kind !== "push" ? (
        <VerifyForm onVerify={(code) => actions.verify.mutateAsync({ id, code })} name={target} />
      ) : null}
      {channel.last_error === null ? null : (
        <p className="small soft">
          {text.alerts.lastError}: {channel.last_error}
        </p>
      )}
    </li>
  );
}

type VerifyProps = {
  readonly name: string;
  readonly onVerify: (code: string) => Promise<unknown>;
};

function VerifyForm({ name, onVerify }: VerifyProps) {
  const { text } = usePreferences();
  const [code, setCode] = useState("");
  return (
    <Form
      className="verify-form"
      onSubmit={() => onVerify(code.trim())}
      failureOf={(error) => (isApiError(error, "invalid_body") ? text.alerts.codeRefused : null)}
    >
      {(isPending) => (
        <>
          <input
            className="mono"
            value={code}
            onChange={(event) => setCode(event.target.value)}
            aria-label={`${text.alerts.code}: ${name}`}
            placeholder={text.alerts.code}
            autoComplete="one-time-code"
            required
          />
          <Button type="submit" isSmall disabled={isPending}>
            {text.alerts.verify}
          </Button>
        </>
      )}
    </Form>
  );
}

type AddProps = {
  readonly kinds: readonly ChannelKind[];
  readonly onAdd: (kind: ChannelKind, target: string) => Promise<unknown>;
};

function AddChannel({ kinds, onAdd }: AddProps) {
  const { text } = usePreferences();
  const [kind, setKind] = useState<ChannelKind>("email");
  const [target, setTarget] = useState("");
  async function submit(): Promise<void> {
    await onAdd(kind, target.trim());
    // What was typed while the answer was on its way stays.
    setTarget((typed) => (typed === target ? "" : typed));
  }
  function failureOf(error: unknown): string | null {
    const refusal = isApiError(error, "invalid_body") ? targetRefusal(kind, target.trim()) : null;
    return refusal && text.alerts.refusals[refusal];
  }
  return (
    <Form className="line-form channel-form" onSubmit={submit} failureOf={failureOf}>
      {(isPending) => (
        <>
          <div className="field">
            <label htmlFor="channel-kind">{text.alerts.kind}</label>
            <select
              id="channel-kind"
              value={kind}
              onChange={(event) =>
                setKind(kinds.find((each) => each === event.target.value) ?? "email")
              }
            >
              {kinds.map((each) => (
                <option key={each} value={each}>
                  {text.alerts.kinds[each]}
                </option>
              ))}
            </select>
          </div>
          <Field
            id="channel-target"
            label={text.alerts.targets[kind]}
            required
            type={kind === "email" ? "email" : kind === "webhook" ? "url" : "text"}
            value={target}
            onChange={(event) => setTarget(event.target.value)}
            autoComplete="off"
          />
          <Button type="submit" disabled={isPending}>
            {text.alerts.add}
          </Button>
        </>
      )}
    </Form>
  );
}
