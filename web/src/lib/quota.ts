import { useSyncExternalStore } from "react";

/** What is left of a limit that counts by the day; null while unknown, or where there is none. */
export type Quota = { readonly limit: number; readonly remaining: number };

/** Larger limits are those of a minute, which no reader reaches. */
const LARGEST_DAILY = 10;
const listeners = new Set<() => void>();
let quota: Quota | null = null;

/** Takes the headers of an answer about the caller's limit. */
export function recordQuota(headers: Headers): void {
  const [limit, remaining] = [
    Number(headers.get("x-ratelimit-limit") ?? Number.NaN),
    Number(headers.get("x-ratelimit-remaining") ?? Number.NaN),
  ];
  if (Number.isNaN(limit) || Number.isNaN(remaining)) return;
  const isSame = quota?.limit === limit && quota.remaining === remaining;
  if (isSame) return;
  quota = limit <= LARGEST_DAILY ? { limit, remaining } : null;
  for (const listener of listeners) listener();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

export function useQuota(): Quota | null {
  return useSyncExternalStore(subscribe, () => quota);
}
