import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { Notice } from "../../components/notice.tsx";
import { api } from "../../lib/api.ts";
import { tellStep } from "../../lib/funnel.ts";
import { nextPath } from "../../lib/next-path.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { navigate } from "../../lib/router.ts";
import { useStatus } from "../../lib/status.ts";
import { useTitle } from "../../lib/title.ts";

/** Signing in by a mailed code: the address first, then the code. */
export function SignInPage() {
  const { text } = usePreferences();
  useTitle(text.signIn.title);
  const [email, setEmail] = useState<string | null>(null);
  return (
    <div className="stack narrow">
      <h1>{text.signIn.title}</h1>
      <p className="soft">{text.signIn.lead}</p>
      <div className="panel stack">
        {email === null ? (
          <EmailForm onSent={setEmail} />
        ) : (
          <CodeForm email={email} onOther={() => setEmail(null)} />
        )}
      </div>
    </div>
  );
}

function EmailForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const { text } = usePreferences();
  const [email, setEmail] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isSending, setIsSending] = useState(false);
  function submit(event: FormEvent): void {
    event.preventDefault();
    setIsSending(true);
    // register makes the account where there is none, and mails the code either way.
    api("/api/oracle/register", { method: "POST", body: { email } })
      .then(() => {
        tellStep("registro");
        onSent(email);
      })
      .catch(setError)
      .finally(() => setIsSending(false));
  }
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor="email">{text.signIn.email}</label>
        <input
          id="email"
          type="email"
          required
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      {error === null ? null : <Failure error={error} />}
      <Button type="submit" look="primary" disabled={isSending}>
        {text.signIn.send}
      </Button>
    </form>
  );
}

type CodeProps = { readonly email: string; readonly onOther: () => void };

function CodeForm({ email, onOther }: CodeProps) {
  const { text } = usePreferences();
  const status = useStatus();
  const client = useQueryClient();
  const [code, setCode] = useState("");
  const [error, setError] = useState<unknown>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  function submit(event: FormEvent): void {
    event.preventDefault();
    api("/api/auth/sign-in", { method: "POST", body: { email, code: code.trim() } })
      .then(async () => {
        await client.invalidateQueries();
        navigate(nextPath(window.location.search));
      })
      .catch(setError);
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Notice look="info" isLive>
        <p>{text.signIn.sent}</p>
        {status.data?.chain === "demo" ? <p className="small">{text.signIn.demoHint}</p> : null}
      </Notice>
      <div className="field">
        <label htmlFor="code">{text.signIn.code}</label>
        <input
          ref={field}
          id="code"
          className="mono"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9 ]{6,9}"
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </div>
      {error === null ? null : <Failure error={error} />}
      <Button type="submit" look="primary">
        {text.signIn.enter}
      </Button>
      <Button look="quiet" onClick={onOther}>
        {text.signIn.other}
      </Button>
    </form>
  );
}
