import { forgetAccessChangesBefore } from "#src/store/access-changes.ts";
import { forgetApiKeyUsesBefore } from "#src/store/api-keys.ts";
import type { Store } from "#src/store/schema.ts";
import { deleteExpiredSessions } from "#src/store/sessions.ts";
import { forgetCodesSent } from "#src/store/sign-in-requests.ts";
import { forgetUsageBefore } from "#src/store/usage.ts";
import { dayOf } from "./quotas.ts";

const KEEP_USAGE_DAYS = 2;
const KEEP_ACCESS_CHANGES_MS = 3_600_000;

/** Drops what has served: counters of past days (addresses among them), ended sessions, old limits. */
export async function tidyUp(store: Store, nowMs: number): Promise<void> {
  await forgetUsageBefore(store.db, dayOf(nowMs) - KEEP_USAGE_DAYS);
  await forgetApiKeyUsesBefore(store.db, dayOf(nowMs) - KEEP_USAGE_DAYS);
  await forgetCodesSent(store.db, nowMs);
  await deleteExpiredSessions(store, nowMs);
  await forgetAccessChangesBefore(store.db, nowMs - KEEP_ACCESS_CHANGES_MS);
}
