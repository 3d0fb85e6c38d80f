// What the address of a token's page states of the sale: `?size=5&unit=tokens&profile=pro`.

import { keep, readKept } from "../../lib/kept.ts";
import { isWithin, nearestWithin, type Range, SIZE_RANGE_SOL } from "../../lib/size-range.ts";
import type { Language } from "../../lib/text/language.ts";
import { readWritten, type WrittenAmount } from "../../lib/written-amount.ts";

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

/** What amounts are converted with; null: not known now. */
export type Rates = {
  readonly solUsd: number | null;
  /** SOL for one token, at the mid price. */
  readonly tokenSol: number | null;
  /** An amount of tokens has no more decimals than the token. */
  readonly tokenDecimals: number | null;
};

const FIRST_SALE: Sale = { amount: "1", unit: "sol", profile: "retail" };
const KEPT_NAME = "sale";
/** In a page's address an amount has a decimal point, whatever the language. */
const LANGUAGE_OF_ADDRESSES: Language = "en";

/** What is typed into the field of an amount, read by the page's language; invalid if it can't be sold. */
export function readTyped(
  typed: string,
  { unit, solUsd, language }: { unit: SizeUnit; solUsd: number | null; language: Language },
): WrittenAmount {
  const written = readWritten(typed, language);
  const isUnsold =
    written.kind === "amount" && isBeyondLimits({ amount: written.digits, unit }, solUsd);
  return isUnsold ? { kind: "invalid" } : written;
}

/**
 * An amount of an address, in plain digits; null for an invalid amount, or one that cannot be sold.
 * Dollars have limits only where a price of SOL is given.
 */
export function readAmount(
  text: string,
  unit: SizeUnit,
  solUsd: number | null = null,
): string | null {
  const written = readTyped(text, { unit, solUsd, language: LANGUAGE_OF_ADDRESSES });
  return written.kind === "amount" ? written.digits : null;
}

/** The least and the most that is measured; in dollars as whole cents and whole dollars. Null: not known. */
export function limitsOf(unit: SizeUnit, solUsd: number | null): Range | null {
  if (unit === "sol") return SIZE_RANGE_SOL;
  if (unit === "tokens" || solUsd === null) return null;
  return {
    minimum: Math.ceil(SIZE_RANGE_SOL.minimum * solUsd * 100) / 100,
    maximum: Math.floor(SIZE_RANGE_SOL.maximum * solUsd),
  };
}

/** Whether a sale is worth more or less than what is measured; one in dollars, only where the price of SOL is known. */
export function isBeyondLimits(
  { amount, unit }: Pick<Sale, "amount" | "unit">,
  solUsd: number | null,
): boolean {
  if (Number(amount) === 0) return true;
  const limits = limitsOf(unit, solUsd);
  return limits !== null && !isWithin(Number(amount), limits);
}

/** The size of a sale that is counted in SOL; null for other units, and beyond what is measured. */
export function sizeInSol(sale: Sale): number | null {
  return sale.unit === "sol" && !isBeyondLimits(sale, null) ? Number(sale.amount) : null;
}

/** What a sale is worth in SOL; null while what it is counted in can't be converted. */
export function worthInSol({ amount, unit }: Sale, { solUsd, tokenSol }: Rates): number | null {
  if (unit === "sol") return Number(amount);
  const rate = unit === "usd" ? solUsd && 1 / solUsd : tokenSol;
  return rate === null ? null : Number(amount) * rate;
}

const CONVERTED_DIGITS = 6;
const MOST_DECIMALS = 9;

/** The same position in another unit, to six digits, or as many as it has; null while it can't be converted. */
export function convertedAmount(sale: Sale, unit: SizeUnit, rates: Rates): string | null {
  const worth = worthInSol(sale, rates);
  const { solUsd, tokenSol, tokenDecimals } = rates;
  const each = unit === "sol" ? 1 : unit === "usd" ? solUsd && 1 / solUsd : tokenSol;
  if (worth === null || each === null || each === 0) return null;
  const rounded = Number((worth / each).toPrecision(CONVERTED_DIGITS));
  // Rounding takes no position beyond the limits that is within them.
  const limits = isWithin(worth, SIZE_RANGE_SOL) ? limitsOf(unit, solUsd) : null;
  const amount = limits === null ? rounded : nearestWithin(rounded, limits);
  const most = unit === "tokens" ? (tokenDecimals ?? MOST_DECIMALS) : MOST_DECIMALS;
  const decimals = unit === "usd" ? 2 : Math.min(most, MOST_DECIMALS);
  return amount.toFixed(decimals).replace(/\.0*$|(\.\d*?)0+$/, "$1");
}

function oneOf<Value extends string>(values: readonly Value[], text: unknown): Value | null {
  return values.find((value) => value === text) ?? null;
}

/**
 * The sale of an address; what it leaves open is as it was last, or as on the first visit. An amount
 * that is not measured stays, so that the page states this instead of answering for another one.
 */
export function readSale(parameters: URLSearchParams, kept: Sale): Sale {
  const unit = oneOf(UNITS, parameters.get("unit"));
  const asked = readWritten(parameters.get("size") ?? "", LANGUAGE_OF_ADDRESSES);
  const profile = oneOf(PROFILES, parameters.get("profile")) ?? kept.profile;
  if (asked.kind !== "amount") return { ...kept, profile };
  return { amount: asked.digits, unit: unit ?? "sol", profile };
}

/** Amounts in SOL suit any token; one token's own units, or what is not measured, are not kept for the next. */
export function keepSale({ amount, unit, profile }: Sale): void {
  const isKept = unit !== "tokens" && readAmount(amount, unit) !== null;
  const kept = isKept ? { amount, unit } : keptSale();
  keep(KEPT_NAME, JSON.stringify({ ...kept, profile }));
}

export function keptSale(): Sale {
  try {
    const { amount, unit, profile } = JSON.parse(readKept(KEPT_NAME) ?? "{}");
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

/** The search parameters that ask for a sale. */
export function saleSearch({ amount, unit, profile }: Sale): Record<string, string | null> {
  return { size: amount, unit: unit === "sol" ? null : unit, profile };
}

/** The path that asks for a sale; null where dollars can't be converted, or beyond the limits. */
export function exitPath(mint: string, sale: Sale, solUsd: number | null): string | null {
  const path = `/api/token/${encodeURIComponent(mint)}/exitability/at`;
  const { amount, unit, profile } = sale;
  if (isBeyondLimits(sale, solUsd)) return null;
  if (unit === "tokens") return `${path}?size=${amount}&profile=${profile}&unit=token`;
  if (unit === "sol") return `${path}?size=${amount}&profile=${profile}`;
  if (solUsd === null) return null;
  return `${path}?size=${(Number(amount) / solUsd).toFixed(6)}&profile=${profile}`;
}

export function exitabilityPath(mint: string, profile: Profile): string {
  return `/api/token/${encodeURIComponent(mint)}/exitability?profile=${profile}`;
}
