/** The limits of each tier. The only place with these numbers. */
export const TIERS = {
  anonymous: { dailyQueries: 5, watchlistTokens: 0, fairUsePerMinute: 10, streamedTokens: 10 },
  free: { dailyQueries: 10, watchlistTokens: 1, fairUsePerMinute: 10, streamedTokens: 10 },
  degen: { dailyQueries: null, watchlistTokens: 20, fairUsePerMinute: 120, streamedTokens: 100 },
  founder: { dailyQueries: null, watchlistTokens: 50, fairUsePerMinute: 300, streamedTokens: 300 },
  pro: { dailyQueries: null, watchlistTokens: 100, fairUsePerMinute: 600, streamedTokens: 1000 },
} as const satisfies Readonly<Record<string, TierLimits>>;

export type TierLimits = {
  /** Exitability queries per UTC day; null without a daily gate. */
  readonly dailyQueries: number | null;
  readonly watchlistTokens: number;
  readonly fairUsePerMinute: number;
  /** Tokens subscribed at once, over all open streams. */
  readonly streamedTokens: number;
};

export type TierName = keyof typeof TIERS;

/** The tiers of users. */
export type UserTier = Exclude<TierName, "anonymous">;

export const USER_TIERS: readonly UserTier[] = ["free", "degen", "founder", "pro"];

export function parseUserTier(text: string): UserTier | null {
  return USER_TIERS.find((tier) => tier === text) ?? null;
}

export function tierLimits(tier: TierName): TierLimits {
  return TIERS[tier];
}
