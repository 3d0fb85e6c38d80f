import { isMoney, WSOL } from "./mint-name.ts";

const WORD = /[1-9A-HJ-NP-Za-km-z]{32,}/g;
const LONGEST = 44;
/** In addresses of markets, as of DexScreener, the address is a pool's: the mint has a name. */
const NAMED =
  /(?:mint|token|address|inputMint|outputMint|ca)[=:/]+([1-9A-HJ-NP-Za-km-z]{32,44})(?![1-9A-HJ-NP-Za-km-z])/i;

/**
 * The mint in any pasted text: an address alone, a sentence around it, or the URL of an explorer, a
 * chart or a swap page. Of a swap it is the token, and not the dollars that it is bought with; SOL is passed
 * over, as nothing is sold for itself. Null where there is none: a longer word is a transaction's signature
 * or a secret key, and no part of it goes into an address.
 */
export function findMint(text: string): string | null {
  const named = NAMED.exec(text)?.[1];
  if (named !== undefined && !isMoney(named)) return named;
  const found = (text.match(WORD) ?? []).filter((word) => word.length <= LONGEST && word !== WSOL);
  // A launchpad's addresses end in its word.
  return (
    found.find((address) => /(?:pump|bonk)$/.test(address)) ??
    found.find((address) => !isMoney(address)) ??
    found[0] ??
    null
  );
}
