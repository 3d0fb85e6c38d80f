import { type FormEvent, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { type ApiError, api } from "../../lib/api.ts";
import { explain } from "../../lib/explain.ts";
import { tellStep } from "../../lib/funnel.ts";
import { usePreferences } from "../../lib/preferences.tsx";

/** The day's queries are used up: what can be done about it. */
export function LimitNotice({ error }: { readonly error: ApiError }) {
  const { text } = usePreferences();
  const isAnonymous = typeof error.body.register_url === "string";
  return (
    <Notice look="warn" title={text.token.limitTitle} isLive>
      <div className="stack">
        <p>{explain(error, text)}</p>
        {isAnonymous ? (
          <Link
            className="button primary"
            href="/sign-in"
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

function Waitlist() {
  const { text } = usePreferences();
  const [email, setEmail] = useState("");
  const [isDone, setIsDone] = useState(false);
  function submit(event: FormEvent): void {
    event.preventDefault();
    tellStep("click_upgrade_desde_limite", { to: "waitlist" });
    const body = { email, origen: "limit" };
    void api("/api/oracle/waitlist", { method: "POST", body }).then(() => {
      tellStep("waitlist_email");
      setIsDone(true);
    });
  }
  if (isDone) return <p role="status">{text.token.limitWaitlisted}</p>;
  return (
    <form className="row" onSubmit={submit}>
      <div className="field">
        <label htmlFor="waitlist-email">{text.token.email}</label>
        <input
          id="waitlist-email"
          type="email"
          required
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      <Button type="submit" look="primary">
        {text.token.limitWaitlist}
      </Button>
    </form>
  );
}
