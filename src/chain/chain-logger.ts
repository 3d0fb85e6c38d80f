import type { Logger } from "pino";

/** The log of this folder. It gets hosts, never whole URLs: these often hold the provider's key. */
export type ChainLogger = Pick<Logger, "debug" | "info" | "warn" | "error">;

/** What a log may say of an endpoint: its path, query and user often hold the provider's key. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "an endpoint whose URL can't be parsed";
}
