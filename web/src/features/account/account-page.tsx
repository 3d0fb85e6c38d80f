import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Account } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { ForMember } from "../../components/for-member.tsx";
import { Notice } from "../../components/notice.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { api } from "../../lib/api.ts";
import { formatDay } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useTitle } from "../../lib/title.ts";
import { OwnData } from "./own-data.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import "./account.css";

/** Who one is here, from where one is signed in, and what is kept. */
export function AccountPage() {
  const { text } = usePreferences();
  useTitle(text.account.title);
  const [isDeleted, setIsDeleted] = useState(false);
  return (
    <div className="stack">
      <h1>{text.account.title}</h1>
      {isDeleted ? (
        <Notice look="info" isLive>
          {text.account.deleted}
        </Notice>
      ) : (
        <ForMember sentence={text.account.needSession} height="24rem">
          {(account) => (
            <>
              <Identity account={account} />
              <SessionsPanel />
              <OwnData email={account.email} onDeleted={() => setIsDeleted(true)} />
            </>
          )}
        </ForMember>
      )}
    </div>
  );
}

function Identity({ account }: { readonly account: Account }) {
  const { text, language } = usePreferences();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => api("/api/auth/sign-out", { method: "POST" }),
    onSuccess: () => client.resetQueries(),
  });
  return (
    <section className="panel row spread" aria-label={text.account.title}>
      <dl className="identity">
        <div>
          <dt>{text.account.email}</dt>
          <dd>{account.email ?? <Unknown />}</dd>
        </div>
        <div>
          <dt>{text.account.tier}</dt>
          <dd>
            <Badge>{account.tier}</Badge>
          </dd>
        </div>
        <div>
          <dt>{text.account.since}</dt>
          <dd>{formatDay(account.created_at, language)}</dd>
        </div>
      </dl>
      <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        {text.account.signOut}
      </Button>
      {signOut.error === null ? null : <Failure error={signOut.error} />}
    </section>
  );
}
