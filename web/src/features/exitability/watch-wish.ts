const NAME = "exitability.watch";

/**
 * Keeps which token a visitor asked to watch, in this tab, until the next page of a token is opened. It is not
 * in an address: a link that anybody sends would then write to the watchlist of the reader who opens it.
 */
export function keepWish(mint: string, sizeSol: number | null): void {
  if (sizeSol === null) return;
  try {
    sessionStorage.setItem(NAME, `${mint} ${sizeSol}`);
  } catch {
    // The reader blocks site data: after signing in they ask again.
  }
}

/** The size at which this token was asked for, in SOL; null if it was not. It is given once. */
export function takeWish(mint: string): number | null {
  try {
    const [wished, sizeSol] = sessionStorage.getItem(NAME)?.split(" ") ?? [];
    sessionStorage.removeItem(NAME);
    return wished === mint ? Number(sizeSol) : null;
  } catch {
    // The reader blocks site data.
    return null;
  }
}
