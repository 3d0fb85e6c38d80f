import type { Logger } from "pino";

/** What this folder logs with: never a URL, which often holds the provider's key. */
export type ChainLogger = Pick<Logger, "debug" | "info" | "warn">;
