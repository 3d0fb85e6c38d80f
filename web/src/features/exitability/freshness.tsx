import { useEffect, useState } from "react";
import { formatAge, formatTime } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";

const STALE_SECONDS = 30;

/** Age of the chain state, counting up until a newer one arrives. */
export function Freshness({ updatedAt }: { readonly updatedAt: string }) {
  const { text, language } = usePreferences();
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const ageSeconds = (nowMs - Date.parse(updatedAt)) / 1_000;
  const isStale = ageSeconds > STALE_SECONDS;
  return (
    <span className={`small figure ${isStale ? "stale" : "soft"}`}>
      {isStale ? `${text.token.stale}. ` : ""}
      {text.token.measured}{" "}
      <time dateTime={updatedAt} title={formatTime(updatedAt, language)}>
        {formatAge(ageSeconds)}
      </time>
      {text.token.ago}
    </span>
  );
}
