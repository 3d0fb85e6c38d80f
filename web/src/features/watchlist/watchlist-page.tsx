import { useState } from "react";
import type { Account } from "#client/openapi.ts";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/choice.tsx";
import { Failure } from "../../components/failure.tsx";
import { ForMember } from "../../components/for-member.tsx";
import { Field, Form } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { MailConsent } from "../../components/mail-consent.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isApiError } from "../../lib/api.ts";
import { findMint } from "../../lib/find-mint.ts";
import { tellStep } from "../../lib/funnel.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useTitle } from "../../lib/title.ts";
import { useWatchlist, useWatchlistActions } from "../../lib/watchlist.ts";
import { noteOfSize, readSize } from "./read-size.ts";
import { type SortBy, sortItems } from "./sort-items.ts";
import { type EntryFailure, WatchlistTable } from "./watchlist-table.tsx";
import "./watchlist.css";

export function WatchlistPage() {
  const { text } = usePreferences();
  useTitle(text.watchlist.title);
  return (
    <div className="stack">
      <h1>{text.watchlist.title}</h1>
      <p className="soft prose">{text.watchlist.lead}</p>
      <ForMember sentence={text.watchlist.needSession} height="20rem">
        {(account) => <ListOf account={account} />}
      </ForMember>
    </div>
  );
}

function ListOf({ account }: { readonly account: Account }) {
  const { text } = usePreferences();
  const list = useWatchlist(true);
  const { add, change, remove } = useWatchlistActions();
  const [sortBy, setSortBy] = useState<SortBy>("urgency");
  const [failure, setFailure] = useState<EntryFailure | null>(null);
  /** What went wrong is shown at its entry until something else is done. */
  function run(id: number, action: Promise<unknown>): Promise<unknown> {
    setFailure(null);
    action.catch((error) => setFailure({ id, error }));
    return action;
  }
  const items = list.data?.items ?? [];
  const limit = account.limits.watchlist_tokens;
  const isFull = items.length >= limit;
  return (
    <>
      <AddForm
        isFull={isFull}
        onAdd={(mint, size_sol) => {
          setFailure(null);
          return add.mutateAsync({ mint, size_sol });
        }}
      />
      {list.error === null ? null : <Failure error={list.error} />}
      {items.length === 0 ? null : <MailConsent email={account.email} />}
      <section className="panel stack" aria-labelledby="watched">
        <div className="row spread">
          <h2 id="watched" className="figure" tabIndex={-1}>
            {text.apiKeys.plans.watched}
            {list.data === undefined ? "" : `: ${text.apiKeys.usage(items.length, limit)}`}
          </h2>
          <Choice
            label={text.watchlist.sort}
            value={sortBy}
            options={[
              { value: "urgency", label: text.watchlist.sorts.urgency },
              { value: "score", label: text.watchlist.sorts.score },
              { value: "added", label: text.watchlist.sorts.added },
            ]}
            onChange={setSortBy}
          />
        </div>
        {list.data === undefined ? (
          list.error === null ? (
            <Skeleton height="10rem" />
          ) : null
        ) : items.length === 0 ? (
          <p className="soft">{text.watchlist.empty}</p>
        ) : (
          <WatchlistTable
            items={sortItems(items, sortBy)}
            failure={failure}
            onChange={(entry) => void run(entry.id, change.mutateAsync(entry))}
            onRemove={(id) => run(id, remove.mutateAsync(id))}
          />
        )}
      </section>
    </>
  );
}

type AddProps = {
  readonly isFull: boolean;
  readonly onAdd: (mint: string, size: number) => Promise<unknown>;
};

function AddForm({ isFull, onAdd }: AddProps) {
  const { text, language } = usePreferences();
  const [mint, setMint] = useState("");
  const [size, setSize] = useState("1");
  const [wrong, setWrong] = useState<{ mint?: string; size?: string }>({});
  async function submit(): Promise<void> {
    const written = readSize(size, language, text);
    const found = findMint(mint);
    setWrong(
      found === null
        ? { mint: text.home.invalid }
        : written.sol === null
          ? { size: written.wrong }
          : {},
    );
    if (found === null || written.sol === null) return;
    await onAdd(found, written.sol);
    // What was typed while the answer was on its way stays.
    setMint((typed) => (typed === mint ? "" : typed));
  }
  return (
    <div className="panel stack">
      <Form
        className="line-form add-form"
        onSubmit={submit}
        failureOf={(error) => (isApiError(error, "duplicate") ? text.watchlist.duplicate : null)}
      >
        {(isPending) => (
          <>
            <Field
              id="watch-mint"
              label={text.common.mint}
              className="mono"
              value={mint}
              disabled={isFull}
              onChange={(event) => setMint(event.target.value)}
              autoComplete="off"
              spellCheck={false}
              wrong={wrong.mint ?? null}
            />
            <Field
              id="watch-size"
              label={text.watchlist.size}
              inputMode="decimal"
              value={size}
              disabled={isFull}
              onChange={(event) => setSize(event.target.value)}
              wrong={wrong.size ?? null}
              note={noteOfSize(size, language, text)}
            />
            <Button type="submit" look="primary" disabled={isFull || isPending}>
              {text.watchlist.add}
            </Button>
          </>
        )}
      </Form>
      {isFull ? (
        <p className="row">
          <span>{text.token.watchFull}</span>
          <Link
            href="/api-keys"
            onClick={() => tellStep("click_upgrade_desde_limite", { to: "plan" })}
          >
            {text.apiKeys.upgrade}
          </Link>
        </p>
      ) : null}
    </div>
  );
}
