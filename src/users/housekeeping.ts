import { dayOf, MS_PER_DAY } from "#src/platform/clock.ts";
import { deleteAccessChangesBefore } from "#src/store/access-changes.ts";
import { deleteApiKeyUsesBefore } from "#src/store/api-keys.ts";
import { deleteOldEvents } from "#src/store/events.ts";
import type { Store } from "#src/store/schema.ts";
import { deleteExpiredSessions } from "#src/store/sessions.ts";
import { deleteExpiredCodes } from "#src/store/sign-in-codes.ts";
import { deleteOldCodesSent } from "#src/store/sign-in-requests.ts";
import { deleteUsageBefore } from "#src/store/usage.ts";

const KEEP_USAGE_DAYS = 2;
const KEEP_EVENTS_MS = 400 * MS_PER_DAY;
const MOST_EVENTS = 200_000;
/** A process that was cut off from the database for less than this reads them once it is back. */
const KEEP_ACCESS_CHANGES_MS = MS_PER_DAY;

/** Deletes counts of past days (with their addresses), expired sessions, and old limits and changes. */
export async function deleteExpiredRows(store: Store, nowMs: number): Promise<void> {
  const firstDay = dayOf(nowMs) - KEEP_USAGE_DAYS;
  await deleteOldEvents(store.db, { beforeMs: nowMs - KEEP_EVENTS_MS, most: MOST_EVENTS });
  await deleteUsageBefore(store.db, firstDay);
  await deleteApiKeyUsesBefore(store.db, firstDay);
  await deleteOldCodesSent(store.db, nowMs);
  await deleteExpiredCodes(store.db, nowMs);
  await deleteExpiredSessions(store, nowMs);
  await deleteAccessChangesBefore(store.db, nowMs - KEEP_ACCESS_CHANGES_MS);
}
