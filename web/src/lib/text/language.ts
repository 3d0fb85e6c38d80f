const LANGUAGES = ["es", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first of the browser's languages that we speak; Spanish where it speaks neither. */
export function chooseLanguage(kept: string | null, preferred: readonly string[]): Language {
  for (const tag of [kept ?? "", ...preferred]) {
    const found = LANGUAGES.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "es";
}
