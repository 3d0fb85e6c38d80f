import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
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
        {isAsking ? null : <Button onClick={() => setIsAsking(true)}>{text.account.delete}</Button>}
      </div>
      {isAsking ? (
        <DeleteForm email={email} onDeleted={onDeleted} onCancel={() => setIsAsking(false)} />
      ) : null}
    </section>
  );
}

function DeleteForm({ email, onDeleted, onCancel }: Props & { readonly onCancel: () => void }) {
  const { text } = usePreferences();
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
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
              id="confirm-email"
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
            <Button look="quiet" onClick={onCancel}>
              {text.common.cancel}
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}
