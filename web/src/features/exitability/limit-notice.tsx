import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field, Form } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { type ApiError, api } from "../../lib/api.ts";
import { explain } from "../../lib/explain.ts";
import { tellStep } from "../../lib/funnel.ts";
import { signInPath } from "../../lib/next-path.ts";
import { useNowMs } from "../../lib/now.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useAddress } from "../../lib/router.ts";
import { useAccount } from "../../lib/session.ts";
import { isLimitOfMinute } from "./refusal.ts";

/** Queries are used up: those of a minute come back, and for those of a day something can be done. */
export function LimitNotice({ error }: { readonly error: ApiError }) {
  const { text } = usePreferences();
  const address = useAddress();
  const isAnonymous = typeof error.body.register_url === "string";
  return (
    <Notice look="warn" title={text.token.limitTitle} isLive>
      <div className="stack">
        <p>{explain(error, text)}</p>
        {isLimitOfMinute(error) ? (
          <Countdown untilMs={error.retryAtMs} />
        ) : isAnonymous ? (
          <Link
            className="button primary"
            href={signInPath(address)}
            onClick={() => tellStep("click_upgrade_desde_limite", { to: "register" })}
          >
            {text.token.limitRegister}
          </Link>
        ) : (
          <Waitlist />
        )}
      </div>
    </Notice>
  );
}

/** Read out once, with the notice, and not every second. */
function Countdown({ untilMs }: { readonly untilMs: number | null }) {
  const { text } = usePreferences();
  const nowMs = useNowMs();
  if (untilMs === null) return null;
  const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
  return (
    <p className="figure" aria-live="off">
      {text.token.limitAgain(String(seconds))}
    </p>
  );
}

/** A signed-in user's address is known; a visitor without one types it. */
function Waitlist() {
  const { text } = usePreferences();
  const account = useAccount();
  const [typed, setTyped] = useState("");
  const [isDone, setIsDone] = useState(false);
  const known = account.data?.email ?? null;
  async function submit(): Promise<void> {
    tellStep("click_upgrade_desde_limite", { to: "waitlist" });
    const body = { email: known ?? typed, origen: "limit" };
    await api("/api/oracle/waitlist", { method: "POST", body });
    tellStep("waitlist_email");
    setIsDone(true);
  }
  if (isDone) return <p role="status">{text.apiKeys.upgraded}</p>;
  return (
    <Form className="line-form waitlist" onSubmit={submit}>
      {(isPending) => (
        <>
          {known === null ? (
            <Field
              id="waitlist-email"
              label={text.signIn.email}
              type="email"
              required
              autoComplete="email"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          ) : null}
          <Button type="submit" look="primary" disabled={isPending}>
            {text.token.limitWaitlist}
          </Button>
        </>
      )}
    </Form>
  );
}
