import { ByteReader, discriminator } from "../byte-reader.ts";
import { eventsNamed, type ProgramCall, startsWith } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { meteoraDammV1 } from "./adapter.ts";
import type { DammV1State } from "./decode.ts";
import { POOL } from "./layout.ts";
import { swapExactIn } from "./quote.ts";

const SWAP_EVENT = discriminator("516ce3becdd00ac4");
const SWAP = discriminator("f8c69e91e17587c8");
/** Offset in the event, discriminator included: the curve's output, not yet rounded to vault shares. */
const EVENT_OUT = 16;
const CALL_AMOUNT = 8;
/** Among the instruction's accounts. The protocol's fee account is that of the token that goes in. */
const ACCOUNT = { pool: 0, feeAccount: 11 } as const;

/** DAMM v1's swaps. The event has amounts only, so they are replayed on the held state. */
export const dammV1Swaps: SwapReader<DammV1State, null> = {
  venue: meteoraDammV1,
  needsInstructions: true,
  read: ({ logged, calls }) => {
    const events = eventsNamed(SWAP_EVENT, logged);
    const swaps = calls?.filter(({ data }) => startsWith(data, SWAP)) ?? [];
    const isPaired = swaps.length === events.length;
    return swaps.flatMap((call, index) => readSwap(call, isPaired ? events[index] : undefined));
  },
  // The event counts the curve's output; what is paid is that in whole vault shares.
  reportedOutput: (state, order) => {
    const result = swapExactIn(state, order);
    return result.kind === "filled" ? result.swap.swapped : null;
  },
};

function readSwap(
  { accounts, data }: ProgramCall,
  event: ByteReader | undefined,
): readonly SwapSeen<null>[] {
  const pool = accounts[ACCOUNT.pool];
  const feeAccount = accounts[ACCOUNT.feeAccount];
  if (pool === undefined || feeAccount === undefined) return [];
  if (event === undefined) return [{ kind: "skipped", pool, reason: "transaction-unread" }];
  return [
    {
      kind: "reported",
      pool,
      input: { named: feeAccount, atA: POOL.protocolTokenAFee, atB: POOL.protocolTokenBFee },
      amountIn: new ByteReader(data).u64(CALL_AMOUNT),
      amountOut: event.u64(EVENT_OUT),
      unixTimestamp: null,
      before: null,
    },
  ];
}
