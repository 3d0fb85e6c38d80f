import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { keep, readKept } from "./kept.ts";
import { en } from "./text/en.ts";
import { es, type Text } from "./text/es.ts";
import { chooseLanguage, type Language } from "./text/language.ts";

export type Theme = "light" | "dark";

type Preferences = {
  readonly language: Language;
  readonly text: Text;
  readonly theme: Theme;
  readonly setLanguage: (language: Language) => void;
  readonly setTheme: (theme: Theme) => void;
};

const LANGUAGE_NAME = "language";
const THEME_NAME = "theme";
const PreferencesContext = createContext<Preferences | null>(null);

/** Language and theme: the browser's, until the reader chooses. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(() =>
    chooseLanguage(readKept(LANGUAGE_NAME), navigator.languages),
  );
  const [theme, setTheme] = useState<Theme>(readTheme);
  // Before the first request: requests ask for answers in the page's language.
  document.documentElement.lang = language;
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setTheme(readTheme());
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  const preferences = useMemo(
    () => ({
      language,
      text: language === "es" ? es : en,
      theme,
      setLanguage: (chosen: Language) => {
        keep(LANGUAGE_NAME, chosen);
        setLanguage(chosen);
      },
      setTheme: (chosen: Theme) => {
        keep(THEME_NAME, chosen);
        setTheme(chosen);
      },
    }),
    [language, theme],
  );
  return <PreferencesContext value={preferences}>{children}</PreferencesContext>;
}

function readTheme(): Theme {
  const kept = readKept(THEME_NAME);
  if (kept === "light" || kept === "dark") return kept;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function usePreferences(): Preferences {
  const preferences = useContext(PreferencesContext);
  if (preferences === null) throw new Error("usePreferences needs a PreferencesProvider around it");
  return preferences;
}

export function useText(): Text {
  return usePreferences().text;
}
