/** An e-mail address in lower case, safe to write into a mail's header. */
export type EmailAddress = string & { readonly __brand: "EmailAddress" };

const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const LAST_LABEL = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])";

/** The form of an address, as the source of a regular expression. It is matched before the text is
 * lower-cased: some look-alike letters have an ASCII lower case. */
export const EMAIL_PATTERN = `^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LAST_LABEL}$`;
const FORM = new RegExp(EMAIL_PATTERN);

/**
 * The address; null if the text is not one. ASCII only: no look-alike letters, no control
 * characters, no comments, no quoted parts, no address literals. A domain in another script has to
 * be given in its `xn--` form.
 */
export function parseEmailAddress(text: string): EmailAddress | null {
  if (text.length > LONGEST) return null;
  if (!FORM.test(text) || text.indexOf("@") > LONGEST_LOCAL_PART) return null;
  return text.toLowerCase() as EmailAddress;
}
