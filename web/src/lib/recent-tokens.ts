import { keep, readKept } from "./kept.ts";

export type RecentToken = { readonly mint: string; readonly name: string };

const NAME = "recent";
const MOST = 8;

/** The tokens that this browser opened last, the newest first. */
export function recentTokens(): readonly RecentToken[] {
  try {
    const kept: unknown = JSON.parse(readKept(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, MOST) : [];
  } catch {
    // Written by something else: as if nothing had been opened.
    return [];
  }
}

export function keepRecent(token: RecentToken): void {
  const others = recentTokens().filter(({ mint }) => mint !== token.mint);
  keep(NAME, JSON.stringify([token, ...others].slice(0, MOST)));
}

function isRecent(value: unknown): value is RecentToken {
  return (
    typeof value === "object" &&
    value !== null &&
    "mint" in value &&
    typeof value.mint === "string" &&
    "name" in value &&
    typeof value.name === "string"
  );
}
