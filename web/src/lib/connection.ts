import { useSyncExternalStore } from "react";

/** Whether the service can be reached, as the last requests of this tab found it. */
export type Connection = "fine" | "offline" | "unreachable";

const listeners = new Set<() => void>();
let hasFailed = false;
let serverAheadMs = 0;

/** A clock this far from the service's own is corrected; less is within the header's precision. */
const NOTICEABLE_SKEW_MS = 3_000;

function publish(): void {
  for (const listener of listeners) listener();
}

/**
 * Records that the service answered what was asked for at `sentMs`, and by how much its clock is ahead of
 * this one: by nothing where it answered at any time since.
 */
export function recordReached(date: string | null, sentMs: number): void {
  const skewMs = date === null ? 0 : beyond(Date.parse(date), sentMs, Date.now());
  serverAheadMs = Math.abs(skewMs) > NOTICEABLE_SKEW_MS ? skewMs : 0;
  if (!hasFailed) return;
  hasFailed = false;
  publish();
}

/** By how much a time is before or after a period. */
function beyond(timeMs: number, fromMs: number, toMs: number): number {
  return Math.min(0, timeMs - fromMs) + Math.max(0, timeMs - toMs);
}

/** Records that the service could not be reached, or did not answer in time. */
export function recordUnreachable(): void {
  if (hasFailed) return;
  hasFailed = true;
  publish();
}

/** Milliseconds since the epoch by the service's clock. */
export function serverNowMs(): number {
  return Date.now() + serverAheadMs;
}

export function connectionNow(): Connection {
  if (!navigator.onLine) return "offline";
  return hasFailed ? "unreachable" : "fine";
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  window.addEventListener("online", onChange);
  window.addEventListener("offline", onChange);
  return () => {
    listeners.delete(onChange);
    window.removeEventListener("online", onChange);
    window.removeEventListener("offline", onChange);
  };
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connectionNow);
}
