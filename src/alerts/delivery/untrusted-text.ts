const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
const LONGEST_NAME = 32;
/** Marks that one letter keeps. */
const EXCESS_MARKS = /(\p{M}{2})\p{M}+/gu;
/** Control characters, and characters that show nothing: U+2800 and U+1D159 are blank symbols. */
const HIDDEN = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|[\u2800\u{1d159}]/gu;
/** Mail programs and Telegram make links, mentions and commands of text with these. */
const LINKING = /[.:/\\@#。．｡]/gu;
const QUOTES = /["“”„«»]/gu;

/** At most `longest` UTF-16 units, cut between graphemes; well-formed. */
export function cutText(text: string, longest: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= longest) return whole;
  let end = 0;
  for (const { index, segment } of GRAPHEMES.segment(whole)) {
    if (index + segment.length > longest) break;
    end = index + segment.length;
  }
  // A single grapheme may be longer than the limit.
  return end === 0 ? whole.slice(0, longest).replace(/[\ud800-\udbff]$/u, "") : whole.slice(0, end);
}

/** A name chosen by a third party, on one line and without hidden characters. Null if nothing visible is left. */
export function visibleName(name: string, longest = LONGEST_NAME): string | null {
  const visible = name
    .toWellFormed()
    .replaceAll(HIDDEN, "")
    .replace(/^[\p{M} ]+/u, "")
    .replaceAll(EXCESS_MARKS, "$1")
    .replaceAll(/ {2,}/g, " ");
  const cut = cutText(visible, longest).trim();
  return cut === "" ? null : cut;
}

/** The same in quotes, without anything that a program makes a link of. */
export function quotedName(name: string): string | null {
  const visible = visibleName(name.replaceAll(QUOTES, "'"));
  return visible === null ? null : `“${visible.replaceAll(LINKING, "[$&]")}”`;
}
