import { hasWorkingChannel, useChannelActions, useChannels } from "../lib/channels.ts";
import { explain } from "../lib/explain.ts";
import { usePreferences } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";

/** Alerts that go nowhere yet: one tap has them mailed to the address that signed in. */
export function MailConsent({ email }: { readonly email: string | null }) {
  const { text } = usePreferences();
  const channels = useChannels(true);
  const { add } = useChannelActions();
  if (channels.data === undefined || email === null) return null;
  if (add.isSuccess)
    return (
      <p className="small" role="status">
        <span aria-hidden="true">✓ </span>
        {text.alerts.mailAgreed(email)}
      </p>
    );
  if (hasWorkingChannel(channels.data)) return null;
  return (
    <div className="mail-consent">
      <p className="small">{text.alerts.mailAsk}</p>
      <Button
        look="primary"
        isSmall
        disabled={add.isPending}
        onClick={() => add.mutate({ kind: "email", target: email })}
      >
        {text.alerts.mailAgree(email)}
      </Button>
      {add.error === null ? null : (
        <p className="field-error" role="alert">
          {explain(add.error, text)}
        </p>
      )}
    </div>
  );
}
