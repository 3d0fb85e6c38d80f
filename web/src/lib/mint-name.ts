import { shortAddress } from "./format.ts";

/** SOL as pools hold it. */
export const WSOL = "So11111111111111111111111111111111111111112";

const NAMES: Readonly<Record<string, string>> = {
  [WSOL]: "SOL",
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: "USDC",
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: "USDT",
  USD1ttGY1N17NEEHLmELoaybftRBUSErhqYiQzvEmuB: "USD1",
};

/** Whether a mint is one of those that tokens are paid with. */
export function isMoney(mint: string): boolean {
  return mint in NAMES;
}

/** What the money between two hops is called: any other token by the ends of its address. */
export function mintName(mint: string): string {
  return NAMES[mint] ?? shortAddress(mint);
}
