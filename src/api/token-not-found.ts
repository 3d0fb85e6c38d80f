import type { Address } from "#src/units/address.ts";

/** The sentence of each 404 about a token, with the id as it was asked for. */
export const TOKEN_NOT_FOUND = {
  notAnAddress: (id: string) =>
    `${id === "" ? "An empty id" : id} is not a Solana address: 32 bytes in base58.`,
  isSol: (id: string) => `${id} is SOL itself, which is what exits are paid in.`,
  /** Links of chart pages often name a pool's address instead of the token's. */
  noPool: (id: string, poolOf?: Address) =>
    poolOf === undefined
      ? `${id} has no pool or curve on any program we model.`
      : `${id} is a pool of ${poolOf}: ask for that token.`,
} as const;
