import {
  mintAccount,
  type PlainPool,
  plainPool,
  plainPoolAccount,
  vaultAccount,
} from "#bench/detection/plain-pool-venue.ts";
import type { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";

export const SOL = 1_000_000_000n;

export type Reserves = { readonly base: bigint; readonly quote: bigint };

/** Writes a token's mint. */
export function placeMint(chain: ScriptedChain, mint: Address): void {
  chain.set(mint, mintAccount());
}

/** Writes a pool of `mint` and its two vaults. */
export function placePool(
  chain: ScriptedChain,
  pool: PlainPool,
  reserves: Reserves,
  options: { readonly feeBps?: number; readonly isPaused?: boolean } = {},
): PlainPool {
  chain.set(pool.address, plainPoolAccount(pool, options));
  setReserves(chain, pool, reserves);
  return pool;
}

export function setReserves(chain: ScriptedChain, pool: PlainPool, reserves: Reserves): void {
  chain.set(pool.vaultA, vaultAccount(pool.mintA, reserves.base));
  chain.set(pool.vaultB, vaultAccount(pool.mintB, reserves.quote));
}

/** A token with one SOL pool that holds `sol` SOL. */
export function placeToken(chain: ScriptedChain, mint: Address, sol: number): PlainPool {
  placeMint(chain, mint);
  const reserves = { base: 500_000_000_000_000n, quote: BigInt(sol) * SOL };
  return placePool(chain, plainPool(`${mint} main`, mint, WSOL), reserves);
}
