export type OwnCookie = ReturnType<typeof ownCookie>;

/** A cookie that only this service reads. Over https the prefix of its name keeps other hosts from setting it. */
export function ownCookie(publicUrl: string, suffix: string, sameSite: "Lax" | "Strict" = "Lax") {
  const isSecure = publicUrl.startsWith("https:");
  const name = `${isSecure ? "__Host-" : ""}exitability${suffix}`;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
  return {
    name,
    /** The value in a Cookie header; null if it is absent. */
    read(header = ""): string | null {
      const cookies = header.split(";").map((part) => part.trim());
      const own = cookies.find((cookie) => cookie.startsWith(`${name}=`));
      return own?.slice(name.length + 1).trim() ?? null;
    },
    /** The Set-Cookie header that sets it; with 0 seconds it is deleted. */
    header: (value: string, seconds: number): string =>
      `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
  };
}

/** The cookie with a browser's session, which the sign-in library sets under this name. */
export function sessionCookie(publicUrl: string): OwnCookie {
  return ownCookie(publicUrl, ".session_token");
}
