import type { UserId } from "#src/store/user-id.ts";
import { openApi, openUsers } from "./api-part.ts";
import { openFollowing } from "./following.ts";
import {
  apiCounts,
  openMessaging,
  type ProcessBase,
  type Served,
  watchRequests,
} from "./process-base.ts";

/** The only process of a service: it runs every part, and the parts call each other directly. */
export async function openAlone(opened: ProcessBase): Promise<Served> {
  const base = watchRequests(opened);
  const users = openUsers(base);
  const messaging = await openMessaging(base);
  const { tracking, recorder, examples, sources } = await openFollowing(base, messaging.notices);
  const view = {
    markets: tracking.tracker,
    examples,
    accuracyReport: tracking.accuracyReport,
    proofOf: tracking.proofOf,
    onWatchlistChange: (userId: UserId) => void recorder.reload(userId),
  };
  return {
    app: await openApi(base, { tracker: view, users, alerts: messaging }),
    examples,
    sources: {
      ...sources,
      api: () => apiCounts(base, users.outbox),
      delivery: messaging.outbox,
    },
  };
}
