import { useEffect, useState } from "react";
import { MailConsent } from "../../components/mail-consent.tsx";
import { hasWorkingChannel, useChannels } from "../../lib/channels.ts";
import { keep, readKept } from "../../lib/kept.ts";
import { useAccount } from "../../lib/session.ts";
import { useWatchlist } from "../../lib/watchlist.ts";

/** The watched tokens whose pages asked at the last visit. */
const ASKED_NAME = "mail-asked";

/** Whether the token was watched, and its page asked, at the last visit. */
export function wasAskedFor(mint: string): boolean {
  return readKept(ASKED_NAME)?.split(",").includes(mint) ?? false;
}

/**
 * Below the answer for a watched token, while its alerts go nowhere. Where it was asked before, its place
 * is kept until that is known again, so that nothing moves when it arrives.
 */
export function MailRow({ mint }: { readonly mint: string }) {
  const account = useAccount().data;
  const isMember = account !== undefined && account !== null;
  const items = useWatchlist(isMember).data?.items;
  const channels = useChannels(isMember).data;
  const [wasAsked] = useState(() => wasAskedFor(mint));
  const isKnown = account === null || (items !== undefined && channels !== undefined);
  const isAsked = channels !== undefined && !hasWorkingChannel(channels);
  const watched = (items ?? []).map((item) => item.mint).join();
  useEffect(() => {
    if (isKnown) keep(ASKED_NAME, isAsked ? watched : "");
  }, [isKnown, isAsked, watched]);
  const isWatched = watched.split(",").includes(mint);
  if (isKnown ? !isWatched : !wasAsked) return null;
  return (
    <div className={isKnown ? "mail-row" : "mail-row kept"}>
      {isKnown && isMember ? <MailConsent email={account.email} /> : null}
    </div>
  );
}
