/** An e-mail address in lower case, safe to write into a mail's header. */
export type EmailAddress = string & { readonly __brand: "EmailAddress" };

const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;
/** Looked at before the case is changed: some look-alikes have an ASCII lower case. */
const ASCII = /^[!-~]+$/;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * The address, or null where the text is none. Plain ASCII alone: no look-alike letters, no control
 * characters, no comments, no quoted parts, no address literals. A domain in another script has to
 * be given in its `xn--` form.
 */
export function parseEmailAddress(text: string): EmailAddress | null {
  if (text.length > LONGEST) return null;
  if (!ASCII.test(text)) return null;
  const lower = text.toLowerCase();
  const at = lower.lastIndexOf("@");
  if (at < 1 || at > LONGEST_LOCAL_PART) return null;
  if (!LOCAL_PART.test(lower.slice(0, at)) || !DOMAIN.test(lower.slice(at + 1))) return null;
  return lower as EmailAddress;
}
