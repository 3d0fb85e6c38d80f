import type { TransactionSource } from "#src/chain/chain-source.ts";
import { createGeyserSource } from "#src/chain/geyser/geyser-source.ts";
import { createRpcSource } from "#src/chain/rpc/rpc-source.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { SampleBudget } from "./swap-judge.ts";

/** Where transactions are received: plain data, so that any thread can open it. */
export type TransactionFeed = {
  readonly httpUrl: string;
  readonly wsUrl: string;
  /** Null: over the node's WebSocket. */
  readonly geyser: { readonly url: string; readonly token: string | null } | null;
  /** Absent: the swaps of all pools are received, and every transaction is read that is needed. */
  readonly sample?: SampleBudget;
};

/** Opens a separate connection to the node for transactions. */
export async function openTransactionFeed(
  { httpUrl, wsUrl, geyser }: TransactionFeed,
  deps: { readonly clock: WallClock; readonly random: () => number },
): Promise<TransactionSource & { readonly close: () => Promise<void> }> {
  const rpc = createRpcSource({ httpUrl, wsUrl, origin: "live", ...deps });
  if (geyser === null) return rpc;
  const stream = await createGeyserSource({ ...geyser, ...deps, reads: rpc });
  return {
    followTransactions: (events) => stream.followTransactions(events),
    readTransaction: (signature, signal) => rpc.readTransaction(signature, signal),
    close: async () => {
      await stream.close();
      await rpc.close();
    },
  };
}
