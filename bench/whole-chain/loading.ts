import { setTimeout as delay } from "node:timers/promises";
import { ask, type KeyRing } from "./ask.ts";
import { readMetrics, trackedFigures } from "./service-metrics.ts";

/**
 * Loading ends with this share, once each token in use was asked for and little is waiting at two checks; or when
 * nothing has been added for so long.
 */
const LOADED = { share: 0.988, unchangedSeconds: 40, mostWaiting: 100, quietChecks: 2 };
const CHECK_EVERY_MS = 5_000;
const ASKED_AT_ONCE = 16;

export type LoadingFigures = { readonly seconds: number } & ReturnType<typeof trackedFigures>;

/**
 * Waits until the service follows the chain's tokens and has searched those in use.
 *
 * @returns what is missing if that did not happen in time; null: nothing
 */
export async function allLoaded({
  metricsUrl,
  tokens,
  mostMinutes,
  onLoaded,
  onProgress,
}: {
  readonly metricsUrl: string;
  /** Tokens of the chain. */
  readonly tokens: number;
  readonly mostMinutes: number;
  /** Called once all tokens are followed: asks for those in use. */
  readonly onLoaded: () => Promise<void>;
  readonly onProgress: (figures: LoadingFigures) => void;
}): Promise<string | null> {
  const startedMs = performance.now();
  let grown = { tokens: 0, atMs: startedMs };
  let quietChecks = 0;
  const asking = { hasBegun: false, hasEnded: false };
  for (;;) {
    await delay(CHECK_EVERY_MS);
    const tracked = trackedFigures(await readMetrics(metricsUrl));
    const nowMs = performance.now();
    onProgress({ seconds: Math.round((nowMs - startedMs) / 1_000), ...tracked });
    const count = tracked.tokens ?? 0;
    const isLoaded = count >= LOADED.share * tokens;
    if (isLoaded && !asking.hasBegun) {
      asking.hasBegun = true;
      void onLoaded().finally(() => {
        asking.hasEnded = true;
      });
    }
    const { waitingTokens, waitingPools, waitingSearches } = tracked;
    const waiting = (waitingTokens ?? 0) + (waitingPools ?? 0) + (waitingSearches ?? 0);
    const isQuiet = waiting <= LOADED.mostWaiting;
    quietChecks = asking.hasEnded && isQuiet ? quietChecks + 1 : 0;
    if (quietChecks >= LOADED.quietChecks) return null;
    if (count > grown.tokens) grown = { tokens: count, atMs: nowMs };
    const isStuck = !isLoaded && nowMs - grown.atMs > LOADED.unchangedSeconds * 1_000;
    if (nowMs - startedMs > mostMinutes * 60_000 || isStuck)
      return `${count} of ${tokens} tokens were loaded, and ${waitingSearches} searches wait`;
  }
}

/** The service is measured in use: a first request for a token, which searches its pools, is not repeated. */
export async function askEachOnce(
  url: string,
  mints: readonly string[],
  keys: KeyRing,
): Promise<void> {
  const left = [...mints];
  const askNext = async (): Promise<void> => {
    for (let mint = left.pop(); mint !== undefined; mint = left.pop())
      await ask(url, mint, keys.next()).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askNext));
}
