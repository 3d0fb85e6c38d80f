import type { Markets } from "#src/track/markets.ts";
import type { Caller } from "#src/users/caller.ts";

/** The markets for one caller: loads of tokens take turns with those of other callers. */
export function marketsFor(markets: Markets, caller: Caller): Markets {
  const asker = askerOfLoads(caller);
  return {
    snapshot: (mint) => markets.snapshot(mint, asker),
    latest: (mint) => markets.latest(mint),
    touch: (mint) => markets.touch(mint),
    exit: (mint, query) => markets.exit(mint, query),
    answerExit: (mint, question) => markets.answerExit(mint, question),
    curve: (mint) => markets.curve(mint),
    holdersFirst: (mint) => markets.holdersFirst(mint),
    stressed: (mint) => markets.stressed(mint),
    history: (mint, grid) => markets.history(mint, grid),
    pastDay: (mint) => markets.pastDay(mint),
    alerts: (mint, begun) => markets.alerts(mint, begun),
    answerAt: (mint, slot) => markets.answerAt(mint, slot),
    onSnapshot: (listener) => markets.onSnapshot(listener),
    health: () => markets.health(),
  };
}

/** The asker that a caller's loads are counted by. An IPv6 caller is counted by its /48 here: a customer of a provider often has one whole. */
export function askerOfLoads(caller: Caller): string {
  if (caller.kind === "user") return `user:${caller.userId}`;
  const { address } = caller;
  return `address:${address.includes(":") ? address.split(":").slice(0, 3).join(":") : address}`;
}
