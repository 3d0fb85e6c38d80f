import { usePreferences } from "../lib/preferences.tsx";
import { useQuota } from "../lib/quota.ts";
import { Link } from "./link.tsx";

/** How many queries are left today: known before the limit is reached. */
export function QuotaLine() {
  const { text } = usePreferences();
  const quota = useQuota();
  if (quota === null) return null;
  const isLow = quota.remaining <= 1;
  return (
    <p className={`small figure ${isLow ? "stale" : "soft"}`}>
      {text.token.quota(String(quota.remaining), String(quota.limit))}{" "}
      <Link href="/api-keys">{text.token.plans}</Link>
    </p>
  );
}
