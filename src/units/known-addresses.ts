import { type Address, address } from "./address.ts";

export const TOKEN_PROGRAM = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
export const TOKEN_2022_PROGRAM = address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
export const SYSTEM_PROGRAM = address("11111111111111111111111111111111");
export const MEMO_PROGRAM = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
export const CLOCK_SYSVAR = address("SysvarC1ock11111111111111111111111111111111");
export const INSTRUCTIONS_SYSVAR = address("Sysvar1nstructions1111111111111111111111111");

/** The loaders that keep no slot of deployment, and never replace a program. */
export const LOADER_V1 = address("BPFLoader1111111111111111111111111111111111");
export const LOADER_V2 = address("BPFLoader2111111111111111111111111111111111");
/** The upgradeable loader: nearly every program's. */
export const LOADER_V3 = address("BPFLoaderUpgradeab1e11111111111111111111111");
export const LOADER_V4 = address("LoaderV411111111111111111111111111111111111");

export const WSOL = address("So11111111111111111111111111111111111111112");
export const USDC = address("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");
export const USDT = address("Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB");
export const USD1 = address("USD1ttGY1N17NEEHLmELoaybftRBUSErhqYiQzvEmuB");

/** The stables whose pools reach SOL through a second hop (method.md section 1). */
export const STABLE_MINTS = [USDC, USDT, USD1] as const;

const STABLES: ReadonlySet<Address> = new Set(STABLE_MINTS);

/** Whether the mint is a stable, which counts through its SOL pools alone. */
export function isStable(mint: Address): boolean {
  return STABLES.has(mint);
}

/** Whether the mint is SOL or a stable: amounts of it can be compared without a search. */
export function isMoney(mint: Address): boolean {
  return mint === WSOL || isStable(mint);
}
