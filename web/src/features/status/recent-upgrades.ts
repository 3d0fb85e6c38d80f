/** As long as the operator's alert lasts. */
const TOLD_FOR_MS = 86_400_000;

/** The programs whose code was found to be another one within the last day, the last one first. */
export function recentUpgrades(
  venues: readonly {
    readonly program: string;
    readonly deployment: { readonly upgrade_seen_at: string | null };
  }[],
  nowMs: number,
): readonly { readonly program: string; readonly seenAt: string }[] {
  return venues
    .flatMap(({ program, deployment: { upgrade_seen_at: seenAt } }) =>
      seenAt === null ? [] : [{ program, seenAt }],
    )
    .filter(({ seenAt }) => nowMs - Date.parse(seenAt) < TOLD_FOR_MS)
    .toSorted((a, b) => Date.parse(b.seenAt) - Date.parse(a.seenAt));
}
