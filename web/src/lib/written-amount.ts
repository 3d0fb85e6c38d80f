import type { Language } from "./text/language.ts";

export type WrittenAmount =
  | {
      readonly kind: "amount";
      /** Plain digits with a point. */
      readonly digits: string;
      /** Only the language says that its one mark separates thousands: what was understood is shown. */
      readonly isByLanguage: boolean;
    }
  /** It has two usual readings, a thousand apart: as thousands, and as decimals. */
  | { readonly kind: "ambiguous"; readonly readings: readonly [string, string] }
  | { readonly kind: "invalid" };

const INVALID = { kind: "invalid" } as const;
const PLAIN = /^\d{1,20}(?:\.\d{1,9})?$/;
/** Groups of three; of two as well before the last, as in India. */
const GROUPED = /^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/;
/** The only form that has two readings. */
const ONE_GROUP = /^(?:[1-9]\d{0,2})[.,]\d{3}$/;
const DECIMAL: Readonly<Record<Language, string>> = { es: ",", en: "." };

/**
 * An amount as a person writes it: "1.500,25", "1,500.25", "2 300 000", "1.5k" and "2,3 M". The mark
 * that comes last is the decimal sign, unless it is repeated. One mark before exactly three digits is
 * read by the page's language: its own decimal sign is one. In English a comma separates thousands
 * there. In Spanish a point has two readings: the page writes thousands with it, and a numeric keypad
 * types decimals with it. It is refused, so that no amount is a thousand times another one.
 */
export function readWritten(text: string, language: Language): WrittenAmount {
  const [, marked = "", suffix = ""] = /^([\d.,'\s]+?)\s*([kKmM]?)$/.exec(text.trim()) ?? [];
  const joined = marked.replace(/['\s]/g, "");
  const isOneGroup = ONE_GROUP.test(joined) && !joined.includes(DECIMAL[language]);
  if (!isOneGroup) return amountOf(plainDigits(joined), suffix, false);
  const asThousands = amountOf(joined.replace(/[.,]/, ""), suffix, true);
  const asDecimals = amountOf(joined.replace(",", "."), suffix, true);
  if (language === "en" || asThousands.kind !== "amount" || asDecimals.kind !== "amount")
    return asThousands;
  return { kind: "ambiguous", readings: [asThousands.digits, asDecimals.digits] };
}

function amountOf(plain: string | null, suffix: string, isByLanguage: boolean) {
  if (plain === null) return INVALID;
  const scale = suffix === "" ? 1 : suffix.toLowerCase() === "k" ? 1e3 : 1e6;
  const digits = scale === 1 ? plain : scaled(plain, scale);
  return PLAIN.test(digits) ? ({ kind: "amount", digits, isByLanguage } as const) : INVALID;
}

/** Of two kinds of marks the last is the decimal sign; several of one kind separate groups. */
function plainDigits(text: string): string | null {
  const marks = text.replace(/\d/g, "");
  const last = marks.at(-1);
  if (last === undefined) return /^\d+$/.test(text) ? text : null;
  const isGrouped = marks.length > 1 && [...marks].every((mark) => mark === last);
  const end = isGrouped ? text.length : text.lastIndexOf(last);
  const [whole, fraction] = [text.slice(0, end), text.slice(end + 1)];
  if (!/^\d+$/.test(whole) && !GROUPED.test(whole)) return null;
  const digits = whole.replace(/[.,]/g, "");
  return fraction === "" ? digits : `${digits}.${fraction}`;
}

function scaled(plain: string, scale: number): string {
  return String(Number((Number(plain) * scale).toPrecision(15)));
}
