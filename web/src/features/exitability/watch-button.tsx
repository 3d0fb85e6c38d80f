import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { explain } from "../../lib/explain.ts";
import { tellStep } from "../../lib/funnel.ts";
import { signInPath } from "../../lib/next-path.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { type Account, useAccount } from "../../lib/session.ts";
import { useWatchlist, useWatchlistActions } from "../../lib/watchlist.ts";

const FIRST_SIZE_SOL = 1;

/** Puts the token on the reader's watchlist, or says that it is there. */
export function WatchButton({ mint }: { readonly mint: string }) {
  const { text } = usePreferences();
  const account = useAccount();
  if (account.data === undefined) return <Button disabled>{text.token.watch}</Button>;
  if (account.data === null) {
    return (
      <Link className="button" href={signInPath(`/token/${mint}`)}>
        {text.token.watch}
      </Link>
    );
  }
  return <MemberButton mint={mint} account={account.data} />;
}

function MemberButton({ mint, account }: { readonly mint: string; readonly account: Account }) {
  const { text } = usePreferences();
  const list = useWatchlist(true);
  const { add } = useWatchlistActions();
  const items = list.data?.items ?? [];
  if (items.some((item) => item.mint === mint)) {
    return (
      <Link className="button" href="/watchlist">
        <span aria-hidden="true">✓</span> {text.token.watching}
      </Link>
    );
  }
  if (items.length >= account.limits.watchlist_tokens) {
    return (
      <Link
        className="button"
        href="/watchlist"
        onClick={() => tellStep("click_upgrade_desde_limite", { to: "watchlist" })}
      >
        {text.token.watchFull}
      </Link>
    );
  }
  return (
    <>
      {add.error === null ? null : (
        <span className="field-error" role="alert">
          {explain(add.error, text)}
        </span>
      )}
      <Button
        look="primary"
        disabled={list.data === undefined || add.isPending}
        onClick={() => add.mutate({ mint, size_sol: FIRST_SIZE_SOL })}
      >
        {text.token.watch}
      </Button>
    </>
  );
}
