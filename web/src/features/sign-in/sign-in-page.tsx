import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { Field, Form } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { api, isApiError } from "../../lib/api.ts";
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
  // register makes the account where there is none, and mails the code either way.
  async function submit(): Promise<void> {
    await requestCode(email);
    tellStep("registro");
    onSent(email);
  }
  return (
    <Form onSubmit={submit}>
      {(isPending) => (
        <>
          <Field
            id="email"
            label={text.signIn.email}
            type="email"
            required
            autoComplete="email"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Button type="submit" look="primary" disabled={isPending}>
            {text.signIn.send}
          </Button>
        </>
      )}
    </Form>
  );
}

function requestCode(email: string): Promise<unknown> {
  return api("/api/oracle/register", { method: "POST", body: { email } });
}

type CodeProps = { readonly email: string; readonly onOther: () => void };

function CodeForm({ email, onOther }: CodeProps) {
  const { text } = usePreferences();
  const status = useStatus();
  const client = useQueryClient();
  const [code, setCode] = useState("");
  const again = useMutation({ mutationFn: () => requestCode(email) });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  async function submit(): Promise<void> {
    const body = { email, code: code.replaceAll(" ", "") };
    await api("/api/auth/sign-in", { method: "POST", body });
    await client.invalidateQueries();
    // "Back" leads to the page before, and not to this form.
    navigate(nextPath(window.location.search), { isReplacing: true });
  }
  return (
    <>
      <Notice look="info" isLive>
        <p>{text.signIn.sent(email)}</p>
        {status.data?.chain === "demo" ? <p className="small">{text.signIn.demoHint}</p> : null}
      </Notice>
      <Form
        onSubmit={submit}
        failureOf={(error) => (isApiError(error, "unauthorized") ? text.signIn.refused : null)}
      >
        {(isPending) => (
          <>
            <Field
              ref={field}
              id="code"
              label={text.signIn.code}
              className="mono"
              inputMode="numeric"
              autoComplete="one-time-code"
              pattern="[0-9 ]{6,9}"
              required
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
            <Button type="submit" look="primary" disabled={isPending}>
              {text.signIn.enter}
            </Button>
          </>
        )}
      </Form>
      <div className="row spread">
        <Button look="quiet" disabled={again.isPending} onClick={() => again.mutate()}>
          {text.signIn.again}
        </Button>
        <Button look="quiet" onClick={onOther}>
          {text.signIn.other}
        </Button>
      </div>
      {again.error === null ? null : <Failure error={again.error} />}
    </>
  );
}
