import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Account } from "#client/openapi.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { NeedSession } from "../../components/need-session.tsx";
import { Notice } from "../../components/notice.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { api } from "../../lib/api.ts";
import { formatDay } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useAccount } from "../../lib/session.ts";
import { useTitle } from "../../lib/title.ts";
import { OwnData } from "./own-data.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import "./account.css";

/** Who one is here, from where one is signed in, and what is kept. */
export function AccountPage() {
  const { text } = usePreferences();
  useTitle(text.account.title);
  const account = useAccount();
  const [isDeleted, setIsDeleted] = useState(false);
  return (
    <div className="stack">
      <h1>{text.account.title}</h1>
      {isDeleted ? (
        <Notice look="info" isLive>
          {text.account.deleted}
        </Notice>
      ) : account.data === undefined ? (
        <Skeleton height="24rem" />
      ) : account.data === null ? (
        <NeedSession sentence={text.account.needSession} />
      ) : (
        <>
          <Identity account={account.data} />
          <SessionsPanel />
          <OwnData email={account.data.email} onDeleted={() => setIsDeleted(true)} />
        </>
      )}
    </div>
  );
}

function Identity({ account }: { readonly account: Account }) {
  const { text, language } = usePreferences();
  const client = useQueryClient();
  function signOut(): void {
    void api("/api/auth/sign-out", { method: "POST" }).finally(() => {
      void client.resetQueries();
    });
  }
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
      <Button onClick={signOut}>{text.account.signOut}</Button>
    </section>
  );
}
