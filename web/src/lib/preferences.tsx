import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
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

const LANGUAGE_KEY = "exitability.language";
const THEME_KEY = "exitability.theme";
const PreferencesContext = createContext<Preferences | null>(null);

/** Language and theme: the browser's, until the reader chooses. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(() =>
    chooseLanguage(localStorage.getItem(LANGUAGE_KEY), navigator.languages),
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
        localStorage.setItem(LANGUAGE_KEY, chosen);
        setLanguage(chosen);
      },
      setTheme: (chosen: Theme) => {
        localStorage.setItem(THEME_KEY, chosen);
        setTheme(chosen);
      },
    }),
    [language, theme],
  );
  return <PreferencesContext value={preferences}>{children}</PreferencesContext>;
}

function readTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
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
