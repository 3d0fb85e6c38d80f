import type { Address } from "#src/units/address.ts";
import { type ByteReader, discriminator } from "../byte-reader.ts";
import { eventsNamed } from "../program-run.ts";
import type { SwapReader, SwapSeen } from "../swap-reader.ts";
import { raydiumCpmm } from "./adapter.ts";
import { type CpmmState, poolAddresses } from "./decode.ts";
import { POOL } from "./layout.ts";

/** The same eight bytes as CLMM's: the program id distinguishes them. */
const SWAP_EVENT = discriminator("40c6cde8260871e2");
/** Offsets, discriminator included. */
const SWAP = {
  pool: 8,
  inputReserve: 40,
  outputReserve: 48,
  inputAmount: 56,
  outputAmount: 64,
  inputTransferFee: 72,
  outputTransferFee: 80,
  isBaseInput: 88,
  inputMint: 89,
} as const;

const OWED = [
  POOL.protocolFeesToken0,
  POOL.protocolFeesToken1,
  POOL.fundFeesToken0,
  POOL.fundFeesToken1,
  POOL.creatorFeesToken0,
  POOL.creatorFeesToken1,
];

export type CpmmBefore = {
  readonly inputMint: Address;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
};

/** CPMM's swaps. The event has both reserves before the swap, less fees owed to others. */
export const cpmmSwaps: SwapReader<CpmmState, CpmmBefore> = {
  venue: raydiumCpmm,
  needsInstructions: false,
  read: ({ logged }) => eventsNamed(SWAP_EVENT, logged).map(readSwap),
  setBefore: (accounts, pool, { inputMint, reserveIn, reserveOut }) => {
    const addresses = poolAddresses(pool, accounts);
    if (addresses === null) return;
    const isZeroForOne = inputMint === addresses.mintA;
    // The event counts reserves less what is owed to others: only the difference prices a swap.
    accounts.patch(
      pool,
      OWED.map((offset) => ({ offset, value: 0n })),
    );
    accounts.patchTokenAmount(addresses.vaultA, isZeroForOne ? reserveIn : reserveOut);
    accounts.patchTokenAmount(addresses.vaultB, isZeroForOne ? reserveOut : reserveIn);
  },
};

function readSwap(event: ByteReader): SwapSeen<CpmmBefore> {
  const pool = event.address(SWAP.pool);
  if (!event.bool(SWAP.isBaseInput)) return { kind: "skipped", pool, reason: "exact-out" };
  if (event.length < SWAP.inputMint + 32) return { kind: "skipped", pool, reason: "old-event" };
  const mint = event.address(SWAP.inputMint);
  return {
    kind: "reported",
    pool,
    input: { mint },
    amountIn: event.u64(SWAP.inputAmount) + event.u64(SWAP.inputTransferFee),
    amountOut: event.u64(SWAP.outputAmount) - event.u64(SWAP.outputTransferFee),
    unixTimestamp: null,
    before: {
      inputMint: mint,
      reserveIn: event.u64(SWAP.inputReserve),
      reserveOut: event.u64(SWAP.outputReserve),
    },
  };
}
