import { useSyncExternalStore } from "react";
import { serverNowMs } from "./connection.ts";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let nowMs = 0;

function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => {
    nowMs = serverNowMs();
    for (const listener of listeners) listener();
  }, TICK_MS);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** The time by the service's clock, read again each second. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => {
    // The first reader of a second, and one after a pause, reads the clock.
    if (Math.abs(serverNowMs() - nowMs) > TICK_MS) nowMs = serverNowMs();
    return nowMs;
  });
}
