/** What a link preview shows of a page. */
export type PageSummary = { readonly title: string; readonly description: string };

/** A page's HTML with its own title and description, for link previews and search. */
export function withSummary(html: string, { title, description }: PageSummary): string {
  const [name, text] = [escapeText(title), escapeText(description)];
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${name}</title>`)
    .replace(/(<meta property="og:title" content=")[^"]*/, (_, start) => `${start}${name}`)
    .replace(
      /(<meta (?:property="og:|name=")description" content=")[^"]*/g,
      (_, start) => `${start}${text}`,
    );
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Untrusted text, such as a token's name, for an attribute or an element. */
function escapeText(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, "")
    .slice(0, 300)
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
