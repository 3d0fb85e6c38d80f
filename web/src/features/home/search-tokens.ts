export type KnownToken = { readonly mint: string; readonly name: string; readonly symbol: string };

const MOST = 6;

/** Tokens by symbol or name: an exact symbol first, then what begins with the text, then the rest. */
export function searchTokens(tokens: readonly KnownToken[], typed: string): readonly KnownToken[] {
  const wanted = typed.trim().replace(/^\$/, "").toLowerCase();
  if (wanted === "" || wanted.length > 30) return [];
  const byMint = new Map(tokens.map((token) => [token.mint, token]));
  return [...byMint.values()]
    .map((token) => ({ token, rank: rankOf(token, wanted) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, MOST)
    .map(({ token }) => token);
}

function rankOf({ name, symbol }: KnownToken, wanted: string): number | null {
  const words = [symbol.toLowerCase(), name.toLowerCase()];
  if (words.includes(wanted)) return 0;
  if (words.some((word) => word.startsWith(wanted))) return 1;
  return words.some((word) => word.includes(wanted)) ? 2 : null;
}
