import type { Language } from "./text/language.ts";

/** A hostile token name as harmless text: no control, bidi or invisible characters, bounded. */
export function plainText(text: string | null, longest = 40): string | null {
  if (text === null) return null;
  const visible = text
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800\u{1d159}]/gu, "")
    .replace(/\p{M}{4,}/gu, (marks) => marks.slice(0, 3))
    .replace(/\s+/g, " ")
    .trim();
  if (visible === "") return null;
  const letters = [...visible];
  return letters.length > longest ? `${letters.slice(0, longest).join("")}…` : visible;
}

/** A number with as many digits as say something, or null where it is not known. */
export function formatNumber(value: number, language: Language, digits = 3): string {
  if (value !== 0 && Math.abs(value) < 0.1) {
    return new Intl.NumberFormat(language, { maximumSignificantDigits: digits }).format(value);
  }
  const fraction = Math.abs(value) >= 1_000 ? 0 : Math.abs(value) >= 10 ? 2 : digits;
  return new Intl.NumberFormat(language, { maximumFractionDigits: fraction }).format(value);
}

/** Plain digits with the decimal sign of the language, every digit kept: what a field is filled with. */
export function localDigits(plain: string, language: Language): string {
  return plain.replace(".", language === "es" ? "," : ".");
}

/** A number in two digits that count: small changes of it are not worth a word. */
export function formatRounded(value: number, language: Language): string {
  return new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }).format(value);
}

/** The space between a number and its unit, where no line breaks. */
const NO_BREAK = "\u00a0";

/** A sentence whose percentages stay on one line. */
export function unbroken(sentence: string): string {
  return sentence.replaceAll(/(\d) (%|SOL)/g, `$1${NO_BREAK}$2`);
}

export function formatSol(value: number, language: Language): string {
  return `${formatNumber(value, language)}${NO_BREAK}SOL`;
}

/** Dollars: whole ones from a hundred on, cents below; a part of a cent is never shown as none. */
export function formatUsd(value: number, language: Language): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2;
  const format = new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return value > 0 && value < 0.005 ? `<${NO_BREAK}${format.format(0.01)}` : format.format(value);
}

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const MOST_PLAIN_ZEROS = 3;

/** A price in four digits; many zeros are counted, as traders write them: 0.0₅5004 is 0.000005004. */
export function formatPrice(value: number, language: Language): string {
  const [mantissa = "", exponent = "0"] = value.toExponential(3).split("e");
  const zeros = -Number(exponent) - 1;
  if (value === 0 || zeros <= MOST_PLAIN_ZEROS) return formatNumber(value, language, 4);
  const counted = [...String(zeros)].map((digit) => SUBSCRIPTS[Number(digit)]).join("");
  const digits = mantissa.replace(".", "");
  return `${formatNumber(0.1, language).slice(0, -1)}0${counted}${digits}`;
}

/**
 * A percentage that is rounded, but never to 0 % or to 100 % where it is neither: a loss is not shown as
 * none, nor what is paid, and what is nearly exact not as exact.
 *
 * @param least decimals that are always shown, so that those of a column are below each other
 */
export function formatPct(value: number, language: Language, digits = 2, least = 0): string {
  const format = new Intl.NumberFormat(language, {
    minimumFractionDigits: least,
    maximumFractionDigits: digits,
    // A fall that rounds to nothing is 0, and not -0.
    signDisplay: "negative",
  });
  const show = (shown: number) => `${format.format(shown)}${NO_BREAK}%`;
  const step = 10 ** -digits;
  if (value > 0 && value < step / 2) return `<${NO_BREAK}${show(step)}`;
  if (value < 100 && value >= 100 - step / 2) return `>${NO_BREAK}${show(100 - step)}`;
  return show(value);
}

/** A share in percent: one decimal near the ends. */
export function formatSharePct(value: number, language: Language): string {
  return formatPct(value, language, value < 1 || value > 99 ? 1 : 0);
}

export function formatTime(iso: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(
    new Date(iso),
  );
}

/**
 * A moment on a chart's axis: the time of day, or the day where it is the first tick of it. Where the clocks
 * change, no tick may be at midnight.
 *
 * @param before the tick before it
 */
export function formatTick(seconds: number, language: Language, before = seconds - 1): string {
  const moment = new Date(seconds * 1_000);
  const isNewDay = new Date(before * 1_000).getDate() !== moment.getDate();
  const form: Intl.DateTimeFormatOptions = isNewDay
    ? { day: "numeric", month: "short" }
    : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return new Intl.DateTimeFormat(language, form).format(moment);
}

export function formatDay(iso: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(iso));
}

/** Whole seconds, minutes, hours or days, for a clock that counts up. */
export function formatAge(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 5_400) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** The ends of an address, enough to recognise it by. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 4)}…${address.slice(-4)}`;
}

const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Whether a text has the form of a mint address; the service knows whether it is one. */
export function looksLikeMint(text: string): boolean {
  return BASE58_ADDRESS.test(text.trim());
}

export function explorerUrl(address: string): string {
  return `https://explorer.solana.com/address/${address}`;
}
