const CANDIDATE = /[1-9A-HJ-NP-Za-km-z]{32,44}/g;
const SOL = "So11111111111111111111111111111111111111112";
/** In addresses of markets, as of DexScreener, the address is a pool's: the mint has a name. */
const NAMED = /(?:mint|token|address|inputMint|outputMint|ca)[=:/]+([1-9A-HJ-NP-Za-km-z]{32,44})/i;

/**
 * The mint in any pasted text: an address alone, a sentence around it, or the URL of an explorer, a
 * chart or a swap page. SOL is passed over, as nothing is sold for itself. Null where there is none.
 */
export function findMint(text: string): string | null {
  const named = NAMED.exec(text)?.[1];
  if (named !== undefined && named !== SOL) return named;
  const found = (text.match(CANDIDATE) ?? []).filter((address) => address !== SOL);
  // A launchpad's addresses end in its word.
  return found.find((address) => /(?:pump|bonk)$/.test(address)) ?? found[0] ?? null;
}
