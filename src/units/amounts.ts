/** A lamport is the smallest unit of SOL. */
export const LAMPORTS_PER_SOL = 1_000_000_000n;
