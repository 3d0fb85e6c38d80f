import { useState } from "react";
import type { Channels } from "#client/openapi.ts";
import { Button } from "../../components/button.tsx";
import { useChannelActions } from "../../lib/channels.ts";
import { explain } from "../../lib/explain.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { canPush, subscribe, unsubscribe, useOwnEndpoint } from "../../lib/push.ts";

type Problem = { readonly text: string };

/** Notifications of this browser, on request only; where they can't be had, the reason. */
export function PushPanel({ channels }: { readonly channels: Channels }) {
  const { text } = usePreferences();
  const words = text.alerts.push;
  const { add, remove } = useChannelActions();
  const [endpoint, setEndpoint] = useOwnEndpoint();
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { items, push_key: key } = channels;
  const own = items.find(({ kind, target }) => kind === "push" && target === endpoint) ?? null;

  function run(action: () => Promise<Problem | null>): void {
    setIsPending(true);
    setProblem(null);
    void action()
      .catch((): Problem => ({ text: words.unreachable }))
      .then(setProblem)
      .finally(() => setIsPending(false));
  }
  async function switchOn(applicationKey: string): Promise<Problem | null> {
    const subscription = await subscribe(applicationKey);
    if (subscription === null) return { text: words.denied };
    try {
      await add.mutateAsync({ kind: "push", target: JSON.stringify(subscription) });
      setEndpoint(subscription.endpoint);
      return null;
    } catch (error) {
      await subscription.unsubscribe();
      return { text: explain(error, text) };
    }
  }
  async function switchOff(id: string): Promise<Problem | null> {
    await unsubscribe();
    await remove.mutateAsync(id);
    setEndpoint(null);
    return null;
  }

  const refusal = key === null ? words.unset : canPush() ? null : words.unsupported;
  const state = own === null ? words.lead : own.status === "pending" ? words.waiting : words.isOn;
  return (
    <div className="push-panel">
      <div>
        <h3>{words.title}</h3>
        <p className="small soft" role="status">
          {refusal ?? state}
        </p>
        {problem === null ? null : (
          <p className="field-error" role="alert">
            {problem.text}
          </p>
        )}
      </div>
      {key === null || refusal !== null ? null : own === null ? (
        <Button look="primary" disabled={isPending} onClick={() => run(() => switchOn(key))}>
          {words.on}
        </Button>
      ) : (
        <Button disabled={isPending} onClick={() => run(() => switchOff(own.id))}>
          {words.off}
        </Button>
      )}
    </div>
  );
}
