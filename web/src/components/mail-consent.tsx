import { hasWorkingChannel, isWorking, useChannelActions, useChannels } from "../lib/channels.ts";
import { usePreferences } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";

/** Alerts that go nowhere yet: one tap has them mailed to the address that signed in. */
export function MailConsent({ email }: { readonly email: string | null }) {
  const { text } = usePreferences();
  const channels = useChannels(true);
  const { add, change } = useChannelActions();
  if (channels.data === undefined || email === null) return null;
  const own = channels.data.items.find(({ kind, target }) => kind === "email" && target === email);
  const error = add.error ?? change.error;
  // Agreed here, as long as the channel is there and on.
  if ((add.isSuccess || change.isSuccess) && own !== undefined && isWorking(own))
    return (
      <p className="small" role="status">
        <span aria-hidden="true">✓ </span>
        {text.alerts.mailAgreed(email)}
      </p>
    );
  if (hasWorkingChannel(channels.data)) return null;
  // A channel that is switched off can't be added again.
  const agree = () =>
    own?.enabled === false
      ? change.mutate({ id: own.id, enabled: true })
      : add.mutate({ kind: "email", target: email });
  return (
    <div className="mail-consent">
      <p className="small">{text.alerts.mailAsk}</p>
      <Button look="primary" isSmall disabled={add.isPending || change.isPending} onClick={agree}>
        {text.alerts.mailAgree(email)}
      </Button>
      {error === null ? null : <Failure error={error} />}
    </div>
  );
}
