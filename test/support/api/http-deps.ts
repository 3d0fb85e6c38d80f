import { pino } from "pino";
import { Admission } from "#src/api/admission.ts";
import type { HttpDeps } from "#src/api/app.ts";
import { RequestCounts } from "#src/api/request-counts.ts";
import { NO_ACCURACY, SOME_SERVICE } from "../markets/assessments.ts";
import { TEST_PUBLIC_URL } from "../users/users.ts";

const unexpected = (): never => {
  throw new Error("this test did not expect the call");
};

/** For tests of routes that have nothing to do with watchlists: they must not be called. */
const NO_WATCHING: Pick<HttpDeps, "watchlist" | "feed" | "channels"> = {
  watchlist: { list: unexpected, add: unexpected, change: unexpected, remove: unexpected },
  feed: { page: unexpected, follow: unexpected, current: unexpected },
  channels: {
    list: unexpected,
    add: unexpected,
    verify: unexpected,
    test: unexpected,
    setEnabled: unexpected,
    remove: unexpected,
  },
};

/** Dependencies of an app besides markets, users and the clock: the app is ready, writes no log, and has no watchlists. */
export function plainHttpDeps() {
  return {
    ...NO_WATCHING,
    accuracy: NO_ACCURACY,
    publicUrl: TEST_PUBLIC_URL,
    readiness: async () => ({
      isReady: true,
      database: "ok",
      redis: null,
      authSecret: null,
      chainAgeSeconds: 1,
      slotLag: 0,
      stream: null,
      refusals: [],
    }),
    logger: pino({ level: "silent" }),
    requests: new RequestCounts(),
    admission: new Admission(),
    trustProxyHops: 1,
    service: SOME_SERVICE,
    dashboard: { directory: "/nowhere", pages: [], isBehindTls: false },
  } satisfies Omit<HttpDeps, "markets" | "users" | "clock" | "proofOf">;
}
