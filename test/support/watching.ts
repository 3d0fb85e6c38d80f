import type { HttpDeps } from "#src/api/app.ts";

const unexpected = (): never => {
  throw new Error("this test did not expect the call");
};

/** For tests of routes that have nothing to do with watchlists: they must not be called. */
export const NO_WATCHING: Pick<HttpDeps, "watchlist" | "feed" | "channels"> = {
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
