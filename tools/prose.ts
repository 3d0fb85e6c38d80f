/** Text that people read, and where it starts in its file. */
export type Prose = { readonly start: number; readonly prose: string };

/** Strings with fewer words are names, keys and values. */
const FEWEST_WORDS = 3;

/** The parts of a file that people read: comments and strings of code, text of documents. */
export function proseOf(file: string, text: string): readonly Prose[] {
  if (file.endsWith(".md")) return [{ start: 0, prose: withoutCode(text) }];
  if (/\.(?:ts|tsx|mjs)$/.test(file)) return proseOfCode(text, file.endsWith(".tsx"));
  return matchesOf(text, /(?<=^|\s)#.*(?:\n[ \t]*#.*)*/g);
}

/** Blanks code blocks, code spans and addresses; offsets stay the same. */
function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?```|`[^`\n]*`|^(?: {4}|\t).*$|\]\([^)]*\)/gm, (code) =>
    code.replaceAll(/[^\n]/g, " "),
  );
}

function matchesOf(text: string, pattern: RegExp): readonly Prose[] {
  return [...text.matchAll(pattern)].map((match) => ({ start: match.index, prose: match[0] }));
}

/**
 * One expression reads comments, regular expressions and strings in order, so that a quote inside a
 * comment or a comment sign inside a string begins nothing. Consecutive `//` lines are one text.
 */
const TOKENS =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)|(?<regex>(?<=[(,=:[!&|?{;]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/g;

function proseOfCode(text: string, isJsx: boolean): readonly Prose[] {
  const prose = [...text.matchAll(TOKENS)].flatMap((match) => {
    const { comment, string } = match.groups ?? {};
    if (comment !== undefined) return [{ start: match.index, prose: withoutSpans(comment) }];
    if (string === undefined || wordsIn(string) < FEWEST_WORDS) return [];
    return [{ start: match.index, prose: withoutPlaceholders(string) }];
  });
  return isJsx ? [...prose, ...matchesOf(text, /(?<=>)[^<>{}`"]+(?=<)/g)] : prose;
}

function withoutSpans(comment: string): string {
  return comment.replaceAll(/`[^`\n]*`/g, (span) => " ".repeat(span.length));
}

function withoutPlaceholders(string: string): string {
  return string.replaceAll(/\$\{[^}]*\}/g, (placeholder) => " ".repeat(placeholder.length));
}

function wordsIn(string: string): number {
  return string.match(/(?<=^|[\s"'`(])[A-Za-z][a-z']*(?=$|[\s"'`.,:;)])/g)?.length ?? 0;
}
