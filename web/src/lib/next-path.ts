/** Where to go after signing in: a page of our own that asked for it, else the watchlist. */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  return /^\/(?![/\\])/.test(next) ? next : "/watchlist";
}

export function signInPath(next: string): string {
  return `/sign-in?next=${encodeURIComponent(next)}`;
}
