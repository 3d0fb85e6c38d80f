const WORD = /[1-9A-HJ-NP-Za-km-z]{32,}/g;
const LONGEST = 44;
const SOL = "So11111111111111111111111111111111111111112";
/** In addresses of markets, as of DexScreener, the address is a pool's: the mint has a name. */
const NAMED =
  /(?:mint|token|address|inputMint|outputMint|ca)[=:/]+([1-9A-HJ-NP-Za-km-z]{32,44})(?![1-9A-HJ-NP-Za-km-z])/i;

/**
 * The mint in any pasted text: an address alone, a sentence around it, or the URL of an explorer, a
 * chart or a swap page. SOL is passed over, as nothing is sold for itself. Null where there is none: a
 * longer word is a transaction's signature or a secret key, and no part of it goes into an address.
 */
export function findMint(text: string): string | null {
  const named = NAMED.exec(text)?.[1];
  if (named !== undefined && named !== SOL) return named;
  const found = (text.match(WORD) ?? []).filter((word) => word.length <= LONGEST && word !== SOL);
  // A launchpad's addresses end in its word.
  return found.find((address) => /(?:pump|bonk)$/.test(address)) ?? found[0] ?? null;
}
