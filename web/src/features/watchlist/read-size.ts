import { localDigits } from "../../lib/format.ts";
import { isWithin, SIZE_RANGE_SOL } from "../../lib/size-range.ts";
import type { Text } from "../../lib/text/es.ts";
import type { Language } from "../../lib/text/language.ts";
import { readWritten } from "../../lib/written-amount.ts";

/** A size in SOL that may be watched, or why the text is none. */
export type WrittenSize = { readonly sol: number } | { readonly sol: null; readonly wrong: string };

/** A size as a person writes it in a language. */
export function readSize(written: string, language: Language, text: Text): WrittenSize {
  const amount = readWritten(written, language);
  if (amount.kind === "ambiguous") {
    const [thousands, decimals] = amount.readings.map((digits) => localDigits(digits, language));
    return { sol: null, wrong: text.exit.amountAmbiguous(thousands ?? "", decimals ?? "") };
  }
  const sol = amount.kind === "amount" ? Number(amount.digits) : Number.NaN;
  return isWithin(sol, SIZE_RANGE_SOL)
    ? { sol }
    : { sol: null, wrong: text.exit.amountInvalid.sol };
}

/** How a size was read, where only the language says that its one mark separates thousands; null elsewhere. */
export function noteOfSize(written: string, language: Language, text: Text): string | null {
  const amount = readWritten(written, language);
  if (amount.kind !== "amount" || !amount.isByLanguage) return null;
  return readSize(written, language, text).sol === null
    ? null
    : text.exit.amountRead(localDigits(amount.digits, language));
}
