import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field, Form } from "../../components/form.tsx";
import { api } from "../../lib/api.ts";
import { usePreferences } from "../../lib/preferences.tsx";

type Props = {
  /** What has to be typed before the account is deleted; null where it has no address. */
  readonly email: string | null;
  readonly onDeleted: () => void;
};

/** Take everything along, or have it deleted. */
export function OwnData({ email, onDeleted }: Props) {
  const { text } = usePreferences();
  const [isAsking, setIsAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    if (wasAsking.current && !isAsking) button.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  return (
    <section className="panel stack" aria-labelledby="own-data">
      <h2 id="own-data">{text.account.dataTitle}</h2>
      <div className="row spread">
        <p className="prose">{text.account.exportLead}</p>
        <a className="button" href="/api/account/export" download="exitability-account.json">
          {text.account.export}
        </a>
      </div>
      <div className="row spread">
        <p className="prose">{text.account.deleteLead}</p>
        {isAsking ? null : (
          <Button ref={button} onClick={() => setIsAsking(true)}>
            {text.account.delete}
          </Button>
        )}
      </div>
      {isAsking ? (
        <DeleteForm email={email} onDeleted={onDeleted} onCancel={() => setIsAsking(false)} />
      ) : null}
    </section>
  );
}

/** Takes the focus from the button that it replaces; Escape or "cancel" leads back to it. */
function DeleteForm({ email, onDeleted, onCancel }: Props & { readonly onCancel: () => void }) {
  const { text } = usePreferences();
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => (field.current ?? cancel.current)?.focus(), []);
  function leave(event: KeyboardEvent): void {
    if (event.key === "Escape") onCancel();
  }
  const isConfirmed = email === null || typed.trim().toLowerCase() === email.toLowerCase();
  async function submit(): Promise<void> {
    if (!isConfirmed) return;
    await api("/api/account", { method: "DELETE" });
    onDeleted();
    await client.resetQueries();
  }
  return (
    <Form onSubmit={submit}>
      {(isPending) => (
        <>
          {email === null ? null : (
            <Field
              ref={field}
              id="confirm-email"
              onKeyDown={leave}
              label={text.account.deleteConfirm}
              type="email"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          <div className="row">
            <Button type="submit" look="primary" disabled={!isConfirmed || isPending}>
              {text.account.delete}
            </Button>
            <Button ref={cancel} look="quiet" onClick={onCancel} onKeyDown={leave}>
              {text.common.cancel}
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}
