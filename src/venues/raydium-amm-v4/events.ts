import { ByteReader } from "../byte-reader.ts";
import type { ProgramCall } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { raydiumAmmV4 } from "./adapter.ts";
import { type AmmState, poolAddresses } from "./decode.ts";
import { POOL } from "./layout.ts";

/** First byte of ray_log, and of the instructions that write it. */
const LOG = { swapBaseIn: 3, swapBaseOut: 4 } as const;
const SWAP_INSTRUCTIONS: readonly number[] = [9, 11, 16, 17];
/** In every kind of swap the pool is the second account. */
const POOL_ACCOUNT = 1;
/** Offsets of a base-in ray_log. */
const RAY_LOG = { amountIn: 1, direction: 17, poolCoin: 33, poolPc: 41, amountOut: 49 } as const;
const COIN_TO_PC = 2n;

export type AmmBefore = { readonly coinReserve: bigint; readonly pcReserve: bigint };

/** AMM v4's swaps: ray_log contains both reserves before the swap, but not the pool. */
export const ammSwaps: SwapReader<AmmState, AmmBefore> = {
  venue: raydiumAmmV4,
  needsInstructions: true,
  read: ({ rayLogs, calls }) => {
    const swaps = calls?.filter(isSwap) ?? [];
    const logs = rayLogs.map((bytes) => new ByteReader(bytes)).filter(isSwapLog);
    // One log a swap: where they don't match, they can't be assigned.
    if (swaps.length !== logs.length) {
      return swaps.flatMap(({ accounts }) => {
        const pool = accounts[POOL_ACCOUNT];
        return pool === undefined ? [] : [{ kind: "skipped", pool, reason: "transaction-unread" }];
      });
    }
    return swaps.flatMap((call, index) => readSwap(call, logs[index]));
  },
  setBefore: (accounts, pool, { coinReserve, pcReserve }) => {
    const addresses = poolAddresses(pool, accounts);
    if (addresses === null) return;
    // The log counts reserves less the protocol's share: only the difference prices a swap.
    accounts.patch(pool, [
      { offset: POOL.needTakePnlCoin, value: 0n },
      { offset: POOL.needTakePnlPc, value: 0n },
    ]);
    accounts.patchTokenAmount(addresses.vaultA, coinReserve);
    accounts.patchTokenAmount(addresses.vaultB, pcReserve);
  },
};

function isSwap({ data }: ProgramCall): boolean {
  return SWAP_INSTRUCTIONS.includes(data[0] ?? 0);
}

function isSwapLog(log: ByteReader): boolean {
  if (log.length === 0) return false;
  const kind = log.u8(0);
  return kind === LOG.swapBaseIn || kind === LOG.swapBaseOut;
}

function readSwap(
  { accounts }: ProgramCall,
  log: ByteReader | undefined,
): readonly SwapSeen<AmmBefore>[] {
  const pool = accounts[POOL_ACCOUNT];
  if (pool === undefined || log === undefined) return [];
  if (log.u8(0) === LOG.swapBaseOut) return [{ kind: "skipped", pool, reason: "exact-out" }];
  return [
    {
      kind: "reported",
      pool,
      input: { side: log.u64(RAY_LOG.direction) === COIN_TO_PC ? "a" : "b" },
      amountIn: log.u64(RAY_LOG.amountIn),
      amountOut: log.u64(RAY_LOG.amountOut),
      unixTimestamp: null,
      before: { coinReserve: log.u64(RAY_LOG.poolCoin), pcReserve: log.u64(RAY_LOG.poolPc) },
    },
  ];
}
