/** What the address of a token's page says of the sale: `?size=5&unit=tokens&profile=pro`. */

export const UNITS = ["sol", "tokens", "usd"] as const;
export type SizeUnit = (typeof UNITS)[number];
export const PROFILES = ["retail", "pro"] as const;
export type Profile = (typeof PROFILES)[number];

export type Sale = {
  /** In plain digits with a point, as it is asked for. */
  readonly amount: string;
  readonly unit: SizeUnit;
  readonly profile: Profile;
};

const FIRST_SALE: Sale = { amount: "1", unit: "sol", profile: "retail" };
const KEPT_KEY = "exitability.sale";
const LEAST_SOL = 0.01;
const MOST_SOL = 1_000;
const PLAIN = /^\d{1,20}(?:\.\d{1,9})?$/;

/**
 * An amount as a person writes it, in plain digits: "1.500,25", "1,500.25", "2 300 000", "1.5k" and
 * "2,3 M" are understood; null for an invalid amount, or one that cannot be sold.
 */
export function readAmount(text: string, unit: SizeUnit): string | null {
  const [, digits = "", suffix = ""] = /^([\d.,'\s]+?)\s*([kKmM]?)$/.exec(text.trim()) ?? [];
  const plain = plainDigits(digits.replace(/['\s]/g, ""));
  if (plain === null) return null;
  const scale = suffix === "" ? 1 : suffix.toLowerCase() === "k" ? 1e3 : 1e6;
  const amount = scale === 1 ? plain : scaled(plain, scale);
  if (!PLAIN.test(amount) || Number(amount) === 0) return null;
  if (unit === "sol" && (Number(amount) < LEAST_SOL || Number(amount) > MOST_SOL)) return null;
  return amount;
}

/** One mark is a decimal sign, unless it parts off three digits after others; of two kinds the last is. */
function plainDigits(text: string): string | null {
  const marks = [...text].filter((character) => character === "." || character === ",");
  const last = marks.at(-1);
  if (last === undefined) return /^\d+$/.test(text) ? text : null;
  const isGrouped = marks.length > 1 && marks.every((mark) => mark === last);
  const whole = isGrouped ? text : text.slice(0, text.lastIndexOf(last));
  const fraction = isGrouped ? "" : text.slice(text.lastIndexOf(last) + 1);
  const digits = whole.replace(/[.,]/g, "");
  if (!/^\d+$/.test(digits) || (fraction !== "" && !/^\d+$/.test(fraction))) return null;
  return fraction === "" ? digits : `${digits}.${fraction}`;
}

function scaled(plain: string, scale: number): string {
  return String(Number((Number(plain) * scale).toPrecision(15)));
}

function oneOf<Value extends string>(values: readonly Value[], text: unknown): Value | null {
  return values.find((value) => value === text) ?? null;
}

/** The sale of an address; what it leaves open is as it was last, or as on the first visit. */
export function readSale(parameters: URLSearchParams): Sale {
  const kept = keptSale();
  const unit = oneOf(UNITS, parameters.get("unit"));
  const asked = readAmount(parameters.get("size") ?? "", unit ?? "sol");
  const profile = oneOf(PROFILES, parameters.get("profile")) ?? kept.profile;
  if (asked === null) return { ...kept, profile };
  return { amount: asked, unit: unit ?? "sol", profile };
}

/** Amounts in SOL suit any token; an amount of one token's own units is not kept for the next. */
export function keepSale({ amount, unit, profile }: Sale): void {
  const kept = unit === "tokens" ? keptSale() : { amount, unit };
  localStorage.setItem(KEPT_KEY, JSON.stringify({ ...kept, profile }));
}

function keptSale(): Sale {
  try {
    const { amount, unit, profile } = JSON.parse(localStorage.getItem(KEPT_KEY) ?? "{}");
    const kept = unit === "usd" ? "usd" : "sol";
    return {
      amount: readAmount(String(amount), kept) ?? FIRST_SALE.amount,
      unit: readAmount(String(amount), kept) === null ? "sol" : kept,
      profile: oneOf(PROFILES, profile) ?? FIRST_SALE.profile,
    };
  } catch {
    // Written by something else: as on the first visit.
    return FIRST_SALE;
  }
}

/** The path that asks for a sale; null while dollars can't be converted. */
export function exitPath(mint: string, sale: Sale, solUsd: number | null): string | null {
  const path = `/api/token/${encodeURIComponent(mint)}/exitability/at`;
  const { amount, unit, profile } = sale;
  if (unit === "tokens") return `${path}?size=${amount}&profile=${profile}&unit=token`;
  if (unit === "sol") return `${path}?size=${amount}&profile=${profile}`;
  if (solUsd === null) return null;
  const sol = Math.min(MOST_SOL, Math.max(LEAST_SOL, Number(amount) / solUsd));
  return `${path}?size=${sol.toFixed(6)}&profile=${profile}`;
}

export function exitabilityPath(mint: string, profile: Profile): string {
  return `/api/token/${encodeURIComponent(mint)}/exitability?profile=${profile}`;
}
