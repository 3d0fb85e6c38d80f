/** A longer name is not compared: it resembles none. */
const LONGEST_NAME = 40;
/** Further names are not compared: a query can hold thousands. */
const MOST_NAMES = 20;

/** A name in a query that is not a parameter, and the parameter that it resembles. */
export type Misspelt = { readonly sent: string; readonly meant: string };

/**
 * The first name that resembles a parameter which was not sent; null if there is none. Other unknown names
 * are of no concern. Case, `_` and `-` do not count; of short parameters nothing else may differ, of those
 * above two letters one letter, above five letters two. Two letters that changed places are one difference.
 */
export function misspeltParameter(
  sent: readonly string[],
  parameters: readonly string[],
): Misspelt | null {
  const missing = parameters.filter((name) => !sent.includes(name));
  for (const name of sent.slice(0, MOST_NAMES)) {
    if (name.length > LONGEST_NAME || parameters.includes(name)) continue;
    const meant = missing.find((parameter) => resembles(lettersOf(name), lettersOf(parameter)));
    if (meant !== undefined) return { sent: name, meant };
  }
  return null;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

function resembles(name: string, parameter: string): boolean {
  const tolerated = parameter.length <= 2 ? 0 : parameter.length <= 5 ? 1 : 2;
  return (
    Math.abs(name.length - parameter.length) <= tolerated &&
    differences(name, parameter) <= tolerated
  );
}

/** Letters to insert, delete, replace, or swap with their neighbour, until one text is the other. */
function differences(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
