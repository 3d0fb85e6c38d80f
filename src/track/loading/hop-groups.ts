import { isMoney } from "#src/units/known-addresses.ts";
import { addUse, followAccount, forEachUse, removeUse } from "../following/followed-accounts.ts";
import { removeGroup } from "../following/followed-pools.ts";
import type { LiveState, PoolGroup } from "../following/live-state.ts";
import type { LoadedAccounts } from "../pools/gather-accounts.ts";

/**
 * Keeps the pools of a quote mint as hops of all tokens. The mint is followed too, unless it is SOL or a stable: an
 * authority of it can stop a sale.
 */
export function addHop(state: LiveState, group: PoolGroup, loaded: LoadedAccounts): void {
  state.hops.set(group.mint, group);
  if (isMoney(group.mint)) return;
  const account = followAccount(state, group.mint, loaded);
  addUse(account, { kind: "hop-mint", group, account });
  if (account.content === undefined) state.rereadSoon.add(group.mint);
}

export function removeHop(state: LiveState, group: PoolGroup): void {
  removeGroup(state, group);
  state.hops.delete(group.mint);
  const account = state.accounts.get(group.mint);
  if (account === undefined) return;
  forEachUse(account, (use) => {
    if (use.kind === "hop-mint" && use.group === group) removeUse(state, use);
  });
}
