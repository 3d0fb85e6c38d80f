/**
 * The name of the cookie with a browser's session; over https its prefix keeps other hosts from setting it.
 * Apart from the sign-in library, which texts about the service need not load.
 */
export function sessionCookieName(publicUrl: string): string {
  return `${publicUrl.startsWith("https:") ? "__Host-" : ""}exitability.session_token`;
}
