import type { UserAlert } from "#src/store/user-alerts.ts";
import { newUserId } from "#src/store/user-id.ts";
import { poolAddress } from "../pools/pools.ts";

/** An alert with some values that are unknown; a test names those that matter to it. */
export function someUserAlert(change: Partial<UserAlert> = {}): UserAlert {
  return {
    id: 7n,
    entryId: 3n,
    userId: newUserId(),
    mint: poolAddress(1),
    tokenName: null,
    tokenSymbol: "TEST",
    sizeLamports: 5_000_000_000n,
    kind: "no-exit",
    cause: "withdrawn",
    share: 0.5,
    causes: null,
    slot: 9n,
    slippagePct: { before: 3, after: null },
    c10Sol: { before: 9, after: 1 },
    depthSol: { before: 90, after: 10 },
    position: null,
    sinceMs: 0,
    createdAtMs: 0,
    grade: null,
    ...change,
  };
}
