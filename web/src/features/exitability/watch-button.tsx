import { useEffect, useRef, useState } from "react";
import type { Account } from "#client/openapi.ts";
import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { explain } from "../../lib/explain.ts";
import { formatSol } from "../../lib/format.ts";
import { tellStep } from "../../lib/funnel.ts";
import { signInPath } from "../../lib/next-path.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { pathWithSearch } from "../../lib/router.ts";
import { useAccount } from "../../lib/session.ts";
import { useWatchlist, useWatchlistActions } from "../../lib/watchlist.ts";
import { wasAskedFor } from "./mail-row.tsx";
import { type Sale, saleSearch } from "./token-search.ts";
import { keepWish, takeWish } from "./watch-wish.ts";

type Props = {
  readonly mint: string;
  readonly sale: Sale;
  /** The size on the page; null while it is not known in SOL. */
  readonly sizeSol: number | null;
};

/** Puts the token on the reader's watchlist at the size on the page, or shows that it is there. */
export function WatchButton({ mint, sale, sizeSol }: Props) {
  const { text } = usePreferences();
  const account = useAccount();
  const [wasWatched] = useState(() => wasAskedFor(mint));
  const [wishSol] = useState(() => takeWish(mint));
  // As wide as what comes in its place.
  const look = wasWatched ? "watch kept" : "watch";
  if (account.data === undefined) {
    return (
      <div className={look}>
        <Button disabled>{text.token.watch}</Button>
      </div>
    );
  }
  if (account.data === null) {
    // After signing in the page shows the same sale, and finishes what was begun here.
    const next = pathWithSearch(`/token/${mint}`, saleSearch(sale));
    return (
      <Link className="button" href={signInPath(next)} onClick={() => keepWish(mint, sizeSol)}>
        {text.token.watch}
      </Link>
    );
  }
  return (
    <MemberButton
      mint={mint}
      sizeSol={sizeSol}
      account={account.data}
      waitingLook={look}
      wishSol={wishSol}
    />
  );
}

type MemberProps = Omit<Props, "sale"> & {
  readonly account: Account;
  readonly waitingLook: string;
  /** The size at which the reader asked to watch the token before signing in. */
  readonly wishSol: number | null;
};

function MemberButton({ mint, sizeSol, account, waitingLook, wishSol }: MemberProps) {
  const { text, language } = usePreferences();
  const list = useWatchlist(true);
  const { add } = useWatchlistActions();
  const isDone = useRef(false);
  const items = list.data?.items ?? [];
  const entry = items.find((item) => item.mint === mint);
  const isFull = items.length >= account.limits.watchlist_tokens;
  useEffect(() => {
    if (wishSol === null || list.data === undefined || isDone.current) return;
    isDone.current = true;
    if (entry === undefined && !isFull) add.mutate({ mint, size_sol: wishSol });
  }, [wishSol, list.data, entry, isFull, mint, add]);
  if (entry !== undefined) {
    return (
      <Link className="button" href="/watchlist">
        <span aria-hidden="true">✓</span> {text.token.watching} ·{" "}
        {formatSol(entry.size_sol, language)}
      </Link>
    );
  }
  if (isFull) {
    return (
      <div className="watch">
        <p className="small soft">{text.token.watchFull}</p>
        <Link
          className="button"
          href="/watchlist"
          onClick={() => tellStep("click_upgrade_desde_limite", { to: "watchlist" })}
        >
          {text.app.watchlist}
        </Link>
      </div>
    );
  }
  return (
    <div className={list.data === undefined ? waitingLook : "watch"}>
      {add.error === null ? null : (
        <span className="field-error" role="alert">
          {explain(add.error, text)}
        </span>
      )}
      <Button
        look="primary"
        disabled={list.data === undefined || add.isPending || sizeSol === null}
        onClick={() => add.mutate({ mint, size_sol: sizeSol ?? 1 })}
      >
        {text.token.watch}
      </Button>
    </div>
  );
}
