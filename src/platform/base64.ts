const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Decodes into a buffer of its own: a view of Node's pool would keep all 8 KiB alive. Node has
 * `Uint8Array.fromBase64` from version 25 on; the published package also runs on 22 and 24.
 *
 * @throws SyntaxError where the text is not base64
 */
export function decodeBase64(text: string): Uint8Array {
  return "fromBase64" in Uint8Array ? Uint8Array.fromBase64(text) : decodeByBuffer(text);
}

/** As `decodeBase64` on an older Node. */
export function decodeByBuffer(text: string): Uint8Array {
  if (!BASE64.test(text)) throw new SyntaxError("not base64");
  return new Uint8Array(Buffer.from(text, "base64"));
}
