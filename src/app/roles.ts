import type { Config, Role } from "./config.ts";

/** A part of the service that a process can run. */
export type ProcessPart = "api" | "tracker" | "alerts";

/** The parts that a process of each role runs, if several processes share the service. */
const PARTS_OF_ROLE: Readonly<Record<Role, readonly ProcessPart[]>> = {
  all: ["api", "tracker", "alerts"],
  api: ["api"],
  tracker: ["tracker"],
  alerts: ["alerts"],
};

export function runs(role: Role, part: ProcessPart): boolean {
  return PARTS_OF_ROLE[role].includes(part);
}

/** What the processes of one service share: a Postgres database and a Redis server. */
export type SharedUrls = { readonly databaseUrl: string; readonly redisUrl: string };

/** Null if this process is the only one, and runs every part. */
export function sharedUrls({
  databaseUrl,
  redisUrl,
}: Pick<Config, "databaseUrl" | "redisUrl">): SharedUrls | null {
  return databaseUrl === null || redisUrl === null ? null : { databaseUrl, redisUrl };
}
